// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.engine;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.DeploymentState.AbortingRollback;
import dev.pipecd.domain.deployment.DeploymentState.Finished;
import dev.pipecd.domain.deployment.DeploymentState.Halting;
import dev.pipecd.domain.deployment.DeploymentState.Pending;
import dev.pipecd.domain.deployment.DeploymentState.Planned;
import dev.pipecd.domain.deployment.DeploymentState.RollingBack;
import dev.pipecd.domain.deployment.DeploymentState.Running;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.deployment.StageState;
import dev.pipecd.domain.engine.Observation.CancelOrdered;
import dev.pipecd.domain.engine.Observation.ClockJumped;
import dev.pipecd.domain.engine.Observation.GateAnswer;
import dev.pipecd.domain.engine.Observation.GateAnswered;
import dev.pipecd.domain.engine.Observation.PlanFailed;
import dev.pipecd.domain.engine.Observation.PlanReady;
import dev.pipecd.domain.engine.Observation.RollbackWish;
import dev.pipecd.domain.engine.Observation.StageAnswered;
import dev.pipecd.domain.engine.Observation.StageStopped;
import dev.pipecd.domain.engine.Observation.TakenUp;
import dev.pipecd.domain.engine.Observation.Withdrawn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;

/// Decides, from where a deployment stands and what was seen, what to record and what to do.
///
/// An observation that comes late or twice changes nothing.
public final class Engine {
    /// How long a stage that was told to stop may take before it counts as stopped.
    public static final Duration STOP_GRACE = Duration.ofSeconds(15);

    private final Instant now;
    private final Steps steps;

    private Engine(DeploymentState state, Instant now) {
        this.now = now;
        this.steps = new Steps(state, now);
    }

    public static Decision decide(DeploymentState state, Observation seen, Instant now) {
        var engine = new Engine(state, now);
        engine.see(seen);
        return engine.steps.decision();
    }

    /// When time alone will next change something; empty when nothing waits for time.
    public static Optional<Instant> nextWake(DeploymentState state) {
        var times = new ArrayList<Instant>();
        if (state instanceof Running(_, _, var deadline)) times.add(deadline);
        if (state instanceof RollingBack(_, _, _, var deadline)) times.add(deadline);
        for (var stage : state.progress().active().values()) {
            if (stage instanceof StageState.Running(_, var deadline)) times.add(deadline);
            if (stage instanceof StageState.Stopping(_, _, var until)) times.add(until);
        }
        for (var stage : new Steps(state, Instant.EPOCH).due())
            if (state.progress().stage(stage.id()) instanceof StageState.Waiting(_, var until))
                times.add(until);
        return times.stream().min(Instant::compareTo);
    }

    private void see(Observation seen) {
        if (seen instanceof ClockJumped(var by)) moveDeadlines(by);
        else decide(seen);
    }

    private void moveDeadlines(Duration by) {
        switch (steps.state()) {
            case Running _, Halting _, RollingBack _, AbortingRollback _ ->
                    steps.record(new DeploymentEvent.ClockMoved(by));
            case Pending _, Planned _, Finished _ -> {}
        }
    }

    private void decide(Observation seen) {
        switch (steps.state()) {
            case Pending() -> whilePending(seen);
            case Planned(var plan) -> whilePlanned(plan, seen);
            case Running running -> whileRunning(running, seen);
            case Halting halting -> whileStopping(seen, halting);
            case RollingBack rollingBack -> whileRollingBack(rollingBack, seen);
            case AbortingRollback _ -> whileAborting(seen);
            case Finished _ -> {}
        }
    }

    private void whilePending(Observation seen) {
        switch (seen) {
            case TakenUp() -> steps.ask(new Effect.MakePlan());
            case PlanReady(var plan) -> {
                steps.record(new DeploymentEvent.PlanMade(plan));
                begin(plan);
            }
            case PlanFailed(var reason) ->
                    steps.record(new DeploymentEvent.Ended(new Outcome.Failed(reason)));
            case CancelOrdered(var person, _) ->
                    steps.record(new DeploymentEvent.Ended(new Outcome.Cancelled(person)));
            case Withdrawn(var outcome) -> steps.record(new DeploymentEvent.Ended(outcome));
            case Observation.TimePassed(),
                    ClockJumped _,
                    GateAnswered _,
                    StageAnswered _,
                    StageStopped _ -> {}
        }
    }

    private void whilePlanned(Plan plan, Observation seen) {
        if (seen instanceof CancelOrdered(var person, _))
            steps.record(new DeploymentEvent.Ended(new Outcome.Cancelled(person)));
        else if (seen instanceof TakenUp) begin(plan);
    }

    private void begin(Plan plan) {
        steps.record(new DeploymentEvent.Began(now, now.plus(plan.limit())));
        steps.goOn();
    }

    private void whileRunning(Running running, Observation seen) {
        switch (seen) {
            case TakenUp() -> steps.takeUpStages();
            case GateAnswered(var stage, var answer) -> pass(stage, answer, running.deadline());
            case StageAnswered(var stage, var result) when steps.active(stage) -> {
                steps.move(stage, new StageEvent.Ended(result));
                after(running.plan().stage(stage), result, running.plan().autoRollback());
            }
            case CancelOrdered(var person, var wish) ->
                    halt(new Cause.CancelledBy(person), rollBack(wish, running.plan()));
            case Observation.TimePassed() -> watchTheClock(running);
            case StageAnswered _,
                    StageStopped _,
                    ClockJumped _,
                    PlanReady _,
                    PlanFailed _,
                    Withdrawn _ -> {}
        }
    }

    private void after(PlannedStage stage, StageResult result, boolean autoRollback) {
        switch (result) {
            case StageResult.Succeeded _, StageResult.Skipped _, StageResult.Exited _ ->
                    steps.goOn();
            case StageResult.Failed(var reason) ->
                    halt(
                            new Cause.StageFailed("stage " + stage.name() + ": " + reason),
                            autoRollback);
            case StageResult.TimedOut(var reason) ->
                    halt(new Cause.TooLong("stage " + stage.name() + ": " + reason), autoRollback);
            case StageResult.Cancelled(var person) ->
                    halt(new Cause.CancelledBy(person), autoRollback);
        }
    }

    private void watchTheClock(Running running) {
        if (!now.isBefore(running.deadline())) {
            halt(
                    new Cause.TooLong(
                            "the deployment took longer than " + told(running.plan().limit())),
                    running.plan().autoRollback());
            return;
        }
        for (var entry : running.progress().stages().entrySet()) {
            var planned = running.plan().stage(entry.getKey());
            if (entry.getValue() instanceof StageState.Running(_, var deadline)
                    && !now.isBefore(deadline)) {
                halt(tooLong(planned), running.plan().autoRollback());
                return;
            }
        }
        askAgain();
    }

    private static Cause tooLong(PlannedStage stage) {
        return new Cause.TooLong(
                "stage %s took longer than %s".formatted(stage.name(), told(stage.limit())));
    }

    /// Everything that runs is told to stop; what follows is decided when it has.
    private void halt(Cause cause, boolean rollBack) {
        steps.record(new DeploymentEvent.HaltOrdered(cause, rollBack));
        steps.stopActive(cause);
        settle();
    }

    private void whileStopping(Observation seen, Halting halting) {
        if (seen instanceof CancelOrdered(var person, var wish)
                && rollBack(wish, halting.plan()) != halting.rollBack()
                && wish != RollbackWish.AS_PLANNED) {
            steps.record(
                    new DeploymentEvent.HaltOrdered(
                            new Cause.CancelledBy(person), rollBack(wish, halting.plan())));
        }
        endStopped(seen);
        settle();
    }

    private void whileRollingBack(RollingBack rollingBack, Observation seen) {
        switch (seen) {
            case TakenUp() -> steps.takeUpStages();
            case GateAnswered(var stage, var answer) -> pass(stage, answer, rollingBack.deadline());
            case CancelOrdered(var person, var wish) -> {
                // Who wants it rolled back does not mean to stop that.
                if (wish != RollbackWish.ALWAYS) abort(new Cause.CancelledBy(person));
            }
            case StageAnswered _, StageStopped _ -> {
                if (endStopped(seen)) steps.goOn();
            }
            case Observation.TimePassed() -> watchRollback(rollingBack);
            case ClockJumped _, PlanReady _, PlanFailed _, Withdrawn _ -> {}
        }
    }

    private void abort(Cause why) {
        steps.record(new DeploymentEvent.AbortOrdered(why));
        steps.stopActive(why);
        settle();
    }

    private void watchRollback(RollingBack rollingBack) {
        if (!now.isBefore(rollingBack.deadline())) {
            abort(
                    new Cause.TooLong(
                            "the rollback took longer than " + told(rollingBack.plan().limit())));
            return;
        }
        for (var entry : rollingBack.progress().stages().entrySet()) {
            if (entry.getValue() instanceof StageState.Running(_, var deadline)
                    && !now.isBefore(deadline))
                steps.stop(entry.getKey(), tooLong(rollingBack.plan().stage(entry.getKey())));
        }
        askAgain();
        if (endStopped(new Observation.TimePassed())) steps.goOn();
    }

    private void askAgain() {
        for (var stage : steps.due())
            if (steps.state().progress().stage(stage.id())
                            instanceof StageState.Waiting(_, var until)
                    && !now.isBefore(until)) steps.ask(new Effect.AskGate(stage.id()));
    }

    private void whileAborting(Observation seen) {
        endStopped(seen);
        settle();
    }

    /// Ends stages that answered, confirmed their stop, or did not confirm in time. True when one
    /// ended.
    private boolean endStopped(Observation seen) {
        var before = steps.recorded();
        switch (seen) {
            case StageAnswered(var stage, var result) when steps.active(stage) ->
                    steps.move(stage, new StageEvent.Ended(honest(stage, result)));
            case StageStopped(var stage)
                    when steps.state().progress().stage(stage) instanceof StageState.Stopping s ->
                    steps.move(stage, new StageEvent.Ended(s.cause().stopped("")));
            case TakenUp() -> steps.takeUpStages();
            case Observation.TimePassed() ->
                    steps.state()
                            .progress()
                            .active()
                            .forEach((id, stage) -> {
                                if (stage instanceof StageState.Stopping(_, var cause, var until)
                                        && !now.isBefore(until))
                                    steps.move(
                                            id,
                                            new StageEvent.Ended(
                                                    cause.stopped(
                                                            " (it did not confirm that it stopped)")));
                            });
            case StageAnswered _,
                    StageStopped _,
                    GateAnswered _,
                    ClockJumped _,
                    PlanReady _,
                    PlanFailed _,
                    Withdrawn _,
                    CancelOrdered _ -> {}
        }
        return steps.recorded() > before;
    }

    /// A stage told to stop that answers "failed" was stopped; one that answers "succeeded" did
    /// succeed.
    private StageResult honest(StageId stage, StageResult answered) {
        return steps.state().progress().stage(stage) instanceof StageState.Stopping(_, var cause, _)
                        && answered instanceof StageResult.Failed
                ? cause.stopped("")
                : answered;
    }

    /// Once nothing runs any more: roll back, or end.
    private void settle() {
        if (steps.state().progress().anyActive()) return;
        switch (steps.state()) {
            case Halting(var plan, _, var cause, var rollBack) -> {
                if (rollBack && !plan.rollback().isEmpty()) {
                    steps.record(new DeploymentEvent.RollbackBegan(cause, now.plus(plan.limit())));
                    steps.goOn();
                } else {
                    steps.record(new DeploymentEvent.Ended(cause.outcome()));
                }
            }
            case AbortingRollback(var plan, var progress, var cause, var why) ->
                    steps.record(
                            new DeploymentEvent.Ended(
                                    new Undoing(plan, progress, cause).stopped(why)));
            case Pending _, Planned _, Running _, RollingBack _, Finished _ -> {}
        }
    }

    private void pass(StageId id, GateAnswer answer, Instant noLaterThan) {
        var due = steps.due().stream().filter(s -> s.id().equals(id)).findFirst();
        if (due.isEmpty()) return;
        switch (answer) {
            case GateAnswer.Allow() -> steps.start(due.get(), noLaterThan);
            case GateAnswer.Hold(var reason, var until) ->
                    steps.move(id, new StageEvent.HeldBack(reason, until));
            case GateAnswer.Refuse(var reason) ->
                    endBeforeStart(id, new StageResult.Failed(reason));
            case GateAnswer.Skip(var reason) -> endBeforeStart(id, new StageResult.Skipped(reason));
        }
    }

    private void endBeforeStart(StageId id, StageResult result) {
        steps.move(id, new StageEvent.Ended(result));
        if (steps.state() instanceof Running(var plan, _, _))
            after(plan.stage(id), result, plan.autoRollback());
        else steps.goOn();
    }

    private static boolean rollBack(RollbackWish wish, Plan plan) {
        return switch (wish) {
            case AS_PLANNED -> plan.autoRollback();
            case ALWAYS -> true;
            case NEVER -> false;
        };
    }

    private static String told(Duration duration) {
        return duration.toString().substring(2).toLowerCase(java.util.Locale.ROOT);
    }
}
