// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.admin.HealthSource.Part;
import dev.pipecd.domain.Problem;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AdminServerTest {
    private static final Part WELL = new Part("repository", "demo", true, "main at 12345678", "");
    private static final Part ILL =
            new Part("plugin", "wait", false, "the plugin host ended", "Read the log.");

    List<Part> parts = List.of(WELL);
    AdminServer server;
    HttpClient client;

    @BeforeEach
    void setUp() {
        var metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        metrics.counter("deployments").increment();
        server = AdminServer.open(0, "piped 1.0", () -> parts, metrics::scrape);
        client = HttpClient.newHttpClient();
    }

    @AfterEach
    void tearDown() {
        server.close();
        client.close();
    }

    @Test
    void healthIsFineWhenEveryPartIs() throws Exception {
        var answer = get("/healthz");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .isEqualTo(
                        """
                        {
                          "ok" : true,
                          "repository" : [ {
                            "name" : "demo",
                            "ok" : true,
                            "detail" : "main at 12345678"
                          } ]
                        }
                        """);
    }

    @Test
    void oneIllPartMakesTheWholeUnavailableAndSaysWhatToDo() throws Exception {
        parts = List.of(WELL, ILL);

        var answer = get("/healthz");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body())
                .contains(
                        "\"ok\" : false", "\"name\" : \"wait\"", "\"advice\" : \"Read the log.\"");
    }

    @Test
    void aProcessThatAnswersIsAliveWhateverItsParts() throws Exception {
        parts = List.of(ILL);

        var answer = get("/healthz?live");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("ok");
    }

    @Test
    void versionMetricsAndIndexAreServed() throws Exception {
        assertThat(get("/version").body()).isEqualTo("piped 1.0\n");
        assertThat(get("/metrics").body()).contains("deployments_total 1.0");
        assertThat(get("/").body()).contains("href=\"/healthz\"");
    }

    @Test
    void whatIsNotThereIsNotFoundAndOnlyReadingIsAllowed() throws Exception {
        assertThat(get("/healthz/x").statusCode()).isEqualTo(404);
        assertThat(get("/etc/passwd").statusCode()).isEqualTo(404);
        var post =
                HttpRequest.newBuilder(uri("/healthz"))
                        .POST(HttpRequest.BodyPublishers.ofString("x"))
                        .build();
        assertThat(client.send(post, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(405);
    }

    @Test
    void aHealthSourceThatBreaksIsAnAnswerAndTheServerGoesOn() throws Exception {
        parts = List.of();
        try (var broken =
                AdminServer.open(
                        0,
                        "x",
                        () -> {
                            throw new IllegalStateException("secret inside");
                        },
                        () -> "")) {
            var uri = URI.create("http://localhost:%d/healthz".formatted(broken.port()));
            for (var i = 0; i < 2; i++) {
                var answer =
                        client.send(
                                HttpRequest.newBuilder(uri).build(),
                                HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).isEqualTo(500);
                assertThat(answer.body()).isEqualTo("broken; see the agent's log\n");
            }
        }
    }

    @Test
    void aTakenPortIsToldWithTheFlagToChange() {
        assertThatThrownBy(() -> AdminServer.open(server.port(), "x", List::of, () -> ""))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p ->
                                assertThat(p.told())
                                        .isEqualTo(
                                                "admin port: %d (expected: a free port). End what listens there, or start the agent with another --admin-port."
                                                        .formatted(server.port())));
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://localhost:%d%s".formatted(server.port(), path));
    }
}
