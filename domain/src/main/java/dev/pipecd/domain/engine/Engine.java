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
import dev.pipecd.domain.engine.Observation.GateAnswer;
import dev.pipecd.domain.engine.Observation.GateAnswered;
import dev.pipecd.domain.engine.Observation.PlanFailed;
import dev.pipecd.domain.engine.Observation.PlanReady;
import dev.pipecd.domain.engine.Observation.StageAnswered;
import dev.pipecd.domain.engine.Observation.StageStopped;
import dev.pipecd.domain.engine.Observation.TakenUp;
import dev.pipecd.domain.engine.Observation.Withdrawn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Decides, from where a deployment stands and what was seen, what to record and what to do.
///
/// An observation that comes late or twice changes nothing.
public final class Engine {
    /// How long a stage that was told to stop may take before it counts as stopped.
    public static final Duration STOP_GRACE = Duration.ofSeconds(15);

    private final Instant now;
    private final List<DeploymentEvent> events = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private DeploymentState state;

    private Engine(DeploymentState state, Instant now) {
        this.state = state;
        this.now = now;
    }

    public static Decision decide(DeploymentState state, Observation seen, Instant now) {
        var engine = new Engine(state, now);
        engine.see(seen);
        return new Decision(engine.state, engine.events, engine.effects);
    }

    /// When time alone will next change something; empty when nothing waits for time.
    public static Optional<Instant> nextWake(DeploymentState state) {
        var times = new ArrayList<Instant>();
        if (state instanceof Running(_, _, var deadline)) times.add(deadline);
        for (var stage : state.progress().stages().values()) {
            switch (stage) {
                case StageState.Waiting(_, var until) -> times.add(until);
                case StageState.Running(_, var deadline) -> times.add(deadline);
                case StageState.Stopping(_, _, var until) -> times.add(until);
                case StageState.NotStarted(), StageState.Done _ -> {}
            }
        }
        return times.stream().min(Instant::compareTo);
    }

    private void see(Observation seen) {
        switch (state) {
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
            case TakenUp() -> effects.add(new Effect.MakePlan());
            case PlanReady(var plan) -> {
                record(new DeploymentEvent.PlanMade(plan));
                begin(plan);
            }
            case PlanFailed(var reason) ->
                    record(new DeploymentEvent.Ended(new Outcome.Failed(reason)));
            case CancelOrdered(var person, _) ->
                    record(new DeploymentEvent.Ended(new Outcome.Cancelled(person)));
            case Withdrawn(var outcome) -> record(new DeploymentEvent.Ended(outcome));
            case Observation.TimePassed(), GateAnswered _, StageAnswered _, StageStopped _ -> {}
        }
    }

    private void whilePlanned(Plan plan, Observation seen) {
        if (seen instanceof CancelOrdered(var person, _))
            record(new DeploymentEvent.Ended(new Outcome.Cancelled(person)));
        else if (seen instanceof TakenUp) begin(plan);
    }

    private void begin(Plan plan) {
        record(new DeploymentEvent.Began(now, now.plus(plan.limit())));
        goOn();
    }

    private void whileRunning(Running running, Observation seen) {
        switch (seen) {
            case TakenUp() -> takeUpStages();
            case GateAnswered(var stage, var answer) -> pass(stage, answer, running.deadline());
            case StageAnswered(var stage, var result) when active(stage) -> {
                move(stage, new StageEvent.Ended(result));
                after(running.plan().stage(stage), result, running.plan().autoRollback());
            }
            case CancelOrdered(var person, var wish) ->
                    halt(new Cause.CancelledBy(person), rollBack(wish, running.plan()));
            case Observation.TimePassed() -> watchTheClock(running);
            case StageAnswered _, StageStopped _, PlanReady _, PlanFailed _, Withdrawn _ -> {}
        }
    }

    private void after(PlannedStage stage, StageResult result, boolean autoRollback) {
        switch (result) {
            case StageResult.Succeeded _, StageResult.Skipped _ -> goOn();
            case StageResult.Exited _ -> record(new DeploymentEvent.Ended(new Outcome.Succeeded()));
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
            if (entry.getValue() instanceof StageState.Waiting(_, var until)
                    && !now.isBefore(until)) effects.add(new Effect.AskGate(entry.getKey()));
        }
    }

    private static Cause tooLong(PlannedStage stage) {
        return new Cause.TooLong(
                "stage %s took longer than %s".formatted(stage.name(), told(stage.limit())));
    }

    /// Everything that runs is told to stop; what follows is decided when it has.
    private void halt(Cause cause, boolean rollBack) {
        record(new DeploymentEvent.HaltOrdered(cause, rollBack));
        stopActive(cause);
        settle();
    }

    private void stopActive(Cause cause) {
        for (var entry : state.progress().stages().entrySet()) {
            if (entry.getValue() instanceof StageState.Running) {
                move(entry.getKey(), new StageEvent.StopOrdered(cause, now.plus(STOP_GRACE)));
                effects.add(new Effect.StopStage(entry.getKey(), cause.told()));
            }
        }
    }

    private void whileStopping(Observation seen, Halting halting) {
        if (seen instanceof CancelOrdered(var person, var wish)
                && rollBack(wish, halting.plan()) != halting.rollBack()
                && wish != Observation.RollbackWish.AS_PLANNED) {
            record(
                    new DeploymentEvent.HaltOrdered(
                            new Cause.CancelledBy(person), rollBack(wish, halting.plan())));
        }
        endStopped(seen);
        settle();
    }

    private void whileRollingBack(RollingBack rollingBack, Observation seen) {
        switch (seen) {
            case TakenUp() -> takeUpStages();
            case GateAnswered(var stage, var answer) -> pass(stage, answer, Instant.MAX);
            case CancelOrdered(var person, _) -> {
                record(new DeploymentEvent.AbortOrdered(person));
                stopActive(new Cause.CancelledBy(person));
                settle();
            }
            case StageAnswered _, StageStopped _ -> {
                if (endStopped(seen)) goOn();
            }
            case Observation.TimePassed() -> watchRollback(rollingBack);
            case PlanReady _, PlanFailed _, Withdrawn _ -> {}
        }
    }

    private void watchRollback(RollingBack rollingBack) {
        for (var entry : rollingBack.progress().stages().entrySet()) {
            if (entry.getValue() instanceof StageState.Running(_, var deadline)
                    && !now.isBefore(deadline))
                stopActive(tooLong(rollingBack.plan().stage(entry.getKey())));
            if (entry.getValue() instanceof StageState.Waiting(_, var until)
                    && !now.isBefore(until)) effects.add(new Effect.AskGate(entry.getKey()));
        }
        if (endStopped(new Observation.TimePassed())) goOn();
    }

    private void whileAborting(Observation seen) {
        endStopped(seen);
        settle();
    }

    /// Ends stages that answered, confirmed their stop, or did not confirm in time. True when one
    /// ended.
    private boolean endStopped(Observation seen) {
        var before = events.size();
        switch (seen) {
            case StageAnswered(var stage, var result) when active(stage) ->
                    move(stage, new StageEvent.Ended(honest(stage, result)));
            case StageStopped(var stage)
                    when state.progress().stage(stage) instanceof StageState.Stopping s ->
                    move(stage, new StageEvent.Ended(s.cause().stopped("")));
            case TakenUp() -> takeUpStages();
            case Observation.TimePassed() ->
                    state.progress()
                            .active()
                            .forEach((id, stage) -> {
                                if (stage instanceof StageState.Stopping(_, var cause, var until)
                                        && !now.isBefore(until))
                                    move(
                                            id,
                                            new StageEvent.Ended(
                                                    cause.stopped(
                                                            " (it did not confirm that it stopped)")));
                            });
            case StageAnswered _,
                    StageStopped _,
                    GateAnswered _,
                    PlanReady _,
                    PlanFailed _,
                    Withdrawn _,
                    CancelOrdered _ -> {}
        }
        return events.size() > before;
    }

    /// A stage told to stop that answers "failed" was stopped; one that answers "succeeded" did
    /// succeed.
    private StageResult honest(StageId stage, StageResult answered) {
        return state.progress().stage(stage) instanceof StageState.Stopping(_, var cause, _)
                        && answered instanceof StageResult.Failed
                ? cause.stopped("")
                : answered;
    }

    /// Once nothing runs any more: roll back, or end.
    private void settle() {
        if (state.progress().anyActive()) return;
        switch (state) {
            case Halting(var plan, _, var cause, var rollBack) -> {
                if (rollBack && !plan.rollback().isEmpty()) {
                    record(new DeploymentEvent.RollbackBegan(cause));
                    goOn();
                } else {
                    record(new DeploymentEvent.Ended(cause.outcome()));
                }
            }
            case AbortingRollback(_, _, var cause, var person) ->
                    record(
                            new DeploymentEvent.Ended(
                                    new Outcome.RollbackFailed(
                                            cause, "the rollback was stopped by " + person)));
            case Pending _, Planned _, Running _, RollingBack _, Finished _ -> {}
        }
    }

    /// Asks whether the next stage may start, or ends when there is none.
    private void goOn() {
        next().ifPresentOrElse(
                        stage -> effects.add(new Effect.AskGate(stage.id())),
                        () -> {
                            if (!state.progress().anyActive())
                                record(new DeploymentEvent.Ended(atTheEnd()));
                        });
    }

    private Outcome atTheEnd() {
        if (!(state instanceof RollingBack(var plan, var progress, var cause)))
            return new Outcome.Succeeded();
        var failed =
                plan.rollback().stream()
                        .filter(s ->
                                !(progress.stage(s.id()) instanceof StageState.Done(var r)
                                        && r.goesOn()))
                        .map(PlannedStage::name)
                        .toList();
        if (failed.isEmpty()) return new Outcome.RolledBack(cause);
        if (failed.size() < plan.rollback().size())
            return new Outcome.PartlyRolledBack(cause, failed);
        return new Outcome.RollbackFailed(
                cause, "no rollback stage completed: " + String.join(", ", failed));
    }

    private Optional<PlannedStage> next() {
        if (state.progress().anyActive()) return Optional.empty();
        return stages().stream().filter(s -> !state.progress().stage(s.id()).ended()).findFirst();
    }

    private List<PlannedStage> stages() {
        return switch (state) {
            case Running(var plan, _, _) -> plan.forward();
            case RollingBack(var plan, _, _) -> plan.rollback();
            case Pending _, Planned _, Halting _, AbortingRollback _, Finished _ -> List.of();
        };
    }

    private void pass(StageId id, GateAnswer answer, Instant noLaterThan) {
        var next = next();
        if (next.isEmpty() || !next.get().id().equals(id)) return;
        switch (answer) {
            case GateAnswer.Allow() -> start(next.get(), noLaterThan);
            case GateAnswer.Hold(var reason, var until) ->
                    move(id, new StageEvent.HeldBack(reason, until));
            case GateAnswer.Refuse(var reason) -> {
                var result = new StageResult.Failed(reason);
                move(id, new StageEvent.Ended(result));
                if (state instanceof Running(var plan, _, _))
                    after(next.get(), result, plan.autoRollback());
                else goOn();
            }
        }
    }

    private void start(PlannedStage stage, Instant noLaterThan) {
        var deadline = now.plus(stage.limit());
        if (deadline.isAfter(noLaterThan)) deadline = noLaterThan;
        move(stage.id(), new StageEvent.Started(now, deadline));
        effects.add(new Effect.RunStage(stage.id(), now, deadline));
    }

    /// After a restart: go on with what was begun, stop again what was stopping, ask again for what
    /// was due.
    private void takeUpStages() {
        for (var entry : state.progress().active().entrySet()) {
            switch (entry.getValue()) {
                case StageState.Running(var at, var deadline) ->
                        effects.add(new Effect.RunStage(entry.getKey(), at, deadline));
                case StageState.Stopping(_, var cause, _) ->
                        effects.add(new Effect.StopStage(entry.getKey(), cause.told()));
                case StageState.NotStarted(), StageState.Waiting _, StageState.Done _ -> {}
            }
        }
        if (state instanceof Running || state instanceof RollingBack) goOn();
    }

    private void move(StageId stage, StageEvent event) {
        record(new DeploymentEvent.StageMoved(stage, event));
    }

    private void record(DeploymentEvent event) {
        state = state.on(event);
        events.add(event);
    }

    private boolean active(StageId stage) {
        return state.progress().stage(stage).active();
    }

    private static boolean rollBack(Observation.RollbackWish wish, Plan plan) {
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
