// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_CANCELLED;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_PENDING;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_SUCCESS;
import static dev.pipecd.wire.model.StageStatus.STAGE_CANCELLED;
import static dev.pipecd.wire.model.StageStatus.STAGE_FAILURE;
import static dev.pipecd.wire.model.StageStatus.STAGE_NOT_STARTED_YET;
import static dev.pipecd.wire.model.StageStatus.STAGE_RUNNING;
import static dev.pipecd.wire.model.StageStatus.STAGE_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.e2e.Person.Rollback;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// From a commit to a finished deployment, and the ways it can be stopped.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
final class WalkTest {
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
    void aCommitIsDeployedStageByStageOnceItIsApproved() throws IOException {
        var published = at.dir().resolve("published");
        var sample =
                Sample.pipeline()
                        .script("test -s page.html\necho 'page is there'")
                        .waiting("1s")
                        .approval(1, Installation.USER)
                        .script("cp page.html '%s'".formatted(published));
        at.repository().commit("walk/page.html", "<p>one</p>", "Add the page");
        var app = at.add("walk", sample);
        var first = app.awaitStage(app.first(), 2, STAGE_RUNNING);
        at.person().approve(first, 2);
        assertThat(App.told(app.awaitEnd(first))).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");

        var commit = app.push("page.html", "<p>two</p>", "Change the page");
        var waiting = app.awaitStage(app.after(first), 2, STAGE_RUNNING);

        assertThat(Files.readString(published)).isEqualTo("<p>one</p>");
        at.person().approve(waiting, 2);
        var ended = app.awaitEnd(waiting);
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        // the commit itself, or a newer one of somebody else with the same in this folder
        assertThat(folder(commit(ended))).isEqualTo(folder(commit));
        assertThat(ended.getStagesList().stream().map(PipelineStage::getStatus))
                .containsOnly(STAGE_SUCCESS);
        assertThat(Files.readString(published)).isEqualTo("<p>two</p>");
        app.await("being in sync", a -> a.getSyncState().getStatusValue() == 1);
    }

    @Test
    void aFailureInTheThirdStageIsRolledBack() {
        var sample =
                Sample.pipeline()
                        .script(marking("failing", "change"), marking("failing", "undo"))
                        .waiting("1s")
                        .script("echo 'it does not work'\nexit 7");
        var app = at.add("failing", sample);

        var ended = app.awaitEnd(app.first());

        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_FAILURE RolledBack");
        assertThat(ended.getStatusReason()).contains("SCRIPT_RUN").contains("7");
        assertThat(ended.getStages(2).getStatus()).isEqualTo(STAGE_FAILURE);
        assertThat(app.marks()).containsExactly("change", "undo");
        assertThat(app.log(ended, 2)).contains("it does not work");
        app.await(
                "telling that it is out of sync",
                a -> a.getSyncState().getReason().equals(ended.getStatusReason()));
    }

    @Test
    void whatStandsBehindInAChainWaitsForItsTurn() {
        var behind = at.add("second", second("second"));
        var before = behind.awaitEnd(behind.first());
        var front =
                at.add(
                        "first",
                        leading(
                                "first",
                                "second",
                                Sample.pipeline().approval(1, Installation.USER)));

        var leading = front.awaitStage(front.first(), 0, STAGE_RUNNING);
        var waiting = behind.after(before);
        assertThat(waiting.getStatus()).isEqualTo(DEPLOYMENT_PENDING);
        assertThat(waiting.getStatusReason())
                .isEqualTo("waiting for block 0 of its deployment chain");
        at.person().approve(leading, 0);

        assertThat(App.told(front.awaitEnd(leading))).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        assertThat(App.told(behind.awaitEnd(waiting))).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        assertThat(behind.marks()).containsExactly("ran", "ran");
    }

    @Test
    void whatStandsBehindAFailureInAChainIsCancelled() {
        var behind = at.add("follower", second("follower"));
        var before = behind.awaitEnd(behind.first());
        var front =
                at.add(
                        "stumbler",
                        leading("stumbler", "follower", Sample.pipeline().script("exit 1")));

        assertThat(App.told(front.awaitEnd(front.first()))).isEqualTo("DEPLOYMENT_FAILURE Failed");
        var ended = behind.awaitEnd(behind.after(before));
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_CANCELLED Cancelled");
        assertThat(ended.getStatusReason())
                .isEqualTo(
                        "cancelled by its deployment chain: Block 0 of the deployment chain has ended as FAILURE");
        assertThat(behind.marks()).containsExactly("ran");
    }

    private String second(String name) {
        return Sample.pipeline().script(marking(name, "ran")).yaml(name)
                + "  trigger: {onChain: {disabled: false}}\n";
    }

    private static String leading(String name, String next, Sample sample) {
        return sample.yaml(name)
                + "  postSync: {chain: {applications: [{name: %s}]}}\n".formatted(next);
    }

    @Test
    void withoutAutoRollbackAFailureStays() {
        var sample =
                Sample.pipeline()
                        .script(marking("staying", "change"), marking("staying", "undo"))
                        .script("exit 1")
                        .withoutAutoRollback();
        var app = at.add("staying", sample);

        var ended = app.awaitEnd(app.first());

        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_FAILURE Failed");
        assertThat(app.marks()).containsExactly("change");
    }

    @ParameterizedTest(name = "cancel in SCRIPT_RUN, rollback: {0}")
    @EnumSource
    void aCancelledScriptIsGoneWithAllItStarted(Rollback rollback) throws IOException {
        var name = "cancel-script-" + rollback.name().toLowerCase(java.util.Locale.ROOT);
        var app = at.add(name, Sample.pipeline().script(lasting(name), marking(name, "undo")));
        app.awaitMark("lasting");
        var running = app.first();

        at.person().cancel(running, rollback);

        var ended = app.awaitEnd(running);
        assertThat(App.told(ended)).isEqualTo(cancelled(rollback));
        assertThat(ended.getStages(0).getStatus()).isEqualTo(STAGE_CANCELLED);
        assertThat(ended.getStatusReason()).contains("cancelled by " + Installation.USER);
        assertThat(alive(name)).isEmpty();
        assertThat(app.marks()).isEqualTo(marks("lasting", rollback));
    }

    @ParameterizedTest(name = "cancel in WAIT, rollback: {0}")
    @EnumSource
    void aWaitCanBeCancelled(Rollback rollback) {
        var name = "cancel-wait-" + rollback.name().toLowerCase(java.util.Locale.ROOT);
        var sample =
                Sample.pipeline()
                        .script(marking(name, "change"), marking(name, "undo"))
                        .waiting("10m");
        cancelsInSecondStage(at.add(name, sample), rollback);
    }

    @ParameterizedTest(name = "cancel in WAIT_APPROVAL, rollback: {0}")
    @EnumSource
    void anApprovalCanBeCancelled(Rollback rollback) {
        var name = "cancel-approval-" + rollback.name().toLowerCase(java.util.Locale.ROOT);
        var sample =
                Sample.pipeline()
                        .script(marking(name, "change"), marking(name, "undo"))
                        .approval(1, Installation.USER);
        cancelsInSecondStage(at.add(name, sample), rollback);
    }

    private void cancelsInSecondStage(App app, Rollback rollback) {
        var waiting = app.awaitStage(app.first(), 1, STAGE_RUNNING);

        at.person().cancel(waiting, rollback);

        var ended = app.awaitEnd(waiting);
        assertThat(App.told(ended)).isEqualTo(cancelled(rollback));
        assertThat(ended.getStages(1).getStatus()).isEqualTo(STAGE_CANCELLED);
        assertThat(app.marks()).isEqualTo(marks("change", rollback));
    }

    @Test
    void aRollbackCanBeCancelledAndItsScriptIsGone() throws IOException {
        var sample = Sample.pipeline().script("exit 1", lasting("cancel-rollback"));
        var app = at.add("cancel-rollback", sample);
        app.awaitMark("lasting");
        var rollingBack = app.first();

        at.person().cancel(rollingBack, Rollback.AS_PLANNED);

        var ended = app.awaitEnd(rollingBack);
        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_FAILURE RollbackFailed");
        assertThat(ended.getStatusReason())
                .contains("the rollback was stopped by " + Installation.USER);
        assertThat(alive("cancel-rollback")).isEmpty();
    }

    @Test
    void aDeploymentThatWaitsForItsTurnCanBeCancelled() {
        var sample = Sample.pipeline().approval(1, Installation.USER);
        var app = at.add("queue", sample);
        var first = app.awaitStage(app.first(), 0, STAGE_RUNNING);
        app.push("file", "changed", "Change it");
        var second = app.after(first);
        assertThat(second.getStatus()).isEqualTo(DEPLOYMENT_PENDING);

        at.person().cancel(second, Rollback.AS_PLANNED);

        assertThat(App.told(app.awaitEnd(second))).isEqualTo("DEPLOYMENT_CANCELLED Cancelled");
        at.person().approve(first, 0);
        assertThat(App.told(app.awaitEnd(first))).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
    }

    @Test
    void deploymentsOfOneApplicationTakeTurns() {
        var sample =
                Sample.pipeline()
                        .approval(1, Installation.USER)
                        .script("echo $SR_TRIGGERED_COMMIT_HASH >>'%s'".formatted(marks("turns")));
        var app = at.add("turns", sample);
        var first = app.awaitStage(app.first(), 0, STAGE_RUNNING);
        app.push("file", "changed", "Change it");
        var second = app.after(first);

        at.person().approve(first, 0);
        app.awaitEnd(first);
        at.person().approve(app.awaitStage(second, 0, STAGE_RUNNING), 0);

        assertThat(app.awaitEnd(second).getStatus()).isEqualTo(DEPLOYMENT_SUCCESS);
        assertThat(app.marks()).containsExactly(commit(first), commit(second));
    }

    @Test
    void whoIsNotAnApproverIsToldWhoIs() {
        var app = at.add("approver", Sample.pipeline().approval(1, "bob"));
        var waiting = app.awaitStage(app.first(), 0, STAGE_RUNNING);

        assertThatThrownBy(() -> at.person().approve(waiting, 0))
                .hasMessage(
                        "PERMISSION_DENIED: approver: ann (expected: one of [bob]). Ask one of them to approve.");
        at.person().cancel(waiting, Rollback.NO);
        assertThat(App.told(app.awaitEnd(waiting))).isEqualTo("DEPLOYMENT_CANCELLED Cancelled");
    }

    @Test
    void aSyncByCommandDeploysTheHeadAgain() {
        var app = at.add("synced", Sample.pipeline().script(marking("synced", "ran")));
        var first = app.awaitEnd(app.first());

        var command = at.person().sync(app.id());

        var second = app.after(first);
        assertThat(app.awaitEnd(second).getStatus()).isEqualTo(DEPLOYMENT_SUCCESS);
        assertThat(second.getTrigger().getCommander()).isEqualTo(Installation.USER);
        assertThat(app.marks()).containsExactly("ran", "ran");
        var handled =
                at.await(
                        "the command being handled",
                        () ->
                                Optional.of(at.person().command(command))
                                        .filter(c -> c.getHandledAt() > 0));
        assertThat(handled.getStatus()).isEqualTo(CommandStatus.COMMAND_SUCCEEDED);
        assertThat(handled.getMetadataMap()).containsEntry("TriggeredDeploymentID", second.getId());
    }

    @Test
    void aLogIsCompleteAndInOrder() {
        var said = "i=1; while [ $i -le 5000 ]; do echo \"all line $i\"; i=$((i+1)); done";
        var app = at.add("log", Sample.pipeline().script(said));

        var ended = app.awaitEnd(app.first());

        assertThat(app.log(ended, 0, "all")).isEqualTo(App.lines("all", 5000));
    }

    @Test
    void aStageThatIsNotReachedIsNotStarted() {
        var app = at.add("unreached", Sample.pipeline().script("exit 3").script("echo never"));

        var ended = app.awaitEnd(app.first());

        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_FAILURE Failed");
        assertThat(ended.getStages(1).getStatus()).isEqualTo(STAGE_NOT_STARTED_YET);
    }

    /// Lasts longer than any test, with a child of its own; who runs is told in a file.
    private String lasting(String name) {
        return """
        sleep 120 &
        echo "$$ $!" >'%s'
        echo lasting >>'%s'
        wait
        """
                .formatted(at.dir().resolve("pids-" + name), marks(name));
    }

    private List<String> alive(String name) throws IOException {
        var pids = Files.readString(at.dir().resolve("pids-" + name)).strip().split(" ");
        return List.of(pids).stream()
                .filter(pid -> !List.of("", "Z").contains(state(pid)))
                .toList();
    }

    /// A dead process that nobody has buried yet is a Z.
    private static String state(String pid) {
        try {
            var stat = Files.readString(Path.of("/proc", pid, "stat"));
            return stat.substring(stat.lastIndexOf(')') + 2).substring(0, 1);
        } catch (IOException gone) {
            return "";
        }
    }

    private String marking(String name, String script) {
        return App.marking(at, name, script);
    }

    private Path marks(String name) {
        return App.marks(at, name);
    }

    private static List<String> marks(String begun, Rollback rollback) {
        return rollback == Rollback.NO ? List.of(begun) : List.of(begun, "undo");
    }

    private static String cancelled(Rollback rollback) {
        return App.ended(
                DEPLOYMENT_CANCELLED, rollback == Rollback.NO ? "Cancelled" : "RolledBack");
    }

    private String folder(String commit) {
        return at.repository().git("rev-parse", commit + ":walk");
    }

    private static String commit(Deployment deployment) {
        return deployment.getTrigger().getCommit().getHash();
    }
}
