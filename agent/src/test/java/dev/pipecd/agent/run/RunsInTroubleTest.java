// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static dev.pipecd.agent.run.Samples.cancel;
import static dev.pipecd.agent.run.Samples.deployment;
import static dev.pipecd.agent.run.Samples.lost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.engine.Observation;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What becomes of deployments when the agent itself has a fault, or was away for too long.
final class RunsInTroubleTest {
    private static final Duration SOON = Duration.ofMinutes(1);

    @TempDir Path directory;

    private final RecordingControlPlane controlPlane = new RecordingControlPlane();
    private final ScriptedStages stages = new ScriptedStages();
    private volatile Optional<Error> fault = Optional.empty();
    private volatile Optional<Error> endFault = Optional.empty();
    private Ledger ledger;
    private Outbox outbox;
    private Runs runs;

    @BeforeEach
    void start() throws Exception {
        ledger = Ledger.open(directory);
        outbox = new Outbox(ledger, controlPlane, InstantSource.system());
        runs =
                new Runs(
                        outbox,
                        Samples::plan,
                        Gate.OPEN,
                        stages,
                        this::now,
                        Notifier.NOBODY,
                        _ -> endFault.ifPresent(RunsInTroubleTest::raise));
        runs.takeUp(ledger.stories());
    }

    private Instant now() {
        fault.ifPresent(RunsInTroubleTest::raise);
        return InstantSource.system().instant();
    }

    private static void raise(Error fault) {
        throw fault;
    }

    @AfterEach
    void stop() throws Exception {
        runs.close();
        outbox.close();
        ledger.close();
    }

    @Test
    void aWalkThatAnErrorBreaksOffIsToldAndACancelEndsIt() {
        begin("d1");

        fault = Optional.of(new StackOverflowError());
        runs.find(new DeploymentId("d1")).orElseThrow().see(new Observation.TimePassed());

        await().atMost(SOON).until(() -> !runs.faults().isEmpty());
        assertThat(runs.faults())
                .extracting(Runs.Fault::what)
                .containsExactly(
                        "its walk broke off by a fault of the agent: java.lang.StackOverflowError");
        fault = Optional.empty();
        orders().take(cancel("c1", "d1"));
        await().atMost(SOON).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .contains("given up by ann: its walk broke off");
    }

    @Test
    void aStageThatAnErrorBreaksOffFailsWithIt() {
        stages.broken.put("d1-check", new NoClassDefFoundError("dev/pipecd/Missing"));
        runs.open(deployment("d1", "app"), List.of());

        await().atMost(SOON).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo(
                        "rolled back: stage CHECK: an internal fault of the agent: java.lang.NoClassDefFoundError: dev/pipecd/Missing");
    }

    /// As one does whose repository answers late.
    @Test
    void aStageThatIsStillBeingLaidOutAtTheEndLeavesNothingBehind() {
        var answered = new CountDownLatch(1);
        var asking = new CountDownLatch(1);
        stages.layingOut =
                () -> {
                    stages.layingOut = () -> {};
                    asking.countDown();
                    awaitAll(answered);
                };
        runs.open(deployment("d1", "app"), List.of());
        awaitAll(asking);
        orders().take(cancel("c1", "d1"));
        await().atMost(SOON).until(() -> stages.released.contains("d1"));
        var before = stages.released.size();

        answered.countDown();

        await().atMost(SOON).until(() -> stages.released.size() > before);
        assertThat(stages.runs).doesNotContain("d1-check");
    }

    private static void awaitAll(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /// Another agent may have ended it, and what it reads holds opened secrets.
    @Test
    void onlyWhatGoesOnIsKept() throws Exception {
        begin("d1");
        stop();
        start();
        assertThat(stages.kept).containsExactly(new DeploymentId("d1"));

        stop();
        ledger = Ledger.open(directory);
        ledger.forgetUnfinished();
        ledger.close();
        start();

        assertThat(stages.kept).isEmpty();
    }

    @Test
    void aFaultAtTheEndOfOneStillHandsOnItsTurn() {
        endFault = Optional.of(new NoClassDefFoundError("dev/pipecd/Missing"));
        runs.open(deployment("d1", "app"), List.of());
        runs.open(deployment("d2", "app"), List.of());
        succeed("d1");

        await().atMost(SOON).until(() -> stages.running("d2-check"));
    }

    @Test
    void whatWasTakenForLostWhileTheAgentWasAwayGoesOnToItsTrueEnd() {
        begin("d1");

        runs.reconcile(List.of(), _ -> Optional.of(takenForLost()), _ -> {});
        succeed("d1");

        await().atMost(SOON).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatus())
                .isEqualTo(DeploymentStatus.DEPLOYMENT_SUCCESS);
        assertThat(stages.stopped).isEmpty();
    }

    /// It would be begun again if it were only taken up.
    @Test
    void whatTheJournalForgotFailsItsStageAlsoWhenItHasToWaitForItsTurn() {
        begin("d1");
        runs.reconcile(List.of(lost("d0")), _ -> Optional.empty(), _ -> {});
        succeed("d1");

        await().atMost(SOON).until(() -> controlPlane.completed("d0").isPresent());
        assertThat(controlPlane.completed("d0").orElseThrow().getStatusReason())
                .startsWith("rolled back: stage CHECK: its outcome cannot be known");
        assertThat(stages.runs).doesNotContain("d0-check").contains("d0-undo");
    }

    @Test
    void whatTheJournalForgotIsToldToDeployAgain() {
        stages.endless.add("d0-undo");
        runs.reconcile(List.of(lost("d0")), _ -> Optional.empty(), _ -> {});

        await().atMost(SOON).until(() -> controlPlane.ofApplications.size() == 2);
        assertThat(controlPlane.ofApplications).containsExactly("deploying: true", "DEPLOYING");
    }

    private static Deployment takenForLost() {
        var lost = Deployment.newBuilder().setStatus(DeploymentStatus.DEPLOYMENT_FAILURE);
        lost.getMetadataV2Builder().getSharedBuilder().putKeyValues("pipecd/outcome", "Lost");
        return lost.build();
    }

    private void begin(String id) {
        runs.open(deployment(id, "app"), List.of());
        await().atMost(SOON).until(() -> stages.running(id + "-check") && outbox.waiting() == 0);
    }

    private void succeed(String id) {
        stages.finish(id + "-check", new StageResult.Succeeded());
        stages.finish(id + "-publish", new StageResult.Succeeded());
    }

    private Orders orders() {
        return new Orders(runs, outbox, List.of(), _ -> {}, InstantSource.system());
    }
}
