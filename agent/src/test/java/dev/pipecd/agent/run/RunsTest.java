// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.ReportDeploymentCompletedRequest;
import dev.pipecd.wire.piped.ReportStageStatusChangedRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunsTest {
    @TempDir Path directory;

    private final RecordingControlPlane controlPlane = new RecordingControlPlane();
    private final ScriptedStages stages = new ScriptedStages();
    private Ledger ledger;
    private Outbox outbox;
    private Runs runs;

    @BeforeEach
    void start() throws Exception {
        ledger = Ledger.open(directory);
        outbox = new Outbox(ledger, controlPlane, InstantSource.system());
        runs = new Runs(outbox, RunsTest::plan, Gate.OPEN, stages, InstantSource.system(), _ -> {});
        runs.takeUp(ledger.stories());
    }

    @AfterEach
    void stop() throws Exception {
        runs.close();
        outbox.close();
        ledger.close();
    }

    @Test
    void aDeploymentWalksItsStagesAndTellsEachStep() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        stages.finish("d1-check", new StageResult.Succeeded());
        stages.finish("d1-publish", new StageResult.Succeeded());

        await().until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.calls)
                .containsSubsequence(
                        "CreateDeployment",
                        "ReportDeploymentPlanned",
                        "ReportDeploymentStatusChanged",
                        "ReportStageStatusChanged",
                        "ReportDeploymentCompleted");
        assertThat(controlPlane.completed("d1").orElseThrow().getStatus())
                .isEqualTo(DeploymentStatus.DEPLOYMENT_SUCCESS);
    }

    @Test
    void afterARestartTheRunningStageGoesOnAndIsNotReportedStartedTwice() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        stages.finish("d1-check", new StageResult.Succeeded());
        await().until(() -> stages.running("d1-publish"));
        stop();
        stages.forgetThreads();

        start();
        await().until(() -> stages.running("d1-publish"));
        stages.finish("d1-publish", new StageResult.Succeeded());

        await().until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.stageReports("d1-publish", StageStatus.STAGE_RUNNING)).hasSize(1);
        assertThat(stages.runs).containsExactly("d1-check", "d1-publish", "d1-publish");
    }

    @Test
    void afterARestartTheDeploymentsOfTheJournalAreTold() throws Exception {
        runs.open(deployment("d1", "a1"), List.of());
        await().until(() -> stages.running("d1-check"));

        stop();
        ledger = Ledger.open(directory);
        outbox = new Outbox(ledger, controlPlane, InstantSource.system());
        runs = new Runs(outbox, RunsTest::plan, Gate.OPEN, stages, InstantSource.system(), _ -> {});

        assertThat(runs.takeUp(ledger.stories()))
                .extracting(Deployment::getId)
                .containsExactly("d1");
    }

    @Test
    void oneDeploymentAtATimePerApplicationAndAWaitingOneCanBeCancelled() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        runs.open(deployment("d2", "app"), List.of());
        runs.open(deployment("d3", "other"), List.of());
        await().until(() -> stages.running("d1-check") && stages.running("d3-check"));
        assertThat(stages.running("d2-check")).isFalse();

        orders().take(cancel("c1", "d2"));

        await().until(() -> controlPlane.completed("d2").isPresent());
        assertThat(controlPlane.completed("d2").orElseThrow().getStatus())
                .isEqualTo(DeploymentStatus.DEPLOYMENT_CANCELLED);
        assertThat(stages.running("d1-check")).isTrue();
    }

    @Test
    void aCancelIsHandledTogetherWithWhatItLeadsTo() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        await().until(() -> stages.running("d1-check"));

        orders().take(cancel("c1", "d1"));

        await().until(() -> controlPlane.completed("d1").isPresent());
        assertThat(stages.stopped).containsExactly("d1-check");
        assertThat(controlPlane.calls).contains("ReportCommandHandled");
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo("rolled back: cancelled by ann");
    }

    @Test
    void theRollbackWaitsForAStopThatIsConfirmedLate() throws Exception {
        stages.stopsRefused = 2;
        runs.open(deployment("d1", "app"), List.of());
        await().until(() -> stages.running("d1-check"));

        orders().take(cancel("c1", "d1"));

        await().until(() -> controlPlane.completed("d1").isPresent());
        assertThat(stages.stopped).containsExactly("d1-check");
        assertThat(stages.order).containsExactly("run d1-check", "stopped d1-check", "run d1-undo");
    }

    @Test
    void whatCannotBePlannedIsAFailedDeploymentWithTheReason() throws Exception {
        runs.open(deployment("unplannable", "app"), List.of());

        await().until(() -> controlPlane.completed("unplannable").isPresent());
        assertThat(controlPlane.completed("unplannable").orElseThrow().getStatusReason())
                .isEqualTo("stage: \"WIAT\" (expected: WAIT). Correct the name.");
    }

    @Test
    void aDeploymentTheJournalDoesNotKnowFailsItsRunningStageAndRollsBack() throws Exception {
        var lost =
                plan(deployment("d1", "app")).sheet().toBuilder()
                        .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING);
        lost.setStages(0, lost.getStages(0).toBuilder().setStatus(StageStatus.STAGE_RUNNING));

        runs.reconcile(List.of(lost.build()), _ -> Optional.empty());

        await().until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo(
                        "rolled back: stage CHECK: its outcome cannot be known: the agent's journal was lost while"
                                + " it ran. Look at the target, then sync again.");
        assertThat(stages.runs).containsExactly("d1-undo");
    }

    @Test
    void aDeploymentThatIsOverAtTheControlPlaneIsStoppedHere() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        await().until(() -> stages.running("d1-check") && outbox.waiting() == 0);

        runs.reconcile(
                List.of(),
                _ ->
                        Optional.of(
                                Deployment.newBuilder()
                                        .setStatus(DeploymentStatus.DEPLOYMENT_CANCELLED)
                                        .build()));

        await().until(() -> runs.active() == 0);
        assertThat(stages.stopped).containsExactly("d1-check");
    }

    private Orders orders() {
        return new Orders(runs, outbox, List.of(), _ -> {}, InstantSource.system());
    }

    private static Command cancel(String id, String deployment) {
        return Command.newBuilder()
                .setId(id)
                .setDeploymentId(deployment)
                .setCommander("ann")
                .setType(Command.Type.CANCEL_DEPLOYMENT)
                .build();
    }

    private static Deployment deployment(String id, String application) {
        return Deployment.newBuilder()
                .setId(id)
                .setApplicationId(application)
                .setApplicationName(application)
                .build();
    }

    private static Planning.Planned plan(Deployment pending) {
        if (pending.getId().equals("unplannable"))
            throw new Problem(
                    Problem.Code.STAGE_UNKNOWN,
                    "stage: \"WIAT\" (expected: WAIT)",
                    "Correct the name.");
        var names = List.of("CHECK", "PUBLISH", "UNDO");
        var sheet = pending.toBuilder();
        names.forEach(name ->
                sheet.addStages(
                        PipelineStage.newBuilder()
                                .setId(
                                        pending.getId()
                                                + "-"
                                                + name.toLowerCase(java.util.Locale.ROOT))
                                .setName(name)
                                .setRollback(name.equals("UNDO"))));
        var planned =
                sheet.getStagesList().stream()
                        .map(s ->
                                new PlannedStage(
                                        new StageId(s.getId()),
                                        s.getName(),
                                        s.getRollback(),
                                        Duration.ofHours(1)))
                        .toList();
        return new Planning.Planned(new Plan(planned, Duration.ofHours(6), true), sheet.build());
    }

    /// Stages that end when the test says so; rollback stages succeed at once.
    private static final class ScriptedStages implements Stages {
        private final Map<String, BlockingQueue<StageResult>> results = new ConcurrentHashMap<>();
        private final Map<String, Thread> threads = new ConcurrentHashMap<>();
        private final List<String> runs = new CopyOnWriteArrayList<>();
        private final List<String> stopped = new CopyOnWriteArrayList<>();
        private final List<String> order = new CopyOnWriteArrayList<>();
        private volatile int stopsRefused;

        @Override
        public StageResult run(Deployment deployment, PipelineStage stage)
                throws InterruptedException {
            runs.add(stage.getId());
            order.add("run " + stage.getId());
            threads.put(stage.getId(), Thread.currentThread());
            return stage.getRollback() ? new StageResult.Succeeded() : queue(stage.getId()).take();
        }

        @Override
        public void stop(Deployment deployment, PipelineStage stage, String reason) {
            if (stopsRefused-- > 0)
                throw new Problem(Problem.Code.PLUGIN_UNAVAILABLE, "plugin: away", "");
            stopped.add(stage.getId());
            order.add("stopped " + stage.getId());
        }

        @Override
        public void release(Deployment deployment) {}

        boolean running(String stage) {
            return threads.containsKey(stage);
        }

        void forgetThreads() {
            threads.clear();
        }

        void finish(String stage, StageResult result) {
            queue(stage).add(result);
        }

        private BlockingQueue<StageResult> queue(String stage) {
            return results.computeIfAbsent(stage, _ -> new LinkedBlockingQueue<>());
        }
    }

    private static final class RecordingControlPlane implements Outbox.Sender {
        private final List<String> calls = new CopyOnWriteArrayList<>();
        private final List<ReportDeploymentCompletedRequest> completed =
                new CopyOnWriteArrayList<>();
        private final List<ReportStageStatusChangedRequest> stages = new CopyOnWriteArrayList<>();

        @Override
        public void send(String call, byte[] body) throws Outbox.Refused {
            try {
                if (call.equals("ReportDeploymentCompleted"))
                    completed.add(ReportDeploymentCompletedRequest.parseFrom(body));
                if (call.equals("ReportStageStatusChanged"))
                    stages.add(ReportStageStatusChangedRequest.parseFrom(body));
                calls.add(call);
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw new Outbox.Refused("not a message: " + e.getMessage());
            }
        }

        Optional<ReportDeploymentCompletedRequest> completed(String id) {
            return completed.stream()
                    .filter(r -> new DeploymentId(r.getDeploymentId()).equals(new DeploymentId(id)))
                    .findFirst();
        }

        List<ReportStageStatusChangedRequest> stageReports(String stage, StageStatus status) {
            return stages.stream()
                    .filter(r -> r.getStageId().equals(stage) && r.getStatus() == status)
                    .toList();
        }
    }
}
