// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.web.ListApplicationsRequest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/// The first minutes of a new user, told by what is promised to them: of one quickstart, from its
/// first start to its violent end.
@Order(2) // it takes long
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class QuickstartTest {
    private Quickstart quickstart;

    @BeforeAll
    void open() throws Exception {
        quickstart = new Quickstart(Installation.freePort()).start();
    }

    @AfterAll
    void close() throws Exception {
        quickstart.close();
    }

    @Test
    @Order(1)
    void everythingPromisedIsThereAndASecondStartGoesOnWithIt() throws Exception {
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
        assertThat(page()).contains("version");
        assertThat(quickstart.line("User, password")).contains("hello-pipecd / hello-pipecd");

        var listed = quickstart.paste(quickstart.line("deployment list"));
        assertThat(listed.output()).contains("site").contains("SUCCESS");
        assertThat(listed.code()).isZero();
        var json = quickstart.paste(quickstart.line("deployment list") + " -o json");
        assertThat(json.output()).contains("{\"deployments\":[{", "\"application_name\":\"site\"");
        rollsBack();
        changesThePage();

        assertThat(quickstart.program().interrupt()).isZero();
        assertThat(quickstart.program().said()).contains("Stopped. Everything is kept in");
        assertThat(quickstart.processes()).isEmpty();

        quickstart.start();
        var again = quickstart.paste(quickstart.line("deployment list"));
        assertThat(again.output()).contains(head());
        assertThat(page()).contains("version");
    }

    private String head() {
        return Shell.run(quickstart.data().resolve("repo"), "git", "rev-parse", "--short=7", "HEAD")
                .strip();
    }

    private void rollsBack() throws Exception {
        quickstart.paste(quickstart.line("application sync"));
        try (var person = person()) {
            var broken = application(person, "broken");
            Awaitility.await("the broken sample being rolled back")
                    .atMost(Duration.ofMinutes(3))
                    .until(() ->
                            person.deployments(broken).stream().filter(App::over).count() == 2);
        }
        assertThat(quickstart.paste(quickstart.line("deployment list")).output().lines())
                .filteredOn(l -> l.contains("broken") && l.contains("FAILURE"))
                .hasSize(2);
    }

    private void changesThePage() throws Exception {
        var changed = quickstart.paste(quickstart.line("git commit"));
        assertThat(changed.code()).as(changed.output()).isZero();
        try (var person = person()) {
            var site = application(person, "site");
            Awaitility.await("the commit being deployed")
                    .atMost(Duration.ofMinutes(3))
                    .until(() ->
                            person.deployments(site).stream()
                                    .anyMatch(d ->
                                            d.getTrigger()
                                                            .getCommit()
                                                            .getMessage()
                                                            .contains("Change the page")
                                                    && d.getStagesCount() > 0));
        }
    }

    private Person person() {
        return Person.login(quickstart.port(), "quickstart", "hello-pipecd", "hello-pipecd");
    }

    private static String application(Person person, String name) {
        return person
                .web()
                .listApplications(ListApplicationsRequest.getDefaultInstance())
                .getApplicationsList()
                .stream()
                .filter(a -> a.getName().equals(name))
                .findFirst()
                .orElseThrow()
                .getId();
    }

    @Test
    @Order(2)
    void twoStandSideBySideAndATakenPortIsTold() throws Exception {
        try (var other = new Quickstart(Installation.freePort()).start();
                var third = new Quickstart(quickstart.port())) {
            assertThat(quickstart.paste(quickstart.line("deployment list")).output())
                    .contains("site");
            assertThat(other.paste(other.line("deployment list")).output()).contains("site");

            third.program().start();

            assertThat(third.program().exitCode()).isEqualTo(1);
            assertThat(third.program().said())
                    .startsWith("port %d: taken by another program".formatted(quickstart.port()))
                    .contains("choose another: make run ARGS=\"--port ");
            assertThat(third.processes()).isEmpty();
            assertThat(quickstart.paste(quickstart.line("deployment list")).code()).isZero();
        }
    }

    @Test
    @Order(3)
    void aKilledQuickstartIsHealedByTheNext() throws Exception {
        quickstart.program().kill();

        quickstart.start();

        var listed = quickstart.paste(quickstart.line("deployment list"));
        assertThat(listed.output()).contains("site").contains("SUCCESS");
        quickstart.program().interrupt();
        assertThat(quickstart.processes()).isEmpty();
    }

    private String page() throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(quickstart.page())).build();
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }
}
