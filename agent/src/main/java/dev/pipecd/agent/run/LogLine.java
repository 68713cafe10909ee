// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;

/// The walk of a deployment in the words of the agent's log.
final class LogLine {
    private LogLine() {}

    static String of(DeploymentEvent event) {
        return switch (event) {
            case DeploymentEvent.PlanMade(var plan) -> "planned, stages " + plan.stages().size();
            case DeploymentEvent.Began(_, var deadline) -> "begins, must end by " + deadline;
            case DeploymentEvent.StageMoved(_, var moved) -> of(moved);
            case DeploymentEvent.HaltOrdered(var cause, _) -> "goes no further: " + cause.told();
            case DeploymentEvent.RollbackBegan _ -> "rolls back";
            case DeploymentEvent.AbortOrdered(var why) -> "rollback stopped: " + why.told();
            case DeploymentEvent.ClockMoved(var by) ->
                    "the machine's clock was set by %s; deadlines move with it".formatted(by);
            case DeploymentEvent.Ended(var outcome) ->
                    "ends as %s: %s".formatted(outcome.status(), outcome.told());
        };
    }

    private static String of(StageEvent event) {
        return switch (event) {
            case StageEvent.HeldBack(var reason, var until) ->
                    "waits until %s: %s".formatted(until, reason);
            case StageEvent.Started _ -> "starts";
            case StageEvent.StopOrdered(var cause, _) -> "is told to stop: " + cause.told();
            case StageEvent.Ended(StageResult.Succeeded()) -> "succeeded";
            case StageEvent.Ended(var result) ->
                    "%s: %s".formatted(result.getClass().getSimpleName(), result.told());
        };
    }
}
