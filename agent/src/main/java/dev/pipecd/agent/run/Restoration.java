// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.engine.Observation;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Rebuilds the walk of a deployment from what the control plane knows, when the journal does not
/// know it: the disk was lost, or the agent moved to another machine.
///
/// @param first what the walk sees first: how a stage ended that keeps others from beginning. One
///   that ran when the journal was lost has an unknown outcome, and fails with exactly that reason
record Restoration(List<DeploymentEvent> past, List<Observation> first) {
    private static final Duration LIMIT = Duration.ofHours(6);
    private static final String UNKNOWN =
            "its outcome cannot be known: the agent's journal was lost while it ran. Look at the target, then sync again.";

    static Restoration of(Deployment found, Instant now) {
        var past = new ArrayList<DeploymentEvent>();
        var first = new ArrayList<Observation>();
        if (found.getStatus() == DeploymentStatus.DEPLOYMENT_PENDING)
            return new Restoration(past, List.of(new Observation.TakenUp()));
        past.add(new DeploymentEvent.PlanMade(plan(found)));
        if (found.getStatus() == DeploymentStatus.DEPLOYMENT_PLANNED)
            return new Restoration(past, List.of(new Observation.TakenUp()));
        past.add(new DeploymentEvent.Began(now, now.plus(LIMIT)));
        var rollingBack = found.getStatus() == DeploymentStatus.DEPLOYMENT_ROLLING_BACK;
        stages(found, false, rollingBack, now, past, first);
        if (rollingBack) {
            var cause = new Cause.StageFailed(found.getStatusReason());
            past.add(new DeploymentEvent.HaltOrdered(cause, true));
            past.add(new DeploymentEvent.RollbackBegan(cause, now.plus(LIMIT)));
            stages(found, true, false, now, past, first);
        }
        if (first.isEmpty()) first.add(new Observation.TakenUp());
        return new Restoration(past, first);
    }

    private static void stages(
            Deployment found,
            boolean rollback,
            boolean over,
            Instant now,
            List<DeploymentEvent> past,
            List<Observation> first) {
        for (var stage : found.getStagesList()) {
            if (stage.getRollback() != rollback
                    || stage.getStatus() == StageStatus.STAGE_NOT_STARTED_YET) continue;
            var id = new StageId(stage.getId());
            past.add(
                    new DeploymentEvent.StageMoved(
                            id, new StageEvent.Started(now, now.plus(LIMIT))));
            var result = result(stage);
            // A stage that failed, or that its agent cancelled on the way out, is looked at anew:
            // as a thing of the past it would let the next one begin.
            if (over
                    || (rollback && stage.getStatus() != StageStatus.STAGE_RUNNING)
                    || result.goesOn())
                past.add(new DeploymentEvent.StageMoved(id, new StageEvent.Ended(result)));
            else first.add(new Observation.StageAnswered(id, result));
        }
    }

    private static StageResult result(PipelineStage stage) {
        return switch (stage.getStatus()) {
            case STAGE_SUCCESS -> new StageResult.Succeeded();
            case STAGE_SKIPPED -> new StageResult.Skipped(stage.getStatusReason());
            case STAGE_EXITED -> new StageResult.Exited(stage.getStatusReason());
            case STAGE_CANCELLED -> new StageResult.Cancelled("the agent that ran it before");
            case STAGE_FAILURE -> new StageResult.Failed(stage.getStatusReason());
            case STAGE_RUNNING, STAGE_NOT_STARTED_YET, UNRECOGNIZED ->
                    new StageResult.Failed(UNKNOWN);
        };
    }

    private static Plan plan(Deployment found) {
        return new Plan(
                found.getStagesList().stream()
                        .map(s ->
                                new PlannedStage(
                                        new StageId(s.getId()),
                                        s.getName(),
                                        s.getRollback(),
                                        LIMIT))
                        .toList(),
                LIMIT,
                true);
    }
}
