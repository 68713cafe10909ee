// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static dev.pipecd.agent.run.Samples.cancel;
import static dev.pipecd.agent.run.Samples.deployment;
import static dev.pipecd.agent.run.Samples.lost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.report.Marks;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.ReportDeploymentCompletedRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One agent plans a deployment and is gone with its disk; the next has only what the control plane
/// was told.
final class RestorationTest {
    private static final String UNKNOWN =
            "stage CHECK: its outcome cannot be known: the agent's journal was lost while it ran. Look at the"
                    + " target, then sync again.";

    @TempDir Path firstDisk;
    @TempDir Path secondDisk;

    private final RecordingControlPlane controlPlane = new RecordingControlPlane();
    private final ScriptedStages stages = new ScriptedStages();
    private Ledger ledger;
    private Outbox outbox;
    private Runs runs;

    @BeforeEach
    void start() throws Exception {
        start(firstDisk);
    }

    private void start(Path disk) throws Exception {
        ledger = Ledger.open(disk);
        outbox = new Outbox(ledger, controlPlane, InstantSource.system());
        runs =
                new Runs(
                        outbox,
                        Samples::planning,
                        Gate.OPEN,
                        stages,
                        InstantSource.system(),
                        Notifier.NOBODY,
                        _ -> {});
    }

    @AfterEach
    void stop() throws Exception {
        runs.close();
        outbox.close();
        ledger.close();
    }

    @Test
    void whatIsNotRolledBackByItselfIsNotAfterALostJournalEither() throws Exception {
        begin("lasting");

        var end = loseTheDisk("lasting", _ -> {});

        assertThat(end.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_FAILURE);
        assertThat(end.getStatusReason()).isEqualTo(UNKNOWN);
        assertThat(stages.order).doesNotContain("run lasting-undo");
    }

    @Test
    void itHasNoMoreTimeThanItsFileGivesIt() throws Exception {
        runs.open(deployment("hurried", "app"), List.of());
        await().atMost(Duration.ofMinutes(1))
                .until(() -> controlPlane.completed("hurried").isPresent());
        controlPlane.completed.clear();

        var end =
                loseTheDisk(
                        "hurried",
                        left -> {
                            unstopped(left);
                            left.getStagesBuilder(0).setStatus(StageStatus.STAGE_SUCCESS);
                        });

        assertThat(end.getStatusReason())
                .startsWith("rolled back: the deployment took longer than ");
    }

    @Test
    void whatWasBeingCancelledEndsAsCancelled() throws Exception {
        begin("d1");
        stages.stopsRefused = Integer.MAX_VALUE;
        cancelled("d1", _ -> {});

        var end = loseTheDisk("d1", _ -> {});

        assertThat(end.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_CANCELLED);
        assertThat(end.getStatusReason()).isEqualTo("rolled back: cancelled by ann");
        assertThat(stages.order).containsExactly("run d1-check", "stopped d1-check", "run d1-undo");
    }

    @Test
    void whoCancelledWithoutARollbackGetsNone() throws Exception {
        begin("d1");
        stages.stopsRefused = Integer.MAX_VALUE;
        cancelled("d1", wish -> wish.setForceNoRollback(true));

        var end = loseTheDisk("d1", _ -> {});

        assertThat(end.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_CANCELLED);
        assertThat(end.getStatusReason()).isEqualTo("cancelled by ann");
        assertThat(stages.order).doesNotContain("run d1-undo");
    }

    @Test
    void aRollbackAfterACancelEndsAsCancelled() throws Exception {
        begin("d1");
        stages.stopsRefused = Integer.MAX_VALUE;
        cancelled("d1", _ -> {});

        var end =
                loseTheDisk(
                        "d1",
                        left -> {
                            left.setStatus(DeploymentStatus.DEPLOYMENT_ROLLING_BACK);
                            left.getStagesBuilder(0).setStatus(StageStatus.STAGE_CANCELLED);
                        });

        assertThat(end.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_CANCELLED);
        assertThat(end.getStatusReason()).isEqualTo("rolled back: cancelled by ann");
    }

    @Test
    void aRollbackThatWasStoppedDoesNotGoOn() throws Exception {
        stages.endless.add("d1-undo");
        begin("d1");
        orders().take(cancel("c1", "d1"));
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-undo"));
        stages.stopsRefused = Integer.MAX_VALUE;
        orders().take(cancel("c2", "d1"));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> isMarked("d1", "pipecd/rollback-stopped-for"));

        var end =
                loseTheDisk(
                        "d1",
                        left -> {
                            left.setStatus(DeploymentStatus.DEPLOYMENT_ROLLING_BACK);
                            left.getStagesBuilder(0).setStatus(StageStatus.STAGE_CANCELLED);
                        });

        assertThat(end.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_CANCELLED);
        assertThat(stages.runs).containsExactly("d1-check", "d1-undo");
    }

    /// Of a deployment that no agent of ours planned only the document is known.
    @Test
    void withoutMarksItIsRolledBack() throws Exception {
        var end = loseTheDisk("lasting", _ -> {});

        assertThat(end.getStatusReason()).isEqualTo("rolled back: " + UNKNOWN);
    }

    /// What is left of an agent of v0: its rollback stage has that name, and no mark.
    @Test
    void aDeploymentOfV0WhoseStageRanIsRolledBackByTheStageOfThatName() throws Exception {
        var end = loseTheDisk("d1", left -> ofV0(left, "ROLLBACK"));

        assertThat(end.getStatusReason()).isEqualTo("rolled back: " + UNKNOWN);
        assertThat(stages.order).containsExactly("stopped d1-check", "run d1-undo");
    }

    @Test
    void aRollbackOfV0ThatRanIsNotTakenForDone() throws Exception {
        var end =
                loseTheDisk(
                        "d1",
                        left -> {
                            ofV0(left, "ROLLBACK");
                            left.setStatus(DeploymentStatus.DEPLOYMENT_ROLLING_BACK)
                                    .setStatusReason("exit 1");
                            left.getStagesBuilder(0).setStatus(StageStatus.STAGE_FAILURE);
                            left.getStagesBuilder(2).setStatus(StageStatus.STAGE_RUNNING);
                        });

        assertThat(end.getStatusReason())
                .isEqualTo("rollback failed (no rollback stage completed: ROLLBACK) after: exit 1");
        assertThat(end.getStageStatusesMap()).containsEntry("d1-undo", StageStatus.STAGE_FAILURE);
    }

    @Test
    void whatV0PlannedEndsWithItsLastForwardStage() throws Exception {
        stages.finish("d1-check", new StageResult.Succeeded());
        stages.finish("d1-publish", new StageResult.Succeeded());

        var end =
                loseTheDisk(
                        "d1",
                        left -> {
                            ofV0(left, "SCRIPT_RUN_ROLLBACK");
                            left.setStatus(DeploymentStatus.DEPLOYMENT_PLANNED);
                            left.getStagesBuilder(0).setStatus(StageStatus.STAGE_NOT_STARTED_YET);
                        });

        assertThat(end.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_SUCCESS);
        assertThat(stages.runs).containsExactly("d1-check", "d1-publish");
    }

    @Test
    void whatHadBegunHasItsTurnFirstHoweverTheControlPlaneListsThem() {
        var begun = lost("d1").toBuilder().setCreatedAt(4).build();
        var second = deployment("d2", "app").toBuilder().setCreatedAt(2).build();
        var third = deployment("d3", "app").toBuilder().setCreatedAt(3).build();
        stages.finish("d2-check", new StageResult.Failed("it is broken"));

        runs.reconcile(List.of(third, second, begun), _ -> Optional.empty(), _ -> {});

        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d3-check"));
        assertThat(stages.runs).containsExactly("d1-undo", "d2-check", "d2-undo", "d3-check");
    }

    /// Of two that were opened at once the second in the journal may have been the first to run.
    @Test
    void whatHadBegunHasItsTurnFirstHoweverTheJournalTellsOfThem() throws Exception {
        begin("d2");
        var first = new DeploymentId("d1");
        var stories = new LinkedHashMap<DeploymentId, List<Entry>>();
        stories.put(first, List.of(new Entry.Sheet(first, deployment("d1", "app").toByteArray())));
        stories.putAll(ledger.stories());
        stop();
        stages.forgetThreads();
        start(firstDisk);

        runs.takeUp(stories);

        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d2-check"));
        stages.finish("d2-check", new StageResult.Failed("it is broken"));
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));
        assertThat(stages.runs).containsExactly("d2-check", "d2-check", "d2-undo", "d1-check");
    }

    @SuppressWarnings("deprecation") // v0 marks its stages so
    private static void ofV0(Deployment.Builder left, String rollback) {
        left.getStagesBuilder(2)
                .setName(rollback)
                .setRollback(false)
                .setPredefined(true)
                .setVisible(false);
    }

    private void begin(String id) {
        runs.open(deployment(id, "app"), List.of());
        await().atMost(Duration.ofMinutes(1))
                .until(() -> stages.running(id + "-check") && outbox.waiting() == 0);
    }

    private void cancelled(String id, Consumer<Command.CancelDeployment.Builder> wish) {
        orders().take(cancel("c1", id, wish));
        await().atMost(Duration.ofMinutes(1)).until(() -> isMarked(id, "pipecd/stopped-for"));
    }

    private boolean isMarked(String id, String mark) {
        return Marks.of(controlPlane.marked(lost(id).toBuilder()), mark).isPresent();
    }

    private static void unstopped(Deployment.Builder left) {
        left.getMetadataV2Builder().getSharedBuilder().removeKeyValues("pipecd/stopped-for");
    }

    /// @param left where it stood, if not in its first stage
    private ReportDeploymentCompletedRequest loseTheDisk(
            String id, Consumer<Deployment.Builder> left) throws Exception {
        stop();
        stages.forgetThreads();
        stages.allowStops();
        start(secondDisk);
        var found = controlPlane.marked(lost(id).toBuilder()).toBuilder();
        left.accept(found);
        runs.reconcile(List.of(found.build()), _ -> Optional.empty(), _ -> {});
        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed(id).isPresent());
        return controlPlane.completed(id).orElseThrow();
    }

    private Orders orders() {
        return new Orders(runs, outbox, List.of(), _ -> {}, InstantSource.system());
    }
}
