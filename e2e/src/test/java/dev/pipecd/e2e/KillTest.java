// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static dev.pipecd.wire.model.StageStatus.STAGE_RUNNING;
import static dev.pipecd.wire.model.StageStatus.STAGE_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.e2e.Person.Rollback;
import dev.pipecd.wire.model.Deployment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// `kill -9` at every moment of the walk, chosen by what has been seen: each deployment ends as if
/// nothing had happened, each script ran once, and no line that was shown is gone. It takes
/// longest, so it begins first.
@Order(1)
final class KillTest {
    private static final int LINES = 15;
    private static final int FIRST = 0;
    private static final int WAIT = 1;
    private static final int APPROVAL = 2;
    private static final int SECOND = 3;
    private static final int UNDO = 4;

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    final class Server {
        private Installation at;

        @BeforeAll
        void open() {
            at = Installation.open();
        }

        @AfterAll
        void close() throws Exception {
            at.close();
        }

        @Execution(ExecutionMode.SAME_THREAD)
        @ParameterizedTest(name = "kill -9 of the server when {0}")
        @EnumSource(
                mode = EnumSource.Mode.EXCLUDE,
                names = {"APPROVED_WHILE_AWAY", "CANCELLED_WHILE_AWAY"})
        void isKilled(Moment moment) {
            new Walk(at, "server", moment)
                    .survives(() -> {
                        at.server().kill();
                        at.startServer();
                    });
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    final class Agent {
        private Installation at;

        @BeforeAll
        void open() {
            at = Installation.open();
        }

        @AfterAll
        void close() throws Exception {
            at.close();
        }

        @Execution(ExecutionMode.SAME_THREAD)
        @ParameterizedTest(name = "kill -9 of the agent when {0}")
        @EnumSource
        void isKilled(Moment moment) {
            var walk = new Walk(at, "agent", moment);
            walk.survives(() -> {
                at.agent().kill();
                walk.orderWhileAway();
                at.agent().start();
            });
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    final class PluginHost {
        private Installation at;
        private int kills;

        @BeforeAll
        void open() {
            at = Installation.open();
        }

        @AfterAll
        void close() throws Exception {
            at.close();
        }

        @Execution(ExecutionMode.SAME_THREAD)
        @ParameterizedTest(name = "kill -9 of the plugin host when {0}")
        @EnumSource(
                mode = EnumSource.Mode.EXCLUDE,
                names = {"APPROVED_WHILE_AWAY", "CANCELLED_WHILE_AWAY"})
        void isKilled(Moment moment) {
            new Walk(at, "host", moment).survives(at::killHost);
            if (++kills % 3 == 0) forgetTheKills();
        }

        /// A host that ends five times within a minute is rightly called hopeless.
        private void forgetTheKills() {
            at.agent().terminate();
            at.startAgent();
        }
    }

    /// What has been seen when the victim is killed.
    enum Moment {
        CREATED("the deployment is created"),
        PLANNED("its stages are planned"),
        FIRST_STARTED("the first script has left its mark"),
        FIRST_SPEAKING("the control plane shows the fifth line of the first script"),
        FIRST_SAID_ALL("the first script has left its last mark"),
        FIRST_ENDED("the first stage has succeeded"),
        WAITING("the WAIT stage is running"),
        ASKING("the approval is waited for"),
        APPROVED("the approval has been given"),
        APPROVED_WHILE_AWAY("the approval is waited for and given while nobody is there"),
        SECOND_STARTED("the second script has left its mark"),
        SECOND_SPEAKING("the control plane shows the fifth line of the second script"),
        UNDO_STARTED("the rollback's script has left its mark"),
        UNDO_SPEAKING("the control plane shows the fifth line of the rollback's script"),
        CANCELLED("a cancel has been ordered"),
        CANCELLED_WHILE_AWAY("the second script is running and cancelled while nobody is there"),
        COMPLETED("the deployment has just ended");

        private final String seen;

        Moment(String seen) {
            this.seen = seen;
        }

        @Override
        public String toString() {
            return seen;
        }

        Course course() {
            return switch (this) {
                case UNDO_STARTED, UNDO_SPEAKING -> Course.FAILS;
                case CANCELLED, CANCELLED_WHILE_AWAY -> Course.IS_CANCELLED;
                case CREATED,
                        PLANNED,
                        FIRST_STARTED,
                        FIRST_SPEAKING,
                        FIRST_SAID_ALL,
                        FIRST_ENDED,
                        WAITING,
                        ASKING,
                        APPROVED,
                        APPROVED_WHILE_AWAY,
                        SECOND_STARTED,
                        SECOND_SPEAKING,
                        COMPLETED ->
                        Course.SUCCEEDS;
            };
        }
    }

    /// How the deployment goes, killed or not.
    enum Course {
        SUCCEEDS,
        FAILS,
        IS_CANCELLED
    }

    /// One deployment of its own application that sees one kill.
    private static final class Walk {
        private final Installation at;
        private final Moment moment;
        private final App app;
        private boolean approved;

        Walk(Installation at, String victim, Moment moment) {
            this.at = at;
            this.moment = moment;
            var name = victim + "-" + moment.name().toLowerCase(Locale.ROOT).replace('_', '-');
            var lasting = moment.course() == Course.IS_CANCELLED ? 3000 : LINES;
            var end = moment.course() == Course.FAILS ? "\nexit 1" : "";
            var undo = script(name, "undo", LINES);
            this.app =
                    at.add(
                            name,
                            Sample.pipeline()
                                    .script(script(name, "first", LINES), undo)
                                    .waiting("1s")
                                    .approval(1, Installation.USER)
                                    .script(script(name, "second", lasting) + end));
        }

        private String script(String name, String script, int lines) {
            return App.counting(at, name, script, lines)
                    + "\necho '%s end' >>'%s'".formatted(script, App.marks(at, name));
        }

        void survives(Runnable killAndStart) {
            var seen = reach(app.first());
            var shown = logs(seen);

            killAndStart.run();

            if (!approved) approve(seen);
            var ended = app.awaitEnd(seen);
            assertThat(App.told(ended)).as(ended.getStatusReason()).isEqualTo(expectedEnd());
            assertThat(app.marks()).isEqualTo(expectedMarks());
            assertThat(at.person().deployments(app.id())).hasSize(1);
            startedOnce(seen, ended);
            nothingShownIsGone(shown, settledLogs(ended));
        }

        private Deployment reach(Deployment created) {
            return switch (moment) {
                case CREATED -> created;
                case PLANNED -> app.await(created, "a plan", d -> d.getStagesCount() > 0);
                case FIRST_STARTED -> marked(created, "first");
                case FIRST_SPEAKING -> speaking(created, FIRST, "first");
                case FIRST_SAID_ALL -> marked(created, "first end");
                case FIRST_ENDED -> app.awaitStage(created, FIRST, STAGE_SUCCESS);
                case WAITING -> app.awaitStage(created, WAIT, STAGE_RUNNING);
                case ASKING, APPROVED_WHILE_AWAY ->
                        app.awaitStage(created, APPROVAL, STAGE_RUNNING);
                case APPROVED -> approve(created);
                case SECOND_STARTED, CANCELLED_WHILE_AWAY -> marked(approve(created), "second");
                case SECOND_SPEAKING -> speaking(approve(created), SECOND, "second");
                case UNDO_STARTED -> marked(approve(created), "undo");
                case UNDO_SPEAKING -> speaking(approve(created), UNDO, "undo");
                case CANCELLED -> cancel(marked(approve(created), "second"));
                case COMPLETED -> app.awaitEnd(approve(created));
            };
        }

        void orderWhileAway() {
            if (moment == Moment.APPROVED_WHILE_AWAY) approve(app.first());
            if (moment == Moment.CANCELLED_WHILE_AWAY) cancel(app.first());
        }

        private Deployment marked(Deployment deployment, String mark) {
            app.awaitMark(mark);
            return at.person().deployment(deployment.getId());
        }

        private Deployment speaking(Deployment deployment, int stage, String script) {
            var planned = app.await(deployment, "a plan", d -> d.getStagesCount() > stage);
            at.await(
                    "the fifth line of " + script,
                    () ->
                            app.log(planned, stage).contains(script + " line 5")
                                    ? Optional.of(true)
                                    : Optional.empty());
            return at.person().deployment(deployment.getId());
        }

        private Deployment approve(Deployment deployment) {
            var asking = app.awaitStage(deployment, APPROVAL, STAGE_RUNNING);
            at.person().approve(asking, APPROVAL);
            approved = true;
            return asking;
        }

        private Deployment cancel(Deployment deployment) {
            at.person().cancel(deployment, Rollback.AS_PLANNED);
            return deployment;
        }

        private String expectedEnd() {
            return switch (moment.course()) {
                case SUCCEEDS -> "DEPLOYMENT_SUCCESS Succeeded";
                case FAILS -> "DEPLOYMENT_FAILURE RolledBack";
                case IS_CANCELLED -> "DEPLOYMENT_CANCELLED RolledBack";
            };
        }

        private List<String> expectedMarks() {
            return switch (moment.course()) {
                case SUCCEEDS -> List.of("first", "first end", "second", "second end");
                case FAILS ->
                        List.of("first", "first end", "second", "second end", "undo", "undo end");
                case IS_CANCELLED -> List.of("first", "first end", "second", "undo", "undo end");
            };
        }

        /// A WAIT that is taken up again waits only the remainder: its start is the recorded one.
        private void startedOnce(Deployment seen, Deployment ended) {
            for (var stage = 0; stage < seen.getStagesCount(); stage++) {
                var before = seen.getStages(stage).getMetadataOrDefault("pipecd/started-at", "");
                if (!before.isEmpty())
                    assertThat(ended.getStages(stage).getMetadataMap())
                            .containsEntry("pipecd/started-at", before);
            }
        }

        private List<List<String>> logs(Deployment deployment) {
            var logs = new ArrayList<List<String>>();
            for (var stage = 0; stage < deployment.getStagesCount(); stage++)
                logs.add(app.log(deployment, stage));
            return logs;
        }

        /// The last lines may still be under way when the end is told.
        private List<List<String>> settledLogs(Deployment ended) {
            var last = moment.course() == Course.SUCCEEDS ? SECOND : UNDO;
            var script = moment.course() == Course.SUCCEEDS ? "second" : "undo";
            at.await(
                    "the last line of " + app.name(),
                    () ->
                            app.log(ended, last).contains(script + " line " + LINES)
                                    ? Optional.of(true)
                                    : Optional.empty());
            return logs(ended);
        }

        private void nothingShownIsGone(List<List<String>> shown, List<List<String>> ended) {
            for (var stage = 0; stage < ended.size(); stage++) {
                assertThat(ended.get(stage)).as("log of stage %d", stage).doesNotHaveDuplicates();
                if (stage < shown.size() && !shown.get(stage).isEmpty())
                    assertThat(ended.get(stage)).containsSubsequence(shown.get(stage));
            }
            assertThat(said(ended, FIRST, "first")).isEqualTo(App.lines("first", LINES));
            var second = said(ended, SECOND, "second");
            var whole = moment.course() != Course.IS_CANCELLED;
            assertThat(second).isEqualTo(App.lines("second", whole ? LINES : second.size()));
            if (moment.course() != Course.SUCCEEDS)
                assertThat(said(ended, UNDO, "undo")).isEqualTo(App.lines("undo", LINES));
        }

        private static List<String> said(List<List<String>> logs, int stage, String script) {
            return logs.get(stage).stream().filter(l -> l.startsWith(script + " line ")).toList();
        }
    }
}
