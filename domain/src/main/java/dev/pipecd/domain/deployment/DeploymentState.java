// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.DeploymentEvent.AbortOrdered;
import dev.pipecd.domain.deployment.DeploymentEvent.Began;
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

    record RollingBack(Plan plan, Progress progress, Cause cause) implements DeploymentState {}

    /// The rollback was told to stop; what still runs of it is stopping.
    record AbortingRollback(Plan plan, Progress progress, Cause cause, String person)
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
            case Step(
                            Running(var plan, var progress, var deadline),
                            StageMoved(var stage, var moved))
                    when !rollback(plan, stage) ->
                    new Running(plan, progress.on(stage, moved), deadline);
            case Step(Running(var plan, var progress, _), HaltOrdered(var cause, var rollBack)) ->
                    new Halting(plan, progress, cause, rollBack);
            case Step(Running(_, var progress, _), Ended(var outcome))
                    when outcome instanceof Outcome.Succeeded && !progress.anyActive() ->
                    new Finished(outcome, progress);
            case Step(Running(_, var progress, _), Ended(Outcome.Lost lost)) ->
                    new Finished(lost, progress);
            case Step(
                            Halting(var plan, var progress, var cause, var rollBack),
                            StageMoved(var stage, var moved))
                    when !rollback(plan, stage) && !(moved instanceof StageEvent.Started) ->
                    new Halting(plan, progress.on(stage, moved), cause, rollBack);
            case Step(
                            Halting(var plan, var progress, _, var rollBack),
                            HaltOrdered(var cause, var again))
                    when rollBack != again ->
                    new Halting(plan, progress, cause, again);
            case Step(Halting(var plan, var progress, _, _), RollbackBegan(var cause))
                    when !progress.anyActive() ->
                    new RollingBack(plan, progress, cause);
            case Step(Halting(_, var progress, _, _), Ended(var outcome))
                    when !progress.anyActive() && endsWithoutRollback(outcome) ->
                    new Finished(outcome, progress);
            case Step(Halting(_, var progress, _, _), Ended(Outcome.Lost lost)) ->
                    new Finished(lost, progress);
            case Step(
                            RollingBack(var plan, var progress, var cause),
                            StageMoved(var stage, var moved))
                    when rollback(plan, stage) ->
                    new RollingBack(plan, progress.on(stage, moved), cause);
            case Step(RollingBack(_, var progress, _), Ended(var outcome))
                    when !progress.anyActive() && endsRollback(outcome) ->
                    new Finished(outcome, progress);
            case Step(RollingBack(_, var progress, _), Ended(Outcome.Lost lost)) ->
                    new Finished(lost, progress);
            case Step(RollingBack(var plan, var progress, var cause), AbortOrdered(var person)) ->
                    new AbortingRollback(plan, progress, cause, person);
            case Step(
                            AbortingRollback(var plan, var progress, var cause, var person),
                            StageMoved(var stage, var moved))
                    when rollback(plan, stage) && !(moved instanceof StageEvent.Started) ->
                    new AbortingRollback(plan, progress.on(stage, moved), cause, person);
            case Step(AbortingRollback(_, var progress, _, _), Ended(var outcome))
                    when !progress.anyActive() && endsRollback(outcome) ->
                    new Finished(outcome, progress);
            case Step(AbortingRollback(_, var progress, _, _), Ended(Outcome.Lost lost)) ->
                    new Finished(lost, progress);
            case Step(Finished(Outcome.Lost _, var progress), Ended(var outcome))
                    when !(outcome instanceof Outcome.Lost) ->
                    new Finished(outcome, progress);
            case Step(var from, var refused) -> throw new IllegalTransition(from, refused);
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
            case RollingBack(_, var progress, _) -> progress;
            case AbortingRollback(_, var progress, _, _) -> progress;
            case Finished(_, var progress) -> progress;
        };
    }

    default boolean finished() {
        return this instanceof Finished;
    }

    record Step(DeploymentState from, DeploymentEvent event) {}
}
