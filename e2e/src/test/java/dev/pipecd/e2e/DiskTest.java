// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// An agent whose journal cannot be written, because the system lets its files grow no further: it
/// starts nothing, says so, forgets nothing, and goes on.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DiskTest {
    private final HttpClient http = HttpClient.newHttpClient();
    private Installation at;
    private Program agent;
    private int adminPort;

    @BeforeAll
    void open() throws IOException {
        at = Installation.open();
        at.agent().terminate();
        adminPort = Installation.freePort();
        var command =
                at.agentCommand("piped").stream()
                        .map(a -> a.equals("--admin-port=0") ? "--admin-port=" + adminPort : a)
                        .toList();
        agent = new Program(command, at.dir(), at.dir().resolve("agent-disk.log"));
        agent.start();
    }

    @AfterAll
    void close() throws Exception {
        http.close();
        agent.terminate();
        at.close();
    }

    @Test
    void whatCannotBeRecordedIsNotStartedAndAllGoesOnWhenThereIsRoom() throws Exception {
        var app = runningInItsFirstScript("room-again");
        var running = app.first();

        letTheJournalGrowNoFurther();
        endTheFirstScript(app);
        awaitHealth(503, "cannot be written: File too large");
        assertThat(health("?live").statusCode()).isEqualTo(200);
        assertThat(app.marks()).containsExactly("first", "first end");
        limit("unlimited");

        var ended = app.awaitEnd(running);
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        assertThat(app.marks()).containsExactly("first", "first end", "second");
        assertThat(app.log(ended, 0)).contains("first says goodbye");
        awaitHealth(200, "what is decided is on the disk");
    }

    @Test
    void anAgentThatIsStoppedWhileItCannotRecordGoesOnAtItsNextStart() throws Exception {
        var app = runningInItsFirstScript("stopped-full");
        var running = app.first();

        letTheJournalGrowNoFurther();
        endTheFirstScript(app);
        awaitHealth(503, "cannot be written: File too large");
        agent.terminate();
        assertThat(app.marks()).containsExactly("first", "first end");
        agent.start();

        var ended = app.awaitEnd(running);
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        assertThat(app.marks()).containsExactly("first", "first end", "second");
        assertThat(app.log(ended, 0)).contains("first says goodbye");
    }

    private App runningInItsFirstScript(String name) {
        var first =
                """
                echo first >>'%s'
                while [ ! -e '%s' ]; do sleep 0.1; done
                echo 'first says goodbye'
                echo 'first end' >>'%s'
                """
                        .formatted(
                                App.marks(at, name),
                                at.dir().resolve("go-" + name),
                                App.marks(at, name));
        var app =
                at.add(
                        name,
                        Sample.pipeline().script(first).script(App.marking(at, name, "second")));
        app.awaitMark("first");
        return app;
    }

    private void endTheFirstScript(App app) {
        at.write("go-" + app.name(), "");
        app.awaitMark("first end");
    }

    private void letTheJournalGrowNoFurther() throws IOException {
        limit(Files.size(at.dir().resolve("piped/journal/journal")) + ":unlimited");
    }

    private void limit(String size) {
        Shell.run(at.dir(), "prlimit", "--pid=" + agent.pid(), "--fsize=" + size);
    }

    private void awaitHealth(int status, String text) {
        at.await(
                "health: " + text,
                () ->
                        Optional.of(health(""))
                                .filter(h -> h.statusCode() == status && h.body().contains(text)));
    }

    private HttpResponse<String> health(String query) throws IOException, InterruptedException {
        var uri = URI.create("http://127.0.0.1:" + adminPort + "/healthz" + query);
        return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }
}
