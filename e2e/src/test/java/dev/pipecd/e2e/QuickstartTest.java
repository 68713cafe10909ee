// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/// The first minutes of a new user, told by what is promised to them.
final class QuickstartTest {
    @Test
    void everythingPromisedIsThereAndASecondStartGoesOnWithIt() throws Exception {
        try (var quickstart = new Quickstart(Installation.freePort()).start()) {
            for (var file :
                    List.of(
                            "api-key",
                            "repo/.git",
                            "repo/site/index.html",
                            "control-plane.yaml",
                            "piped.yaml",
                            "logs/server.log",
                            "logs/agent.log")) assertThat(quickstart.data().resolve(file)).exists();
            assertThat(quickstart.data().resolve("logs/server.log"))
                    .content()
                    .contains("listens on")
                    .doesNotContain("DEBUG");
            assertThat(Files.getPosixFilePermissions(quickstart.data().resolve("api-key")))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            assertThat(page(quickstart)).contains("version");
            assertThat(quickstart.line("User, password")).contains("hello-pipecd / hello-pipecd");

            var listed = quickstart.paste(quickstart.line("deployment list"));
            assertThat(listed.output()).contains("site").contains("SUCCESS");
            assertThat(listed.code()).isZero();
            var json = quickstart.paste(quickstart.line("deployment list") + " -o json");
            assertThat(json.output()).contains("\"applicationName\"");
            rollsBack(quickstart);
            changesThePage(quickstart);

            assertThat(quickstart.program().interrupt()).isZero();
            assertThat(quickstart.program().said()).contains("Stopped. Everything is kept in");
            assertThat(quickstart.processes()).isEmpty();

            quickstart.start();
            var again = quickstart.paste(quickstart.line("deployment list"));
            assertThat(again.output()).contains(head(quickstart));
            assertThat(page(quickstart)).contains("version");
        }
    }

    private static String head(Quickstart quickstart) {
        return Shell.run(quickstart.data().resolve("repo"), "git", "rev-parse", "--short=7", "HEAD")
                .strip();
    }

    private static void rollsBack(Quickstart quickstart) {
        var sync = quickstart.line("application sync");
        quickstart.paste(sync);
        Awaitility.await("the broken sample being rolled back")
                .atMost(Duration.ofMinutes(3))
                .untilAsserted(() ->
                        assertThat(
                                        quickstart
                                                .paste(quickstart.line("deployment list"))
                                                .output()
                                                .lines())
                                .filteredOn(l -> l.contains("broken") && l.contains("FAILURE"))
                                .hasSize(2));
    }

    private static void changesThePage(Quickstart quickstart) throws Exception {
        var changed = quickstart.paste(quickstart.line("git commit"));
        assertThat(changed.code()).as(changed.output()).isZero();
        try (var person =
                Person.login(quickstart.port(), "quickstart", "hello-pipecd", "hello-pipecd")) {
            var site =
                    person
                            .web()
                            .listApplications(
                                    dev.pipecd.wire.web.ListApplicationsRequest
                                            .getDefaultInstance())
                            .getApplicationsList()
                            .stream()
                            .filter(a -> a.getName().equals("site"))
                            .findFirst()
                            .orElseThrow();
            Awaitility.await("the commit being deployed")
                    .atMost(Duration.ofMinutes(3))
                    .until(() ->
                            person.deployments(site.getId()).stream()
                                    .anyMatch(d ->
                                            d.getTrigger()
                                                            .getCommit()
                                                            .getMessage()
                                                            .contains("Change the page")
                                                    && d.getStagesCount() > 0));
        }
    }

    @Test
    void aKilledQuickstartIsHealedByTheNext() throws Exception {
        try (var quickstart = new Quickstart(Installation.freePort()).start()) {
            quickstart.program().kill();

            quickstart.start();

            var listed = quickstart.paste(quickstart.line("deployment list"));
            assertThat(listed.output()).contains("site").contains("SUCCESS");
            quickstart.program().interrupt();
            assertThat(quickstart.processes()).isEmpty();
        }
    }

    @Test
    void twoStandSideBySideAndATakenPortIsTold() throws Exception {
        try (var one = new Quickstart(Installation.freePort()).start();
                var two = new Quickstart(Installation.freePort()).start();
                var three = new Quickstart(one.port())) {
            assertThat(one.paste(one.line("deployment list")).output()).contains("site");
            assertThat(two.paste(two.line("deployment list")).output()).contains("site");

            three.program().start();

            assertThat(three.program().exitCode()).isEqualTo(1);
            assertThat(three.program().said())
                    .startsWith("port %d: taken by another program".formatted(one.port()))
                    .contains("choose another: make run ARGS=\"--port ");
            assertThat(three.processes()).isEmpty();
            assertThat(one.paste(one.line("deployment list")).code()).isZero();
        }
    }

    private static String page(Quickstart quickstart) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(quickstart.page())).build();
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }
}
