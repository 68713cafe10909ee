// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.DeploymentEvent.AbortOrdered;
import dev.pipecd.domain.deployment.DeploymentEvent.Began;
import dev.pipecd.domain.deployment.DeploymentEvent.ClockMoved;
import dev.pipecd.domain.deployment.DeploymentEvent.Ended;
import dev.pipecd.domain.deployment.DeploymentEvent.HaltOrdered;
import dev.pipecd.domain.deployment.DeploymentEvent.PlanMade;
import dev.pipecd.domain.deployment.DeploymentEvent.RollbackBegan;
import dev.pipecd.domain.deployment.DeploymentEvent.StageMoved;
import java.time.Instant;

/// Where a deployment stands. `on` is the whole diagram: one arrow a line.
public sealed interface DeploymentState {
    record Pending() implements DeploymentState {}

    record Planned(Plan plan) implements DeploymentState {}

    record Running(Plan plan, Progress progress, Instant deadline) implements DeploymentState {}

    /// It will not go on; what still runs is stopping.
    record Halting(Plan plan, Progress progress, Cause cause, boolean rollBack)
            implements DeploymentState {}

    record RollingBack(Plan plan, Progress progress, Cause cause, Instant deadline)
            implements DeploymentState {}

    /// The rollback was told to stop; what still runs of it is stopping.
    record AbortingRollback(Plan plan, Progress progress, Cause cause, Cause why)
            implements DeploymentState {}

    record Finished(Outcome outcome, Progress progress) implements DeploymentState {}

    default DeploymentState on(DeploymentEvent event) {
        return switch (new Step(this, event)) {
            case Step(Pending _, PlanMade(var plan)) -> new Planned(plan);
            case Step(Pending _, Ended(var outcome)) when endsBeforeWork(outcome) ->
                    new Finished(outcome, Progress.NONE);
            case Step(Planned(var plan), Began(_, var deadline)) ->
                    new Running(plan, Progress.of(plan), deadline);
            case Step(Planned(var plan), Ended(var outcome)) when endsBeforeWork(outcome) ->
                    new Finished(outcome, Progress.of(plan));
            case Step(Running(var plan, var at, var end), StageMoved(var stage, var moved))
                    when !rollback(plan, stage) ->
                    new Running(plan, at.on(stage, moved), end);
            case Step(Running(var plan, var at, _), HaltOrdered(var cause, var rollBack)) ->
                    new Halting(plan, at, cause, rollBack);
            case Step(Running(_, var at, _), Ended(var outcome))
                    when outcome instanceof Outcome.Succeeded && !at.anyActive() ->
                    new Finished(outcome, at);
            case Step(
                            Halting(var plan, var at, var cause, var rollBack),
                            StageMoved(var stage, var moved))
                    when !rollback(plan, stage) && !(moved instanceof StageEvent.Started) ->
                    new Halting(plan, at.on(stage, moved), cause, rollBack);
            case Step(Halting(var plan, var at, _, var rollBack), HaltOrdered(var cause, var again))
                    when rollBack != again ->
                    new Halting(plan, at, cause, again);
            case Step(Halting(var plan, var at, _, _), RollbackBegan(var cause, var end))
                    when !at.anyActive() ->
                    new RollingBack(plan, at, cause, end);
            case Step(Halting(_, var at, _, _), Ended(var outcome))
                    when !at.anyActive() && endsWithoutRollback(outcome) ->
                    new Finished(outcome, at);
            case Step(
                            RollingBack(var plan, var at, var cause, var end),
                            StageMoved(var stage, var moved))
                    when rollback(plan, stage) ->
                    new RollingBack(plan, at.on(stage, moved), cause, end);
            case Step(RollingBack(_, var at, _, _), Ended(var outcome))
                    when !at.anyActive() && endsRollback(outcome) ->
                    new Finished(outcome, at);
            case Step(RollingBack(var plan, var at, var cause, _), AbortOrdered(var why)) ->
                    new AbortingRollback(plan, at, cause, why);
            case Step(
                            AbortingRollback(var plan, var at, var cause, var why),
                            StageMoved(var stage, var moved))
                    when rollback(plan, stage) && !(moved instanceof StageEvent.Started) ->
                    new AbortingRollback(plan, at.on(stage, moved), cause, why);
            case Step(AbortingRollback(_, var at, _, _), Ended(var outcome))
                    when !at.anyActive() && endsRollback(outcome) ->
                    new Finished(outcome, at);
            case Step(var from, ClockMoved moved) -> from.shifted(moved);
            case Step(var from, Ended(Outcome.Lost lost)) when from.working() ->
                    new Finished(lost, from.progress());
            case Step(Finished(Outcome.Lost _, var at), Ended(var outcome))
                    when !(outcome instanceof Outcome.Lost) ->
                    new Finished(outcome, at);
            case Step(var from, var refused) -> throw new IllegalTransition(from, refused);
        };
    }

    /// Deadlines are as far away as before the clock was set.
    private DeploymentState shifted(ClockMoved moved) {
        var by = moved.by();
        return switch (this) {
            case Running(var plan, var at, var end) -> new Running(plan, at.on(by), end.plus(by));
            case Halting(var plan, var at, var cause, var rollBack) ->
                    new Halting(plan, at.on(by), cause, rollBack);
            case RollingBack(var plan, var at, var cause, var end) ->
                    new RollingBack(plan, at.on(by), cause, end.plus(by));
            case AbortingRollback(var plan, var at, var cause, var why) ->
                    new AbortingRollback(plan, at.on(by), cause, why);
            case Pending _, Planned _, Finished _ -> throw new IllegalTransition(this, moved);
        };
    }

    /// Begun and not ended.
    private boolean working() {
        return switch (this) {
            case Running _, Halting _, RollingBack _, AbortingRollback _ -> true;
            case Pending _, Planned _, Finished _ -> false;
        };
    }

    private static boolean rollback(Plan plan, StageId stage) {
        return plan.stage(stage).rollback();
    }

    private static boolean endsBeforeWork(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Failed _,
                    Outcome.Cancelled _,
                    Outcome.TimedOut _,
                    Outcome.Superseded _,
                    Outcome.Lost _ ->
                    true;
            case Outcome.Succeeded _,
                    Outcome.RolledBack _,
                    Outcome.PartlyRolledBack _,
                    Outcome.RollbackFailed _ ->
                    false;
        };
    }

    private static boolean endsWithoutRollback(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Failed _, Outcome.Cancelled _, Outcome.TimedOut _ -> true;
            case Outcome.Succeeded _,
                    Outcome.Superseded _,
                    Outcome.Lost _,
                    Outcome.RolledBack _,
                    Outcome.PartlyRolledBack _,
                    Outcome.RollbackFailed _ ->
                    false;
        };
    }

    private static boolean endsRollback(Outcome outcome) {
        return switch (outcome) {
            case Outcome.RolledBack _, Outcome.PartlyRolledBack _, Outcome.RollbackFailed _ -> true;
            case Outcome.Succeeded _,
                    Outcome.Failed _,
                    Outcome.Cancelled _,
                    Outcome.TimedOut _,
                    Outcome.Superseded _,
                    Outcome.Lost _ ->
                    false;
        };
    }

    /// Where its stages stand.
    default Progress progress() {
        return switch (this) {
            case Pending(), Planned _ -> Progress.NONE;
            case Running(_, var progress, _) -> progress;
            case Halting(_, var progress, _, _) -> progress;
            case RollingBack(_, var progress, _, _) -> progress;
            case AbortingRollback(_, var progress, _, _) -> progress;
            case Finished(_, var progress) -> progress;
        };
    }

    default boolean finished() {
        return this instanceof Finished;
    }

    record Step(DeploymentState from, DeploymentEvent event) {}
}
