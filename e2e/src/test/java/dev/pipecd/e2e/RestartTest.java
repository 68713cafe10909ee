// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static dev.pipecd.wire.model.StageStatus.STAGE_CANCELLED;
import static dev.pipecd.wire.model.StageStatus.STAGE_FAILURE;
import static dev.pipecd.wire.model.StageStatus.STAGE_RUNNING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.e2e.Person.Rollback;
import dev.pipecd.wire.model.CommandStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/// What becomes of a running deployment when a part is away for longer, moves or loses its memory.
/// Those that want the agent waited for briefly come first, so that it is told so once.
@Order(2) // it takes long
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RestartTest {
    private static final int LINES = 30;

    private Installation at;

    @BeforeAll
    void open() {
        at = Installation.open();
    }

    @AfterAll
    void close() throws Exception {
        at.close();
    }

    @Test
    @Order(2)
    void theAgentWorksOnWhileTheControlPlaneIsDown() {
        at.takeOverAfter("10m");
        var app =
                at.add(
                        "works-on",
                        Sample.pipeline()
                                .script(counting("works-on", "first"))
                                .script(counting("works-on", "second") + end("works-on")));
        app.awaitMark("first");
        var running = app.first();

        at.server().kill();
        app.awaitMark("end");
        at.startServer();

        var ended = app.awaitEnd(running);
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        assertThat(app.marks()).containsExactly("first", "second", "end");
        assertThat(app.log(ended, 0, "first")).isEqualTo(App.lines("first", LINES));
        assertThat(app.log(ended, 1, "second")).isEqualTo(App.lines("second", LINES));
    }

    @Test
    void aScriptIsAdoptedByTheAgentThatIsStartedAfterAnOrderlyStop() {
        var app = at.add("adopted", Sample.pipeline().script(counting("adopted", "script")));
        app.awaitMark("script");
        var running = app.first();

        at.agent().terminate();
        at.agent().start();

        var ended = app.awaitEnd(running);
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        assertThat(app.marks()).containsExactly("script");
        assertThat(app.log(ended, 0, "script")).isEqualTo(App.lines("script", LINES));
    }

    @Test
    void aScriptThatEndedWhileNobodyWasThereCounts() {
        var script = counting("unwatched", "script") + end("unwatched");
        var app = at.add("unwatched", Sample.pipeline().script(script));
        app.awaitMark("script");
        var running = app.first();

        at.agent().kill();
        app.awaitMark("end");
        at.agent().start();

        var ended = app.awaitEnd(running);
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        assertThat(app.marks()).containsExactly("script", "end");
        assertThat(app.log(ended, 0, "script")).isEqualTo(App.lines("script", LINES));
    }

    @Test
    void withTheJournalLostARunningScriptFailsForThatReasonAndIsRolledBack() throws IOException {
        failsWithUnknownOutcome("journal-lost", at.dir().resolve("piped/journal"));
    }

    @Test
    @Order(1)
    void anAgentThatMovedFailsWhatItCannotKnowAndRollsBack() throws IOException {
        at.takeOverAfter("5s");
        failsWithUnknownOutcome("moved", at.dir().resolve("piped"));
    }

    private void failsWithUnknownOutcome(String name, Path lost) throws IOException {
        var undo = App.marking(at, name, "undo");
        var app = at.add(name, Sample.pipeline().script(counting(name, "script"), undo));
        app.awaitMark("script");
        var running = app.await(app.first(), "a running stage", d -> d.getStagesCount() > 0);
        app.awaitStage(running, 0, STAGE_RUNNING);

        at.agent().kill();
        delete(lost);
        at.agent().start();

        var ended = app.awaitEnd(running);
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_FAILURE RolledBack");
        assertThat(ended.getStages(0).getStatus()).isEqualTo(STAGE_FAILURE);
        assertThat(ended.getStages(0).getStatusReason())
                .isEqualTo(
                        "its outcome cannot be known: the agent's journal was lost while it ran. Look at the target, then sync again.");
        assertThat(app.marks()).containsExactly("script", "undo");
        app.await("its end being told", a -> !a.getDeploying());
    }

    @Test
    void aCancelOrderedBeforeTheAgentFoundItsLostDeploymentTakesEffect() throws IOException {
        var name = "cancel-lost";
        var app =
                at.add(
                        name,
                        Sample.pipeline()
                                .script(
                                        App.marking(at, name, "first"),
                                        App.marking(at, name, "undo"))
                                .approval(1, Installation.USER)
                                .script(App.marking(at, name, "second")));
        var asking = app.awaitStage(app.first(), 1, STAGE_RUNNING);

        at.agent().kill();
        delete(at.dir().resolve("piped/journal"));
        at.person().cancel(asking, Rollback.AS_PLANNED);
        at.agent().start();

        var ended = app.awaitEnd(asking);
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_CANCELLED RolledBack");
        assertThat(ended.getStatusReason()).isEqualTo("rolled back: cancelled by ann");
        assertThat(app.marks()).containsExactly("first", "undo");
    }

    @Test
    @Order(1)
    void aSyncOrderedWhileTheDiskWasLostIsCarriedOut() throws IOException {
        at.takeOverAfter("5s");
        var app = at.add("sync-lost", Sample.pipeline().script("echo fine"));
        var before = app.awaitEnd(app.first());

        at.agent().kill();
        delete(at.dir().resolve("piped"));
        var order = at.person().sync(app.id());
        at.agent().start();

        var ended = app.awaitEnd(app.after(before));
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        at.await(
                "the order's answer",
                () ->
                        Optional.of(at.person().command(order))
                                .filter(c -> c.getStatus() == CommandStatus.COMMAND_SUCCEEDED));
    }

    @Test
    void theRollbackWaitsForAPluginHostThatIsAwayLongerThanAStopMayTake() throws Exception {
        var name = "host-away";
        var beats = at.dir().resolve("beats-" + name);
        var script =
                "echo script >>'%s'\nwhile true; do echo beat >>'%s'; sleep 0.1; done"
                        .formatted(App.marks(at, name), beats);
        var undo =
                """
                before=$(wc -l <'%s')
                sleep 1
                [ "$before" = "$(wc -l <'%s')" ] || echo beside >>'%s'
                echo undo >>'%s'
                """
                        .formatted(beats, beats, App.marks(at, name), App.marks(at, name));
        var app = at.add(name, Sample.pipeline().script(script, undo));
        app.awaitMark("script");
        var running = app.first();

        try (var _ = HostAway.begin(at)) {
            at.person().cancel(running, Rollback.AS_PLANNED);
            var stopped = app.awaitStage(running, 0, STAGE_CANCELLED);
            assertThat(stopped.getStages(0).getStatusReason())
                    .isEqualTo("cancelled by ann (it did not confirm that it stopped)");
            app.awaitStage(running, 1, STAGE_RUNNING);
            var sofar = Files.size(beats);
            at.await(
                    "the script going on",
                    () -> Optional.of(Files.size(beats)).filter(size -> size > sofar));
            assertThat(app.marks()).containsExactly("script");
        }

        var ended = app.awaitEnd(running);
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_CANCELLED RolledBack");
        assertThat(app.marks()).containsExactly("script", "undo");
    }

    @Test
    @Order(1)
    void afterTheDiskWasLostNothingIsDeployedASecondTime() throws IOException {
        at.takeOverAfter("5s");
        var app = at.add("once", Sample.pipeline().script(App.marking(at, "once", "ran")));
        app.awaitEnd(app.first());

        at.agent().kill();
        delete(at.dir().resolve("piped"));
        at.startAgent();
        var other = at.add("later", Sample.pipeline().script(App.marking(at, "later", "ran")));

        // Both are looked at in one go: when the later one was deployed, the other had its chance.
        other.awaitEnd(other.first());
        assertThat(app.marks()).containsExactly("ran");
        assertThat(at.person().deployments(app.id())).hasSize(1);
    }

    @Test
    void aSecondAgentOnTheSameDataWaitsAndTakesOver() {
        takesOver("same", "piped", "is in use by another agent. This one waits");
    }

    @Test
    void aSecondAgentWithTheSameIdElsewhereWaitsAndTakesOver() {
        takesOver("elsewhere", "piped-elsewhere", "another agent acts under this id: on ");
    }

    private void takesOver(String name, String data, String said) {
        var second =
                new Program(at.agentCommand(data), at.dir(), at.dir().resolve(name + "-agent.log"));
        second.start();
        try {
            at.await(
                    "the second to say so",
                    () -> Optional.of(second.said()).filter(text -> text.contains(said)));
            var first = at.add(name + "-first", Sample.pipeline().script("echo fine"));
            first.awaitEnd(first.first());
            at.agent().terminate();
            var then = at.add(name + "-then", Sample.pipeline().script("echo fine"));

            assertThat(App.told(then.awaitEnd(then.first())))
                    .isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
            assertThat(at.person().deployments(first.id())).hasSize(1);
        } finally {
            second.terminate();
            at.startAgent();
        }
    }

    /// One that is fetched and started by the public protocol, as a process of its own.
    @Test
    void aPluginOfSomebodyElseIsStartedAgainWhenItIsKilledAndItsStageGoesOn() throws IOException {
        var program = at.dir().resolve("other-plugin");
        Files.writeString(
                program,
                "#!/bin/sh\nexec '%s' \"$@\"\n"
                        .formatted(Dist.home().resolve("libexec/plugin-host")));
        var usual = Files.readString(at.dir().resolve("piped.yaml"));
        at.agent().terminate();
        at.write("piped.yaml", usual.replace("builtin:scriptrun", "file://" + program));
        at.startAgent();
        try {
            var script = counting("somebody", "script");
            var app = at.add("somebody", Sample.pipeline().waiting("1s").script(script));
            app.awaitMark("script");
            var running = app.first();

            at.killPlugin("scriptrun");

            var ended = app.awaitEnd(running);
            assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
            assertThat(app.marks()).containsExactly("script");
            assertThat(app.log(ended, 1, "script")).isEqualTo(App.lines("script", LINES));
        } finally {
            at.agent().terminate();
            at.write("piped.yaml", usual);
            at.startAgent();
        }
    }

    @Test
    void aSecondControlPlaneOnTheSameDatabaseIsRefused() {
        var command =
                at.serverCommand().stream()
                        .map(a -> a.startsWith("--gateway-port=") ? "--gateway-port=0" : a)
                        .toList();

        var second = Shell.call(at.dir(), command);

        assertThat(second.code()).isEqualTo(1);
        assertThat(second.output()).contains("pipecd.db").containsAnyOf("in use", "another");
        assertThat(at.person().application(at.add("served", Sample.pipeline().script("true")).id()))
                .isNotNull();
    }

    private String counting(String name, String script) {
        return App.counting(at, name, script, LINES);
    }

    private String end(String name) {
        return "\necho end >>'%s'".formatted(App.marks(at, name));
    }

    private static void delete(Path lost) throws IOException {
        try (var files = Files.walk(lost)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList())
                Files.deleteIfExists(file);
        }
    }
}
