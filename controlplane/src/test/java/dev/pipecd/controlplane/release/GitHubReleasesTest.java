// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.release;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GitHubReleasesTest {
    private final AtomicReference<Instant> now =
            new AtomicReference<>(Instant.parse("2026-11-01T12:00:00Z"));
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicReference<String> answer = new AtomicReference<>("");
    private HttpServer server;
    private GitHubReleases releases;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/releases",
                exchange -> {
                    asked.incrementAndGet();
                    var body = answer.get().getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(body.length == 0 ? 503 : 200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
        var address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/releases");
        releases = new GitHubReleases(Optional.of(address), now::get, Duration.ofMinutes(2));
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void onlyWhatIsReleasedIsTold() {
        answer.set(
                """
                [{"tag_name":"v0.57.1","body":"notes"},
                 {"tag_name":"v0.58.0-rc1"},
                 {"tag_name":"v0.58.0","prerelease":true},
                 {"tag_name":"v0.59.0","draft":true},
                 {"tag_name":"plugin/v1"}]
                """);

        assertThat(releases.published())
                .containsExactly(new ReleaseSource.Release(new SemanticVersion(0, 57, 1), "notes"));
    }

    @Test
    void aSourceThatIsAwayIsNotAskedAgainAtOnceAndWhatWasKnownStays() {
        answer.set("[{\"tag_name\":\"v1.0.0\"}]");
        assertThat(releases.published()).hasSize(1);
        answer.set("");
        now.updateAndGet(at -> at.plus(Duration.ofHours(2)));

        assertThat(releases.published()).hasSize(1);
        assertThat(releases.published()).hasSize(1);

        assertThat(asked).hasValue(2);
        now.updateAndGet(at -> at.plus(Duration.ofMinutes(6)));
        assertThat(releases.published()).hasSize(1);
        assertThat(asked).hasValue(3);
    }
}
