// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
}
