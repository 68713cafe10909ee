// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.linecorp.armeria.server.Server;
import dev.pipecd.controlplane.http.AdminPages;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.WatchRequest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class AdminPagesTest {
    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = RunningServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void healthIsOk() throws Exception {
        assertThat(server.get("admin", "/healthz").body()).isEqualTo("ok");
    }

    @Test
    void theVersionIsTheBuilds() throws Exception {
        assertThat(server.get("admin", "/version").body()).matches("v\\d+\\.\\d+\\.\\d+.*");
    }

    @Test
    void theStartPageLinksTheOthers() throws Exception {
        assertThat(server.get("admin", "/").body()).contains("/healthz", "/version", "/metrics");
    }

    @Test
    void whereMetricsAreSwitchedOffThePageIsEmpty() throws Exception {
        var quiet = Server.builder().http(0);
        new AdminPages(() -> "up 1\n".getBytes(UTF_8), false, "v1").mount(quiet);
        var running = quiet.build();
        running.start().join();
        var page = URI.create("http://127.0.0.1:%d/metrics".formatted(running.activeLocalPort()));

        var answer =
                server.http.send(
                        HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString());

        var _ = running.closeAsync(); // its threads take two seconds to end
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void metricsTellRequestsAndTheProcess() throws Exception {
        var _ = server.get("HTTP", "/auth/logout");

        // a request is counted after its answer went out
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() ->
                        assertThat(server.get("admin", "/metrics").body())
                                .contains(
                                        "http_requests_total{code=\"302\",method=\"GET\",path=\"/auth/logout\",pipecd_component=\"server\"} 1.0")
                                .contains(
                                        "process_resident_memory_bytes{pipecd_component=\"server\"}")
                                .contains("jvm_heap_used_bytes{pipecd_component=\"server\"}"));
    }

    @Test
    void metricsTellOpenStreamsAndRefusedLogins() throws Exception {
        var link =
                LinkServiceGrpc.newBlockingStub(
                                server.channel(
                                        "gateway", "authorization", RunningServer.token("piped-1")))
                        .watch(WatchRequest.getDefaultInstance());
        assertThat(link.next().hasKeepAlive()).isTrue();
        var _ =
                server.http.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                "http://127.0.0.1:%d/auth/login/static"
                                                        .formatted(server.port("HTTP"))))
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "project=quickstart&username=x&password=y"))
                                .build(),
                        HttpResponse.BodyHandlers.discarding());

        assertThat(server.get("admin", "/metrics").body())
                .contains("pipecd_streams_open{kind=\"link\",pipecd_component=\"server\"} 1.0\n")
                .contains("pipecd_streams_open{kind=\"changes\",pipecd_component=\"server\"} 0.0\n")
                .contains(
                        "pipecd_logins_refused_total{pipecd_component=\"server\",why=\"wrong\"} 1.0\n")
                .contains(
                        "pipecd_logins_refused_total{pipecd_component=\"server\",why=\"limited\"} 0.0\n");
    }
}
