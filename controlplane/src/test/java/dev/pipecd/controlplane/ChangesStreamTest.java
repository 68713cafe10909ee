// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.EventReader.Event;
import dev.pipecd.controlplane.change.Change;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ChangesStreamTest {
    /// How often the lines of one stage are told at most.
    private static final Duration LOG_PACE = Duration.ofMillis(50);

    private RunningServer server;

    @BeforeEach
    void start() {
        server = RunningServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void withoutASessionThereIsNothingToSee() throws Exception {
        var answer = server.get("gateway", "/changes", "cookie", "token=x");

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.body()).isEqualTo("{\"error\":\"Log in to follow changes.\"}");
    }

    @Test
    void aChangeArrivesAsItHappens() throws Exception {
        changed("quickstart", Change.Kind.APPLICATION, "before");
        try (var browser = open("/changes")) {
            assertThat(browser.next()).isEqualTo(new Event("hello", "1", "{\"cursor\":1}"));

            changed("quickstart", Change.Kind.DEPLOYMENT, "d1");

            assertThat(browser.next())
                    .isEqualTo(
                            new Event(
                                    "change",
                                    "2",
                                    "{\"kind\":\"deployment\",\"id\":\"d1\",\"stage\":\"\"}"));
        }
    }

    @Test
    void whatWasMissedComesFirst() throws Exception {
        for (var i = 1; i <= 3; i++) changed("quickstart", Change.Kind.DEPLOYMENT, "d" + i);

        try (var browser = open("/changes?cursor=1")) {
            assertThat(browser.next()).isEqualTo(new Event("hello", "1", "{\"cursor\":1}"));
            assertThat(browser.next().data()).contains("\"d2\"");
            assertThat(browser.next().data()).contains("\"d3\"");
        }
    }

    @Test
    void theLastEventIdWinsOverTheCursorOfTheAddress() throws Exception {
        for (var i = 1; i <= 3; i++) changed("quickstart", Change.Kind.DEPLOYMENT, "d" + i);

        try (var browser = open("/changes?cursor=0", "last-event-id", "2")) {
            assertThat(browser.next().id()).isEqualTo("2");
            assertThat(browser.next().data()).contains("\"d3\"");
        }
    }

    @Test
    void moreThanAThousandMissedChangesAreAReset() throws Exception {
        for (var i = 1; i <= 1_002; i++) changed("quickstart", Change.Kind.DEPLOYMENT, "d" + i);

        try (var browser = open("/changes?cursor=1")) {
            assertThat(browser.next().name()).isEqualTo("hello");
            assertThat(browser.next()).isEqualTo(new Event("reset", "1002", "{\"cursor\":1002}"));
        }
        try (var browser = open("/changes?cursor=2")) {
            assertThat(browser.next().name()).isEqualTo("hello");
            assertThat(browser.next().data()).contains("\"d3\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"99", "-1", "x", "99999999999999999999"})
    void anUnknownCursorIsAReset(String cursor) throws Exception {
        changed("quickstart", Change.Kind.DEPLOYMENT, "d1");

        try (var browser = open("/changes?cursor=" + cursor)) {
            assertThat(browser.next().name()).isEqualTo("hello");
            assertThat(browser.next()).isEqualTo(new Event("reset", "1", "{\"cursor\":1}"));
        }
    }

    @Test
    void anotherProjectsChangesAreNotTold() throws Exception {
        try (var browser = open("/changes")) {
            assertThat(browser.next().name()).isEqualTo("hello");

            changed("elsewhere", Change.Kind.DEPLOYMENT, "theirs");
            log("elsewhere", "theirs", "s1");
            changed("quickstart", Change.Kind.DEPLOYMENT, "ours");

            assertThat(browser.next().data()).contains("\"ours\"");
        }
    }

    /// Its role was deleted, say.
    @Test
    void whoMaySeeNothingHearsNothing() throws Exception {
        var token = "token=" + server.session("Unheard of");
        try (var browser = EventReader.open(server, "/changes", "cookie", token)) {
            assertThat(browser.next().name()).isEqualTo("hello");

            changed("quickstart", Change.Kind.DEPLOYMENT, "d1");
            changed("quickstart", Change.Kind.COMMAND, "c1");
            log("quickstart", "d1", "s1");
            server.adminEnabled = false;

            assertThat(browser.next()).isEqualTo(EventReader.END);
        }
    }

    @Test
    void changesToldInTheWrongOrderAreSentInTheRightOne() throws Exception {
        try (var browser = open("/changes")) {
            assertThat(browser.next().name()).isEqualTo("hello");

            var first = server.trail.add("quickstart", Change.Kind.DEPLOYMENT, "d1", "", "ann");
            var second = server.trail.add("quickstart", Change.Kind.DEPLOYMENT, "d2", "", "ann");
            server.changes.passOn(second);
            server.changes.passOn(first);
            changed("quickstart", Change.Kind.DEPLOYMENT, "d3");

            assertThat(browser.next().data()).contains("\"d1\"");
            assertThat(browser.next().data()).contains("\"d2\"");
            assertThat(browser.next().data()).contains("\"d3\"");
        }
    }

    @Test
    void aReportOfWhatRunsIsToldThoughTheTrailDoesNotKeepIt() throws Exception {
        try (var browser = open("/changes")) {
            assertThat(browser.next().name()).isEqualTo("hello");

            pass("elsewhere", Change.Kind.LIVE_STATE, "a2", "");
            pass("quickstart", Change.Kind.LIVE_STATE_WANTED, "a1", "");
            pass("quickstart", Change.Kind.LIVE_STATE, "a1", "");

            assertThat(browser.next())
                    .isEqualTo(
                            new Event(
                                    "change",
                                    "0",
                                    "{\"kind\":\"live-state\",\"id\":\"a1\",\"stage\":\"\"}"));
        }
    }

    @Test
    void linesOfOneStageAreToldOnceAtATime() throws Exception {
        try (var browser = open("/changes")) {
            assertThat(browser.next().name()).isEqualTo("hello");

            var begun = System.nanoTime();
            for (var i = 0; i < 1_000; i++) log("quickstart", "d1", "s1");
            var logs = new ArrayList<Event>();
            logs.add(browser.next());
            changed("quickstart", Change.Kind.DEPLOYMENT, "after");
            logs.add(browser.next());
            while (!logs.getLast().data().contains("after")) logs.add(browser.next());

            assertThat(logs.getFirst())
                    .isEqualTo(
                            new Event(
                                    "change",
                                    "0",
                                    "{\"kind\":\"stage-log\",\"id\":\"d1\",\"stage\":\"s1\"}"));
            var most = Duration.ofNanos(System.nanoTime() - begun).dividedBy(LOG_PACE) + 3;
            assertThat(logs).hasSizeLessThanOrEqualTo((int) most);
        }
    }

    @Test
    void aQuietStreamIsKeptAlive() throws Exception {
        try (var browser = open("/changes")) {
            var quiet = browser.next(e -> e.name().isEmpty());

            assertThat(quiet).isEqualTo(new Event("", "", ""));
        }
    }

    @Test
    void aStreamThatIsCutAgainAndAgainLosesNothingAndRepeatsNothing() throws Exception {
        var writer =
                Thread.ofVirtual()
                        .start(() -> {
                            for (var i = 1; i <= 500; i++)
                                changed("quickstart", Change.Kind.DEPLOYMENT, "d" + i);
                        });
        var heard = new ArrayList<String>();
        var cursor = "0";
        while (!cursor.equals("500")) {
            try (var browser = open("/changes?cursor=" + cursor)) {
                assertThat(browser.next().id()).isEqualTo(cursor);
                for (var i = 0; i < 40 && !cursor.equals("500"); i++) {
                    var event = browser.next();
                    assertThat(event.name()).isEqualTo("change");
                    heard.add(event.id());
                    cursor = event.id();
                }
            }
        }
        writer.join();

        var expected = new ArrayList<String>();
        for (var i = 1; i <= 500; i++) expected.add(String.valueOf(i));
        assertThat(heard).isEqualTo(expected);
    }

    @Test
    void eightBrowsersHearTheSame() throws Exception {
        var browsers = new ArrayList<EventReader>();
        try {
            for (var i = 0; i < 8; i++) browsers.add(open("/changes"));
            for (var browser : browsers) assertThat(browser.next().name()).isEqualTo("hello");

            changed("quickstart", Change.Kind.PIPED, "p1");

            for (var browser : browsers)
                assertThat(browser.next().data())
                        .isEqualTo("{\"kind\":\"piped\",\"id\":\"p1\",\"stage\":\"\"}");
        } finally {
            browsers.forEach(EventReader::close);
        }
    }

    @Test
    void anAdministratorWhoIsSwitchedOffHearsNoMore() throws Exception {
        try (var browser = open("/changes")) {
            assertThat(browser.next().name()).isEqualTo("hello");

            server.adminEnabled = false;

            assertThat(browser.next()).isEqualTo(EventReader.END);
        }
    }

    @Test
    void aSessionThatRunsOutHearsNoMore() throws Exception {
        try (var browser = open("/changes")) {
            assertThat(browser.next().name()).isEqualTo("hello");

            server.clock.pass(Duration.ofDays(7));

            assertThat(browser.next()).isEqualTo(EventReader.END);
        }
    }

    private EventReader open(String path, String... headers) throws Exception {
        var all = new ArrayList<>(List.of(headers));
        all.addAll(List.of("cookie", "token=" + server.session()));
        return EventReader.open(server, path, all.toArray(String[]::new));
    }

    private void changed(String project, Change.Kind kind, String id) {
        server.changes.passOn(server.trail.add(project, kind, id, "", "ann"));
    }

    private void log(String project, String deployment, String stage) {
        pass(project, Change.Kind.STAGE_LOG, deployment, stage);
    }

    private void pass(String project, Change.Kind kind, String id, String stage) {
        server.changes.passOn(
                new Change(
                        server.trail.latest(),
                        new dev.pipecd.domain.ProjectId(project),
                        kind,
                        id,
                        stage,
                        "",
                        new Change.Deed("", "", Instant.EPOCH)));
    }
}
