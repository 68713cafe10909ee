// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.DeploymentState.Finished;
import dev.pipecd.domain.deployment.DeploymentState.Pending;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.domain.deployment.Progress;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.deployment.StageState;
import dev.pipecd.domain.engine.Observation.CancelOrdered;
import dev.pipecd.domain.engine.Observation.ClockJumped;
import dev.pipecd.domain.engine.Observation.GateAnswer.Allow;
import dev.pipecd.domain.engine.Observation.GateAnswer.Hold;
import dev.pipecd.domain.engine.Observation.GateAnswer.Refuse;
import dev.pipecd.domain.engine.Observation.GateAnswer.Skip;
import dev.pipecd.domain.engine.Observation.GateAnswered;
import dev.pipecd.domain.engine.Observation.PlanFailed;
import dev.pipecd.domain.engine.Observation.PlanReady;
import dev.pipecd.domain.engine.Observation.RollbackWish;
import dev.pipecd.domain.engine.Observation.StageAnswered;
import dev.pipecd.domain.engine.Observation.StageStopped;
import dev.pipecd.domain.engine.Observation.TakenUp;
import dev.pipecd.domain.engine.Observation.TimePassed;
import dev.pipecd.domain.engine.Observation.Withdrawn;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EngineTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final StageId CHECK = new StageId("check");
    private static final StageId PUBLISH = new StageId("publish");
    private static final StageId UNDO = new StageId("undo");
    private static final Plan PLAN =
            new Plan(
                    List.of(
                            new PlannedStage(CHECK, "CHECK", false, Duration.ofMinutes(10)),
                            new PlannedStage(PUBLISH, "PUBLISH", false, Duration.ofMinutes(10)),
                            new PlannedStage(UNDO, "UNDO", true, Duration.ofMinutes(5))),
                    Duration.ofHours(1),
                    true);

    private static final StageId UNDO_MORE = new StageId("undo more");
    private static final Plan TWO_TO_UNDO =
            new Plan(
                    List.of(
                            new PlannedStage(CHECK, "CHECK", false, Duration.ofMinutes(10)),
                            new PlannedStage(UNDO, "UNDO", true, Duration.ofMinutes(5)),
                            new PlannedStage(UNDO_MORE, "UNDO_MORE", true, Duration.ofMinutes(5))),
                    Duration.ofHours(1),
                    true);

    private Instant now = START;
    private DeploymentState state = new Pending();

    @Test
    void stagesRunOneAfterAnotherAndTheEndIsSuccess() {
        assertThat(see(new TakenUp())).containsExactly(new Effect.MakePlan());
        assertThat(see(new PlanReady(PLAN))).containsExactly(new Effect.AskGate(CHECK));
        assertThat(see(new GateAnswered(CHECK, new Allow())))
                .containsExactly(new Effect.RunStage(CHECK, START, START.plusSeconds(600)));
        assertThat(see(new StageAnswered(CHECK, new StageResult.Succeeded())))
                .containsExactly(new Effect.AskGate(PUBLISH));
        see(new GateAnswered(PUBLISH, new Allow()));
        assertThat(see(new StageAnswered(PUBLISH, new StageResult.Succeeded()))).isEmpty();

        assertThat(outcome()).isEqualTo(new Outcome.Succeeded());
        assertThat(state.progress().stage(UNDO)).isEqualTo(new StageState.NotStarted());
    }

    @Test
    void aFailedStageIsFollowedByTheRollbackStages() {
        running(CHECK);

        assertThat(see(new StageAnswered(CHECK, new StageResult.Failed("exit 1"))))
                .containsExactly(new Effect.AskGate(UNDO));
        see(new GateAnswered(UNDO, new Allow()));
        see(new StageAnswered(UNDO, new StageResult.Succeeded()));

        assertThat(outcome())
                .isEqualTo(new Outcome.RolledBack(new Cause.StageFailed("stage CHECK: exit 1")));
    }

    @Test
    void aRollbackThatFailsSaysSo() {
        running(CHECK);
        see(new StageAnswered(CHECK, new StageResult.Failed("exit 1")));
        see(new GateAnswered(UNDO, new Allow()));
        see(new StageAnswered(UNDO, new StageResult.Failed("exit 2")));

        assertThat(outcome().told())
                .isEqualTo(
                        "rollback failed (no rollback stage completed: UNDO) after: stage CHECK: exit 1");
        assertThat(outcome().status()).isEqualTo(Outcome.PublicStatus.FAILURE);
    }

    @Test
    void aCancelStopsWhatRunsAndOnlyThenRollsBack() {
        running(CHECK);

        assertThat(see(new CancelOrdered("ann", RollbackWish.AS_PLANNED)))
                .containsExactly(new Effect.StopStage(CHECK, "cancelled by ann"));
        assertThat(see(new StageStopped(CHECK))).containsExactly(new Effect.AskGate(UNDO));
        see(new GateAnswered(UNDO, new Allow()));
        see(new StageAnswered(UNDO, new StageResult.Succeeded()));

        assertThat(outcome()).isEqualTo(new Outcome.RolledBack(new Cause.CancelledBy("ann")));
        assertThat(outcome().status()).isEqualTo(Outcome.PublicStatus.CANCELLED);
        assertThat(state.progress().stage(CHECK))
                .isEqualTo(new StageState.Done(new StageResult.Cancelled("ann")));
    }

    @Test
    void aCancelWithoutRollbackEndsAtOnce() {
        running(CHECK);
        see(new CancelOrdered("ann", RollbackWish.NEVER));
        see(new StageStopped(CHECK));

        assertThat(outcome()).isEqualTo(new Outcome.Cancelled("ann"));
    }

    @Test
    void aCancelWhilePlanningEndsAtOnceAndALatePlanChangesNothing() {
        see(new TakenUp());
        see(new CancelOrdered("ann", RollbackWish.AS_PLANNED));

        assertThat(see(new PlanReady(PLAN))).isEmpty();
        assertThat(outcome()).isEqualTo(new Outcome.Cancelled("ann"));
    }

    @Test
    void aCancelWhileRollingBackStopsTheRollback() {
        running(CHECK);
        see(new StageAnswered(CHECK, new StageResult.Failed("exit 1")));
        see(new GateAnswered(UNDO, new Allow()));

        assertThat(see(new CancelOrdered("ann", RollbackWish.AS_PLANNED)))
                .containsExactly(new Effect.StopStage(UNDO, "cancelled by ann"));
        see(new StageStopped(UNDO));

        assertThat(outcome().told())
                .isEqualTo(
                        "rollback failed (the rollback was stopped by ann) after: stage CHECK: exit 1");
    }

    @Test
    void aStageThatSucceedsWhileItIsBeingStoppedDidSucceed() {
        running(CHECK);
        see(new CancelOrdered("ann", RollbackWish.NEVER));
        see(new StageAnswered(CHECK, new StageResult.Succeeded()));

        assertThat(state.progress().stage(CHECK))
                .isEqualTo(new StageState.Done(new StageResult.Succeeded()));
        assertThat(outcome()).isEqualTo(new Outcome.Cancelled("ann"));
    }

    @Test
    void aStageThatDoesNotConfirmItsStopCountsAsStoppedAfterTheGrace() {
        running(CHECK);
        see(new CancelOrdered("ann", RollbackWish.NEVER));
        assertThat(Engine.nextWake(state)).hasValue(START.plus(Engine.STOP_GRACE));

        now = START.plus(Engine.STOP_GRACE);
        see(new TimePassed());

        assertThat(outcome()).isEqualTo(new Outcome.Cancelled("ann"));
        assertThat(state.progress().stage(CHECK))
                .isEqualTo(
                        new StageState.Done(
                                new StageResult.Cancelled(
                                        "ann (it did not confirm that it stopped)")));
    }

    @Test
    void aStageThatRunsTooLongIsStoppedAndTheOutcomeSaysTimedOut() {
        running(CHECK);
        now = START.plusSeconds(600);

        assertThat(see(new TimePassed()))
                .containsExactly(new Effect.StopStage(CHECK, "stage CHECK took longer than 10m"));
        see(new StageStopped(CHECK));
        see(new GateAnswered(UNDO, new Allow()));
        see(new StageAnswered(UNDO, new StageResult.Succeeded()));

        assertThat(outcome())
                .isEqualTo(
                        new Outcome.RolledBack(
                                new Cause.TooLong("stage CHECK took longer than 10m")));
    }

    @Test
    void aRollbackStageHasADeadlineToo() {
        running(CHECK);
        see(new StageAnswered(CHECK, new StageResult.Failed("exit 1")));
        see(new GateAnswered(UNDO, new Allow()));
        now = START.plusSeconds(300);

        assertThat(see(new TimePassed()))
                .containsExactly(new Effect.StopStage(UNDO, "stage UNDO took longer than 5m"));
        see(new StageStopped(UNDO));

        assertThat(outcome()).isInstanceOf(Outcome.RollbackFailed.class);
    }

    @Test
    void theRollbackAsAWholeHasADeadlineToo() {
        state =
                new DeploymentState.RollingBack(
                        TWO_TO_UNDO,
                        Progress.of(TWO_TO_UNDO)
                                .on(UNDO, new StageEvent.Started(START, START.plusSeconds(300)))
                                .on(UNDO, new StageEvent.Ended(new StageResult.Succeeded())),
                        new Cause.StageFailed("exit 1"),
                        START.plusSeconds(400));
        see(new GateAnswered(UNDO_MORE, new Hold("frozen", START.plusSeconds(10_000))));
        assertThat(Engine.nextWake(state)).hasValue(START.plusSeconds(400));

        now = START.plusSeconds(400);
        see(new TimePassed());

        assertThat(outcome().told())
                .isEqualTo("partly rolled back: exit 1; not undone: UNDO_MORE (not begun)");
    }

    @Test
    void aRollbackStageIsDueNoLaterThanTheRollback() {
        running(CHECK);
        now = START.plusSeconds(10);
        see(new StageAnswered(CHECK, new StageResult.Failed("exit 1")));
        now = now.plus(Duration.ofMinutes(58));

        assertThat(see(new GateAnswered(UNDO, new Allow())))
                .containsExactly(new Effect.RunStage(UNDO, now, START.plusSeconds(3610)));
    }

    @Test
    void whatWasUndoneBeforeARollbackWasStoppedIsTold() {
        state =
                new DeploymentState.RollingBack(
                        TWO_TO_UNDO,
                        Progress.of(TWO_TO_UNDO)
                                .on(UNDO, new StageEvent.Started(START, START.plusSeconds(300)))
                                .on(UNDO, new StageEvent.Ended(new StageResult.Succeeded())),
                        new Cause.StageFailed("exit 1"),
                        START.plusSeconds(400));
        see(new GateAnswered(UNDO_MORE, new Allow()));
        see(new CancelOrdered("ann", RollbackWish.AS_PLANNED));
        see(new StageStopped(UNDO_MORE));

        assertThat(outcome().told())
                .isEqualTo("partly rolled back: exit 1; not undone: UNDO_MORE (cancelled by ann)");
    }

    @Test
    void whoOrdersARollbackDoesNotStopTheOneThatRuns() {
        running(CHECK);
        see(new StageAnswered(CHECK, new StageResult.Failed("exit 1")));
        see(new GateAnswered(UNDO, new Allow()));

        assertThat(see(new CancelOrdered("ann", RollbackWish.ALWAYS))).isEmpty();
        see(new StageAnswered(UNDO, new StageResult.Exited("nothing to undo")));

        assertThat(outcome()).isInstanceOf(Outcome.RolledBack.class);
    }

    @Test
    void aRollbackCanBeOrderedWhereNoneIsPlannedAndRefusedWhereOneIs() {
        see(new PlanReady(new Plan(PLAN.stages(), PLAN.limit(), false)));
        see(new GateAnswered(CHECK, new Allow()));
        see(new CancelOrdered("ann", RollbackWish.NEVER));
        assertThat(see(new CancelOrdered("bob", RollbackWish.ALWAYS))).isEmpty();

        assertThat(see(new StageStopped(CHECK))).containsExactly(new Effect.AskGate(UNDO));
    }

    @Test
    void aClockThatIsSetTakesNoTimeFromWhatRuns() {
        running(CHECK);
        now = START.plusSeconds(60).plus(Duration.ofHours(1));

        see(new ClockJumped(Duration.ofHours(1)));
        assertThat(see(new TimePassed())).isEmpty();
        assertThat(Engine.nextWake(state)).hasValue(START.plusSeconds(600 + 3600));
        see(new ClockJumped(Duration.ofHours(-2)));

        assertThat(Engine.nextWake(state)).hasValue(START.plusSeconds(600 - 3600));
    }

    @Test
    void aStageThatThisChangeDoesNotNeedIsSkippedWithoutHavingStarted() {
        see(new PlanReady(PLAN));

        assertThat(see(new GateAnswered(CHECK, new Skip("only docs changed"))))
                .containsExactly(new Effect.AskGate(PUBLISH));
        assertThat(state.progress().stage(CHECK))
                .isEqualTo(new StageState.Done(new StageResult.Skipped("only docs changed")));
    }

    @Test
    void planningThatTakesTooLongIsTimedOut() {
        see(new TakenUp());
        see(new Withdrawn(new Outcome.TimedOut("planning took longer than 30m")));

        assertThat(outcome()).isEqualTo(new Outcome.TimedOut("planning took longer than 30m"));
    }

    @Test
    void aStageThatWaitedWhenAllWasHaltedWakesNobodyLater() {
        see(new PlanReady(PLAN));
        see(new GateAnswered(CHECK, new Hold("frozen until noon", START.plusSeconds(60))));
        see(new CancelOrdered("ann", RollbackWish.ALWAYS));

        assertThat(Engine.nextWake(state)).hasValue(START.plus(PLAN.limit()));
        now = START.plusSeconds(60);
        assertThat(see(new TimePassed())).isEmpty();
    }

    @Test
    void aGateThatHoldsMakesTheStageWaitWithItsReasonAndIsAskedAgain() {
        see(new PlanReady(PLAN));
        see(new GateAnswered(CHECK, new Hold("frozen until noon", START.plusSeconds(60))));
        assertThat(state.progress().stage(CHECK))
                .isEqualTo(new StageState.Waiting("frozen until noon", START.plusSeconds(60)));

        now = START.plusSeconds(60);
        assertThat(see(new TimePassed())).containsExactly(new Effect.AskGate(CHECK));
        assertThat(see(new GateAnswered(CHECK, new Allow()))).hasSize(1);
    }

    @Test
    void aGateThatRefusesFailsTheStage() {
        see(new PlanReady(PLAN));
        see(new GateAnswered(CHECK, new Refuse("quarantined revision")));
        see(new GateAnswered(UNDO, new Allow()));
        see(new StageAnswered(UNDO, new StageResult.Succeeded()));

        assertThat(outcome())
                .isEqualTo(
                        new Outcome.RolledBack(
                                new Cause.StageFailed("stage CHECK: quarantined revision")));
    }

    @Test
    void anExitedStageEndsTheDeploymentWithSuccess() {
        running(CHECK);
        see(new StageAnswered(CHECK, new StageResult.Exited("no changes")));

        assertThat(outcome()).isEqualTo(new Outcome.Succeeded());
    }

    @Test
    void aRestartGoesOnWithTheRunningStageAndDoesNotStartItsClockAnew() {
        running(CHECK);
        now = START.plusSeconds(120);

        assertThat(see(new TakenUp()))
                .containsExactly(new Effect.RunStage(CHECK, START, START.plusSeconds(600)));
    }

    @Test
    void aRestartWhileStoppingStopsAgain() {
        running(CHECK);
        see(new CancelOrdered("ann", RollbackWish.NEVER));

        assertThat(see(new TakenUp()))
                .containsExactly(new Effect.StopStage(CHECK, "cancelled by ann"));
    }

    @Test
    void whatCannotBePlannedIsAFailedDeploymentWithTheReason() {
        see(new PlanFailed("stage: \"WIAT\" (expected: WAIT)"));

        assertThat(outcome()).isEqualTo(new Outcome.Failed("stage: \"WIAT\" (expected: WAIT)"));
    }

    private void running(StageId stage) {
        see(new PlanReady(PLAN));
        see(new GateAnswered(stage, new Allow()));
    }

    private List<Effect> see(Observation seen) {
        var decision = Engine.decide(state, seen, now);
        var replayed = state;
        for (var event : decision.events()) replayed = replayed.on(event);
        assertThat(replayed).isEqualTo(decision.state());
        state = decision.state();
        return decision.effects();
    }

    private Outcome outcome() {
        assertThat(state).isInstanceOf(Finished.class);
        return ((Finished) state).outcome();
    }
}
