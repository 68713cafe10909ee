// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static dev.pipecd.agent.run.Samples.approve;
import static dev.pipecd.agent.run.Samples.cancel;
import static dev.pipecd.agent.run.Samples.deployment;
import static dev.pipecd.agent.run.Samples.lost;
import static dev.pipecd.wire.model.StageStatus.STAGE_NOT_STARTED_YET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What becomes of orders, in particular after the journal was lost.
final class OrdersTest {
    @TempDir Path directory;

    private final RecordingControlPlane controlPlane = new RecordingControlPlane();
    private final ScriptedStages stages = new ScriptedStages();
    private final List<String> synced = new CopyOnWriteArrayList<>();
    private volatile Duration ahead = Duration.ZERO;
    private final InstantSource clock = () -> InstantSource.system().instant().plus(ahead);
    private Ledger ledger;
    private Outbox outbox;
    private Runs runs;
    private Orders orders;

    @BeforeEach
    void start() throws Exception {
        ledger = Ledger.open(directory);
        outbox = new Outbox(ledger, controlPlane, clock);
        runs =
                new Runs(
                        outbox,
                        Samples::planning,
                        Gate.OPEN,
                        stages,
                        clock,
                        Notifier.NOBODY,
                        _ -> {});
        orders = new Orders(runs, outbox, List.of(), c -> synced.add(c.getId()), clock);
    }

    @AfterEach
    void stop() throws Exception {
        runs.close();
        outbox.close();
        ledger.close();
    }

    @Test
    void aCancelThatCameBeforeItsDeploymentWasFoundTakesEffectFirst() {
        orders.take(cancel("c1", "d1"));
        assertThat(ledger.undelivered()).isEmpty();

        reconcile(lost("d1"));

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow())
                .satisfies(ended -> {
                    assertThat(ended.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_CANCELLED);
                    assertThat(ended.getStatusReason()).isEqualTo("rolled back: cancelled by ann");
                });
        assertThat(answers()).containsExactly("c1 COMMAND_SUCCEEDED {}");
    }

    /// The plan of the deployment rolls back; whoever cancels may wish otherwise.
    @Test
    void whoCancelsMayForbidTheRollback() {
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));

        orders.take(cancel("c1", "d1", wish -> wish.setForceNoRollback(true)));

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo("cancelled by ann");
        assertThat(stages.order).containsExactly("run d1-check", "stopped d1-check");
    }

    /// The plan of "lasting" does not roll back.
    @Test
    void whoCancelsMayDemandTheRollback() {
        for (var id : List.of("lasting", "lasting-undone")) {
            runs.open(deployment(id, id), List.of());
            await().atMost(Duration.ofMinutes(1)).until(() -> stages.running(id + "-check"));
        }

        orders.take(cancel("c1", "lasting"));
        orders.take(cancel("c2", "lasting-undone", wish -> wish.setForceRollback(true)));

        for (var id : List.of("lasting", "lasting-undone"))
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> controlPlane.completed(id).isPresent());
        assertThat(controlPlane.completed("lasting").orElseThrow().getStatusReason())
                .isEqualTo("cancelled by ann");
        assertThat(controlPlane.completed("lasting-undone").orElseThrow().getStatusReason())
                .isEqualTo("rolled back: cancelled by ann");
        assertThat(stages.order)
                .contains("run lasting-undone-undo")
                .doesNotContain("run lasting-undo");
    }

    @Test
    void aWalkThatBrokeOffIsGivenUpByACancel() {
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));
        ahead = Duration.ofSeconds(Long.MAX_VALUE);
        stages.finish("d1-check", new StageResult.Succeeded());
        await().atMost(Duration.ofMinutes(1)).until(() -> !runs.faults().isEmpty());
        ahead = Duration.ZERO;

        orders.take(approve("c1", "d1", "d1-check"));
        orders.take(cancel("c2", "d1"));

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow())
                .satisfies(ended -> {
                    assertThat(ended.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_FAILURE);
                    assertThat(ended.getStatusReason())
                            .contains("given up by ann: its walk broke off by a fault");
                });
        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.handled.size() == 2);
        assertThat(answers()).contains("c2 COMMAND_SUCCEEDED {}");
        assertThat(runs.faults()).isEmpty();
    }

    @Test
    void anApprovalOfAStageWithAnUnknownOutcomeIsAnsweredWithItsEnd() {
        orders.take(approve("c1", "d1", "d1-check"));

        reconcile(lost("d1"));

        await().atMost(Duration.ofMinutes(1)).until(() -> !controlPlane.handled.isEmpty());
        assertThat(answers())
                .containsExactly(
                        "c1 COMMAND_FAILED {Reason=its outcome cannot be known: the agent's journal was lost while"
                                + " it ran. Look at the target, then sync again.}");
    }

    @Test
    void anOrderAboutADeploymentThatIsOverIsRefusedOnceTheControlPlaneHasTold() {
        orders.take(cancel("c1", "d1"));
        orders.take(cancel("c1", "d1"));

        reconcile();
        orders.take(cancel("c2", "d2"));

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.handled.size() == 2);
        assertThat(answers())
                .containsExactly(
                        "c1 COMMAND_FAILED {Reason=the deployment is over}",
                        "c2 COMMAND_FAILED {Reason=the deployment is over}");
    }

    @Test
    void ordersOfKnownDeploymentsAndSyncsDoNotWaitForTheControlPlane() {
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));
        orders.take(cancel("early", "unknown"));

        orders.take(cancel("c1", "d1"));
        orders.take(
                Command.newBuilder().setId("s1").setType(Command.Type.SYNC_APPLICATION).build());
        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        orders.take(cancel("c2", "d1"));

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.handled.size() == 2);
        assertThat(synced).containsExactly("s1");
        assertThat(answers())
                .containsExactly(
                        "c1 COMMAND_SUCCEEDED {}",
                        "c2 COMMAND_FAILED {Reason=the deployment is over}");
    }

    @Test
    void anApprovalOfAStageThatHasEndedIsRefused() {
        runs.open(deployment("d1", "app"), List.of());
        stages.finish("d1-check", new StageResult.Succeeded());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-publish"));

        orders.take(approve("c1", "d1", "d1-check"));

        await().atMost(Duration.ofMinutes(1)).until(() -> !controlPlane.handled.isEmpty());
        assertThat(answers()).containsExactly("c1 COMMAND_FAILED {Reason=the stage is over}");
    }

    @Test
    void anApprovalOfAStageThatIsNeverBegunIsAnsweredWhenAllIsOver() {
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));

        orders.take(approve("c1", "d1", "d1-publish"));
        orders.take(cancel("c2", "d1"));

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.handled.size() == 2);
        assertThat(answers())
                .containsExactlyInAnyOrder(
                        "c1 COMMAND_FAILED {Reason=the deployment is over}",
                        "c2 COMMAND_SUCCEEDED {}");
    }

    @Test
    void anOrderAboutADeploymentThatCannotBeTakenUpIsRefusedWithTheFault() {
        orders.take(approve("c1", "d1", "d1-check"));

        reconcile(twice("d1"));

        await().atMost(Duration.ofMinutes(1)).until(() -> !controlPlane.handled.isEmpty());
        assertThat(controlPlane.handled.getFirst().getStatus())
                .isEqualTo(CommandStatus.COMMAND_FAILED);
        assertThat(controlPlane.handled.getFirst().getMetadataOrThrow("Reason"))
                .startsWith("cannot be taken up: ");
    }

    @Test
    void aCancelEndsEvenADeploymentThatCannotBeTakenUp() throws Exception {
        reconcile(twice("d1"));
        assertThat(runs.faults()).hasSize(1);

        orders.take(cancel("c1", "d1"));

        await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
        var end = controlPlane.completed("d1").orElseThrow();
        assertThat(end.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_FAILURE);
        assertThat(end.getStatusReason())
                .startsWith("lost: given up by ann: cannot be taken up: ")
                .endsWith("stages: two of one id (expected: every id once)");
        assertThat(end.getStageStatusesMap()).containsEntry("d1-publish", STAGE_NOT_STARTED_YET);
        assertThat(answers()).containsExactly("c1 COMMAND_SUCCEEDED {}");
        assertThat(controlPlane.ofApplications).containsExactly("deploying: false", "OUT_OF_SYNC");
        assertThat(runs.faults()).isEmpty();
    }

    @Test
    void oneThatWasGivenUpIsOverAndStaysSo() throws Exception {
        reconcile(twice("d1"));
        outbox.close(); // the control plane does not hear of it in this life
        orders.take(cancel("c1", "d1"));
        stop();
        start();
        runs.takeUp(ledger.stories());

        reconcile(twice("d1"));
        orders.take(cancel("c2", "d1"));

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.handled.size() == 2);
        assertThat(answers())
                .containsExactlyInAnyOrder(
                        "c1 COMMAND_SUCCEEDED {}",
                        "c2 COMMAND_FAILED {Reason=the deployment is over}");
        assertThat(runs.faults()).isEmpty();
        assertThat(controlPlane.completed).hasSize(1);
    }

    @Test
    void oneThatIsNotListedAnyMoreIsNoFaultAnyMore() {
        reconcile(twice("d1"));

        reconcile();

        assertThat(runs.faults()).isEmpty();
    }

    /// As an agent of v0 leaves one with two scripts: two of its stages have one id.
    @Test
    void anOrderThatNamesNoDeploymentIsAnsweredOnceWithTheReason() {
        orders.take(cancel("c1", ""));
        orders.take(cancel("c1", ""));

        await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
        assertThat(answers())
                .containsExactly(
                        "c1 COMMAND_FAILED {Reason=it cannot be carried out: java.lang.IllegalArgumentException: deploymentId: \"\" (expected: an id)}");
    }

    @Test
    void anOrderThatBreaksElsewhereIsAnsweredWithTheReason() {
        var breaking =
                new Orders(
                        runs,
                        outbox,
                        List.of(),
                        _ -> {
                            throw new IllegalStateException("it is broken");
                        },
                        clock);

        breaking.take(
                Command.newBuilder().setId("c1").setType(Command.Type.SYNC_APPLICATION).build());

        await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
        assertThat(answers())
                .containsExactly(
                        "c1 COMMAND_FAILED {Reason=it cannot be carried out: java.lang.IllegalStateException: it is broken}");
    }

    @Test
    void anOrderWithoutAnIdKeepsNoOtherFromBeingCarriedOut() {
        orders.take(cancel("", "d1"));
        orders.take(
                Command.newBuilder().setId("c2").setType(Command.Type.SYNC_APPLICATION).build());

        assertThat(synced).containsExactly("c2");
    }

    private static Deployment twice(String id) {
        var twice = lost(id).toBuilder();
        return twice.addStages(twice.getStages(0)).build();
    }

    @Test
    void anOrderThatWasPutBackIsTakenAgain() {
        var sync = Command.newBuilder().setId("s1").setType(Command.Type.SYNC_APPLICATION).build();
        orders.take(sync);
        orders.take(sync);

        orders.putBack(sync);
        orders.take(sync);

        assertThat(synced).containsExactly("s1", "s1");
    }

    private void reconcile(Deployment... unfinished) {
        runs.reconcile(List.of(unfinished), _ -> Optional.empty(), orders::takeEarly);
        orders.takeEarly();
    }

    private List<String> answers() {
        return controlPlane.handled.stream()
                .map(h -> "%s %s %s".formatted(h.getCommandId(), h.getStatus(), h.getMetadataMap()))
                .toList();
    }
}
