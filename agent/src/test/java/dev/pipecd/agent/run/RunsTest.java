// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static dev.pipecd.agent.run.Samples.cancel;
import static dev.pipecd.agent.run.Samples.deployment;
import static dev.pipecd.agent.run.Samples.lost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.notify.EventKind;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.engine.Engine;
import dev.pipecd.domain.engine.Observation;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.ReportStageStatusChangedRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunsTest {
    @TempDir Path directory;

    private final RecordingControlPlane controlPlane = new RecordingControlPlane();
    private final ScriptedStages stages = new ScriptedStages();
    private final List<Event> notified = new CopyOnWriteArrayList<>();
    private volatile Duration ahead = Duration.ZERO;
    private final InstantSource clock = () -> InstantSource.system().instant().plus(ahead);
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
                        Samples::planning,
                        Gate.OPEN,
                        stages,
                        clock,
                        notified::add,
                        _ -> {});
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
        var opened = deployment("d1", "app");
        runs.open(opened, List.of(Reports.created(opened)));
        stages.finish("d1-check", new StageResult.Succeeded());
        stages.finish("d1-publish", new StageResult.Succeeded());

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
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
    void aDeploymentThatTakesTooLongIsStoppedAndUndoneAndFailsForThatReason() {
        runs.open(deployment("hurried", "app"), List.of());

        await().atMost(Duration.ofMinutes(1))
                .until(() -> controlPlane.completed("hurried").isPresent());
        var end = controlPlane.completed("hurried").orElseThrow();
        assertThat(end.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_FAILURE);
        assertThat(end.getStatusReason())
                .startsWith("rolled back: the deployment took longer than ");
        assertThat(stages.order)
                .containsExactly("run hurried-check", "stopped hurried-check", "run hurried-undo");
    }

    @Test
    void afterARestartTheRunningStageGoesOnAndIsNotReportedStartedTwice() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        stages.finish("d1-check", new StageResult.Succeeded());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-publish"));
        stop();
        stages.forgetThreads();

        start();
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-publish"));
        stages.finish("d1-publish", new StageResult.Succeeded());

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.stageReports("d1-publish", StageStatus.STAGE_RUNNING)).hasSize(1);
        assertThat(stages.runs).containsExactly("d1-check", "d1-publish", "d1-publish");
    }

    @Test
    void eachStepIsNotifiedOnceAlsoOverARestart() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        stages.finish("d1-check", new StageResult.Succeeded());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-publish"));
        stop();
        stages.forgetThreads();

        start();
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-publish"));
        stages.finish("d1-publish", new StageResult.Failed("no room"));

        await().atMost(Duration.ofMinutes(1))
                .until(() -> kinds().contains(EventKind.APPLICATION_OUT_OF_SYNC));
        assertThat(kinds())
                .containsExactly(
                        EventKind.DEPLOYMENT_TRIGGERED,
                        EventKind.DEPLOYMENT_PLANNED,
                        EventKind.DEPLOYMENT_STARTED,
                        EventKind.STAGE_STARTED,
                        EventKind.STAGE_SUCCEEDED,
                        EventKind.STAGE_STARTED,
                        EventKind.STAGE_FAILED,
                        EventKind.DEPLOYMENT_ROLLING_BACK,
                        EventKind.STAGE_STARTED,
                        EventKind.STAGE_SUCCEEDED,
                        EventKind.DEPLOYMENT_FAILED,
                        EventKind.APPLICATION_OUT_OF_SYNC);
    }

    private List<EventKind> kinds() {
        return notified.stream().map(Event::kind).toList();
    }

    @Test
    void afterARestartTheDeploymentsOfTheJournalAreTold() throws Exception {
        runs.open(deployment("d1", "a1"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));

        stop();
        ledger = Ledger.open(directory);
        outbox = new Outbox(ledger, controlPlane, InstantSource.system());
        var told = new ArrayList<String>();
        runs =
                new Runs(
                        outbox,
                        Samples::planning,
                        Gate.OPEN,
                        stages,
                        clock,
                        notified::add,
                        new Runs.Ends() {
                            @Override
                            public void succeeded(Deployment deployment) {}

                            @Override
                            public void openedBefore(Deployment deployment) {
                                told.add(deployment.getId());
                            }
                        });

        runs.takeUp(ledger.stories());

        assertThat(told).containsExactly("d1");
    }

    /// The agent was killed before it told what the journal already knew.
    @Test
    void whatComesNextIsPlannedAgainstWhatSucceededBeforeAKill() throws Exception {
        var applications = new Applications(directory.resolve("applications"));
        applications.refresh(
                List.of(
                        Application.newBuilder()
                                .setId("app")
                                .setGitPath(
                                        ApplicationGitPath.newBuilder()
                                                .setRepo(
                                                        ApplicationGitRepository.newBuilder()
                                                                .setId("demo")))
                                .setMostRecentlySuccessfulDeployment(
                                        ApplicationDeploymentReference.newBuilder()
                                                .setDeploymentId("d0")
                                                .setStartedAt(1))
                                .build()));
        runs.open(deployment("d1", "app").toBuilder().setCreatedAt(2).build(), List.of());
        stages.finish("d1-check", new StageResult.Succeeded());
        stages.finish("d1-publish", new StageResult.Succeeded());
        await().atMost(Duration.ofMinutes(1))
                .until(() -> runs.active() == 0 && outbox.waiting() == 0);
        ledger.record(List.of(sheet("d2", "app")));
        stop();

        var against = new CopyOnWriteArrayList<String>();
        restart(
                pending -> {
                    against.add(lastSuccess(new Applications(directory.resolve("applications"))));
                    return Samples.planning(pending);
                },
                new Runs.Ends() {
                    @Override
                    public void succeeded(Deployment deployment) {}

                    @Override
                    public void succeededBefore(Deployment deployment) {
                        applications.succeededBefore(deployment);
                    }
                });

        await().atMost(Duration.ofMinutes(1)).until(() -> !against.isEmpty());
        assertThat(against).containsExactly("d1");
    }

    private static String lastSuccess(Applications applications) {
        return applications
                .find(new ApplicationId("app"))
                .orElseThrow()
                .getMostRecentlySuccessfulDeployment()
                .getDeploymentId();
    }

    private static Entry sheet(String id, String application) {
        return new Entry.Sheet(new DeploymentId(id), deployment(id, application).toByteArray());
    }

    private void restart(Planning planning, Runs.Ends ends) throws Exception {
        ledger = Ledger.open(directory);
        outbox = new Outbox(ledger, controlPlane, InstantSource.system());
        runs = new Runs(outbox, planning, Gate.OPEN, stages, clock, notified::add, ends);
        runs.takeUp(ledger.stories());
    }

    /// They would not all fit into the memory.
    @Test
    void ofManyInTheJournalSoManyGoOnAndTheOthersBeginInOrderAsTheyEnd() throws Exception {
        var all = new ArrayList<Entry>();
        for (var n = 0; n < Turns.AT_ONCE; n++) all.add(sheet("d" + n, "app" + n));
        for (var id : List.of("first", "second")) all.add(sheet(id, "app"));
        ledger.record(all);
        stop();
        var planned = new CopyOnWriteArrayList<String>();
        var turns = new Semaphore(0);
        var told = new AtomicInteger();

        restart(
                pending -> {
                    planned.add(pending.getId());
                    turns.acquire();
                    throw new Problem(Problem.Code.STAGE_UNKNOWN, "stage: unknown", "");
                },
                new Runs.Ends() {
                    @Override
                    public void succeeded(Deployment deployment) {}

                    @Override
                    public void room() {
                        told.incrementAndGet();
                    }
                });
        await().atMost(Duration.ofMinutes(1)).until(() -> planned.size() == Turns.AT_ONCE);
        assertThat(runs.room()).isZero();
        assertThat(runs.active()).isEqualTo(Turns.AT_ONCE + 2);
        // An order is not kept waiting, except for those of its application.
        runs.open(deployment("third", "app"), List.of());
        turns.release(2);
        await().atMost(Duration.ofMinutes(1)).until(() -> planned.size() == Turns.AT_ONCE + 1);
        assertThat(planned).doesNotContain("second", "third");
        assertThat(told).hasValue(0);
        turns.release(Turns.AT_ONCE + 1);

        await().atMost(Duration.ofMinutes(1)).until(() -> runs.active() == 0);
        assertThat(planned).containsSubsequence("first", "second", "third");
        assertThat(planned).doesNotHaveDuplicates().hasSize(Turns.AT_ONCE + 3);
        assertThat(told).hasValue(1);
    }

    @Test
    void whatStandsInLineForRoomIsCancelledAtOnce() throws Exception {
        var all = new ArrayList<Entry>();
        for (var n = 0; n < Turns.AT_ONCE; n++) all.add(sheet("d" + n, "app" + n));
        all.add(sheet("last", "last"));
        ledger.record(all);
        stop();
        restart(
                pending -> {
                    new Semaphore(0).acquire();
                    throw new IllegalStateException("nobody lets it go on");
                },
                _ -> {});
        assertThat(runs.room()).isZero();

        orders().take(cancel("c1", "last"));

        await().atMost(Duration.ofMinutes(1))
                .until(() -> controlPlane.completed("last").isPresent());
        assertThat(controlPlane.completed("last").orElseThrow().getStatusReason())
                .isEqualTo("cancelled by ann");
        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.handled.size() == 1);
        assertThat(runs.active()).isEqualTo(Turns.AT_ONCE);
    }

    /// Its cancel comes before it stands in line.
    @Test
    void whatIsFoundAtTheControlPlaneIsCancelledAtOnceAlsoWhereThereIsNoRoom() throws Exception {
        var all = new ArrayList<Entry>();
        for (var n = 0; n < Turns.AT_ONCE; n++) all.add(sheet("d" + n, "app" + n));
        ledger.record(all);
        stop();
        restart(
                pending -> {
                    new Semaphore(0).acquire();
                    throw new IllegalStateException("nobody lets it go on");
                },
                _ -> {});

        runs.reconcile(
                List.of(deployment("late", "late")),
                _ -> Optional.empty(),
                id -> orders().take(cancel("c1", id.value())));

        await().atMost(Duration.ofMinutes(1))
                .until(() -> controlPlane.completed("late").isPresent());
        assertThat(controlPlane.completed("late").orElseThrow().getStatusReason())
                .isEqualTo("cancelled by ann");
    }

    @Test
    void ofManyInTheJournalThoseThatRollBackGoOnFirst() throws Exception {
        var all = new ArrayList<Entry>();
        for (var n = 0; n < Turns.AT_ONCE; n++) all.addAll(begun("d" + n));
        all.addAll(begun("last"));
        var last = new DeploymentId("last");
        var cause = new Cause.StageFailed("it is broken");
        var end = clock.instant().plus(Duration.ofHours(6));
        all.add(new Entry.Moved(last, new DeploymentEvent.HaltOrdered(cause, true), end));
        all.add(new Entry.Moved(last, new DeploymentEvent.RollbackBegan(cause, end), end));
        ledger.record(all);
        stop();

        restart(Samples::planning, _ -> {});

        await().atMost(Duration.ofMinutes(1))
                .until(() -> controlPlane.completed("last").isPresent());
        assertThat(stages.runs).contains("last-undo");
    }

    private List<Entry> begun(String name) {
        var id = new DeploymentId(name);
        var now = clock.instant();
        var made = Samples.plan(deployment(name, name));
        return List.of(
                new Entry.Sheet(id, made.sheet().toByteArray()),
                new Entry.Moved(id, new DeploymentEvent.PlanMade(made.plan()), now),
                new Entry.Moved(
                        id, new DeploymentEvent.Began(now, now.plus(Duration.ofHours(6))), now));
    }

    /// Somebody may have forgotten all of them.
    @Test
    void whatWaitsForAnApprovalHoldsNoPlaceThatOthersNeed() throws Exception {
        var all = new ArrayList<Entry>();
        for (var n = 0; n < Turns.AT_ONCE; n++) all.add(sheet("d" + n, "app" + n));
        all.add(sheet("last", "last"));
        ledger.record(all);
        stop();

        restart(pending -> planned(pending, "WAIT_APPROVAL"), _ -> {});

        // Nobody needs to ask the control plane for that.
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("last-only"));
        await().atMost(Duration.ofMinutes(1)).until(() -> runs.room() > 0);
    }

    private static Planning.Planned planned(Deployment pending, String stage) {
        var id = pending.getId() + "-only";
        var sheet = pending.toBuilder();
        sheet.addStagesBuilder().setId(id).setName(stage);
        var hour = Duration.ofHours(1);
        var only = new Plan.PlannedStage(new StageId(id), stage, false, hour);
        return new Planning.Planned(new Plan(List.of(only), hour, false), sheet.build());
    }

    @Test
    void oneDeploymentAtATimePerApplicationAndAWaitingOneCanBeCancelled() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        runs.open(deployment("d2", "app"), List.of());
        runs.open(deployment("d3", "other"), List.of());
        await().atMost(Duration.ofMinutes(1))
                .until(() -> stages.running("d1-check") && stages.running("d3-check"));
        assertThat(stages.running("d2-check")).isFalse();

        orders().take(cancel("c1", "d2"));

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d2").isPresent());
        assertThat(controlPlane.completed("d2").orElseThrow().getStatus())
                .isEqualTo(DeploymentStatus.DEPLOYMENT_CANCELLED);
        assertThat(stages.running("d1-check")).isTrue();
    }

    @Test
    void aCancelIsHandledTogetherWithWhatItLeadsTo() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));

        orders().take(cancel("c1", "d1"));

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(stages.stopped).containsExactly("d1-check");
        assertThat(controlPlane.calls).contains("ReportCommandHandled");
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo("rolled back: cancelled by ann");
    }

    @Test
    void theRollbackWaitsForAStopThatIsConfirmedLate() throws Exception {
        stages.stopsRefused = 2;
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));

        orders().take(cancel("c1", "d1"));

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(stages.stopped).containsExactly("d1-check");
        assertThat(stages.order).containsExactly("run d1-check", "stopped d1-check", "run d1-undo");
    }

    @Test
    void theRollbackWaitsForAStopThatNobodyConfirmedAlsoAfterARestart() throws Exception {
        stages.stopsRefused = Integer.MAX_VALUE;
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));
        orders().take(cancel("c1", "d1"));
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.stopsRefused < Integer.MAX_VALUE);

        ahead = Engine.STOP_GRACE.plusSeconds(1);
        runs.find(new DeploymentId("d1")).orElseThrow().see(new Observation.TimePassed());
        await().atMost(Duration.ofMinutes(1))
                .until(() ->
                        !controlPlane.stageReports("d1-undo", StageStatus.STAGE_RUNNING).isEmpty());
        assertThat(stages.order).containsExactly("run d1-check");
        stop();
        stages.allowStops();
        start();

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(stages.order).containsExactly("run d1-check", "stopped d1-check", "run d1-undo");
        assertThat(controlPlane.stageReports("d1-check", StageStatus.STAGE_CANCELLED))
                .extracting(ReportStageStatusChangedRequest::getStatusReason)
                .containsExactly("cancelled by ann (it did not confirm that it stopped)");
    }

    @Test
    void aClockThatJumpsEndsNoStageBeforeItsTime() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));
        var run = runs.find(new DeploymentId("d1")).orElseThrow();

        ahead = Duration.ofHours(7);
        run.see(new Observation.TimePassed());
        await().atMost(Duration.ofMinutes(1))
                .until(() ->
                        ledger.stories().values().stream()
                                .flatMap(List::stream)
                                .anyMatch(e ->
                                        e
                                                instanceof
                                                Entry.Moved(_, DeploymentEvent.ClockMoved _, _)));
        run.see(new Observation.TimePassed());
        stages.finish("d1-check", new StageResult.Succeeded());
        ahead = Duration.ZERO;
        stages.finish("d1-publish", new StageResult.Succeeded());

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatus())
                .isEqualTo(DeploymentStatus.DEPLOYMENT_SUCCESS);
    }

    @Test
    void aStageThatThisChangeDoesNotNeedIsSkippedAndNeverCalled() throws Exception {
        stages.unneeded.put("d1-check", "only docs changed");
        runs.open(deployment("d1", "app"), List.of());
        stages.finish("d1-publish", new StageResult.Succeeded());

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(stages.order).containsExactly("run d1-publish");
        assertThat(controlPlane.stageReports("d1-check", StageStatus.STAGE_SKIPPED))
                .extracting(ReportStageStatusChangedRequest::getStatusReason)
                .containsExactly("only docs changed");
    }

    @Test
    void aCancelWhilePlanningEndsAtOnceAndCallsThePlannerOff() throws Exception {
        runs.open(deployment("endless", "app"), List.of());

        orders().take(cancel("c1", "endless"));

        await().atMost(Duration.ofMinutes(1))
                .until(() -> controlPlane.completed("endless").isPresent());
        assertThat(controlPlane.completed("endless").orElseThrow().getStatus())
                .isEqualTo(DeploymentStatus.DEPLOYMENT_CANCELLED);
        await().atMost(Duration.ofMinutes(1)).until(() -> Samples.CALLED_OFF.getCount() == 0);
    }

    @Test
    void aWalkThatBrokeOffIsToldAndGoesOnAfterARestart() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));
        assertThat(runs.faults()).isEmpty();

        ahead = Duration.ofSeconds(Long.MAX_VALUE);
        stages.finish("d1-check", new StageResult.Succeeded());

        await().atMost(Duration.ofMinutes(1)).until(() -> !runs.faults().isEmpty());
        assertThat(runs.faults())
                .singleElement()
                .satisfies(fault -> {
                    assertThat(fault.deployment()).isEqualTo(new DeploymentId("d1"));
                    assertThat(fault.application()).isEqualTo("app");
                    assertThat(fault.what())
                            .startsWith(
                                    "its walk broke off by a fault of the agent: java.lang.ArithmeticException");
                });

        stop();
        ahead = Duration.ZERO;
        start();
        stages.finish("d1-check", new StageResult.Succeeded());
        stages.finish("d1-publish", new StageResult.Succeeded());
        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(runs.faults()).isEmpty();
    }

    @Test
    void aDeploymentThatCannotBeTakenUpDoesNotKeepOthersFromIt() throws Exception {
        var twice = lost("d1").toBuilder();
        twice.addStages(twice.getStages(0));

        runs.reconcile(List.of(twice.build(), lost("d2")), _ -> Optional.empty(), _ -> {});

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d2").isPresent());
        assertThat(runs.faults())
                .extracting(Runs.Fault::deployment)
                .containsExactly(new DeploymentId("d1"));
    }

    @Test
    void whatCannotBePlannedIsAFailedDeploymentWithTheReason() throws Exception {
        runs.open(deployment("unplannable", "app"), List.of());

        await().atMost(Duration.ofMinutes(1))
                .until(() -> controlPlane.completed("unplannable").isPresent());
        assertThat(controlPlane.completed("unplannable").orElseThrow().getStatusReason())
                .isEqualTo("stage: \"WIAT\" (expected: WAIT). Correct the name.");
    }

    /// Its source may be gone, or a fault of ours is in the way: nothing waits for it.
    @Test
    void aStageThatCannotBeBegunFailsWithTheReasonAndTheOthersGoOn() {
        stages.broken.put(
                "d1-check",
                new Problem(
                        Problem.Code.REPOSITORY_UNREACHABLE,
                        "commit: c1 is gone",
                        "Push it again."));
        stages.broken.put("d2-check", new NullPointerException("a fault"));
        for (var id : List.of("d1", "d2", "d3")) runs.open(deployment(id, id), List.of());
        stages.finish("d3-check", new StageResult.Succeeded());
        stages.finish("d3-publish", new StageResult.Succeeded());

        for (var id : List.of("d1", "d2", "d3"))
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> controlPlane.completed(id).isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo("rolled back: stage CHECK: commit: c1 is gone. Push it again.");
        assertThat(controlPlane.completed("d2").orElseThrow().getStatusReason())
                .startsWith("rolled back: stage CHECK: an internal fault of the agent");
        assertThat(controlPlane.completed("d3").orElseThrow().getStatus())
                .isEqualTo(DeploymentStatus.DEPLOYMENT_SUCCESS);
    }

    @Test
    void aDeploymentTheJournalDoesNotKnowFailsItsRunningStageAndRollsBack() throws Exception {
        runs.reconcile(List.of(lost("d1")), _ -> Optional.empty(), _ -> {});

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo(
                        "rolled back: stage CHECK: its outcome cannot be known: the agent's journal was lost while"
                                + " it ran. Look at the target, then sync again.");
        assertThat(stages.order).containsExactly("stopped d1-check", "run d1-undo");
    }

    /// As the public agent leaves a stage that runs when it is stopped: an approval, for example.
    @Test
    void nothingFollowsAStageThatTheAgentBeforeCancelled() throws Exception {
        var left = lost("d1").toBuilder();
        left.getStagesBuilder(0).setStatus(StageStatus.STAGE_CANCELLED);

        runs.reconcile(List.of(left.build()), _ -> Optional.empty(), _ -> {});

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo("rolled back: cancelled by the agent that ran it before");
        assertThat(stages.order).containsExactly("stopped d1-check", "run d1-undo");
    }

    @Test
    void nothingFollowsAStageThatFailedBeforeItsAgentEnded() throws Exception {
        var left = lost("d1").toBuilder();
        left.getStagesBuilder(0).setStatus(StageStatus.STAGE_FAILURE).setStatusReason("broken");

        runs.reconcile(List.of(left.build()), _ -> Optional.empty(), _ -> {});

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo("rolled back: stage CHECK: broken");
    }

    @Test
    void aDeploymentThatIsOverAtTheControlPlaneIsStoppedHere() throws Exception {
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(Duration.ofMinutes(1))
                .until(() -> stages.running("d1-check") && outbox.waiting() == 0);

        runs.reconcile(
                List.of(),
                _ ->
                        Optional.of(
                                Deployment.newBuilder()
                                        .setStatus(DeploymentStatus.DEPLOYMENT_CANCELLED)
                                        .build()),
                _ -> {});

        await().atMost(Duration.ofMinutes(1)).until(() -> runs.active() == 0);
        assertThat(stages.stopped).containsExactly("d1-check");
    }

    private Orders orders() {
        return new Orders(runs, outbox, List.of(), _ -> {}, InstantSource.system());
    }
}
