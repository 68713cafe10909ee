// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.report.WalkMarks;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.engine.Observation;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/// Rebuilds the walk of a deployment from what the control plane knows, when the journal does not
/// know it: the disk was lost, or the agent moved to another machine.
///
/// @param first what the walk sees first: how a stage ended that keeps others from beginning. One
///   that ran when the journal was lost has an unknown outcome, and fails with exactly that reason
record Restoration(List<DeploymentEvent> past, List<Observation> first) {
    private static final String UNKNOWN =
            "its outcome cannot be known: the agent's journal was lost while it ran. Look at the target, then sync again.";

    /// Agents of v0 mark no rollback stage as such; it is known by its name.
    private static final Set<String> OLD_ROLLBACK_NAMES =
            Set.of("ROLLBACK", "SCRIPT_RUN_ROLLBACK", "CUSTOM_SYNC_ROLLBACK");

    /// In the order they get their turns: who has begun had it before, rollbacks before all, and
    /// the others stand in line as they were opened. A control plane may list them in any order.
    static List<Deployment> inOrder(Collection<Deployment> found) {
        return found.stream()
                .sorted(
                        Comparator.comparing(Restoration::place)
                                .thenComparing(Deployment::getCreatedAt))
                .toList();
    }

    private static int place(Deployment found) {
        return switch (found.getStatus()) {
            case DEPLOYMENT_ROLLING_BACK -> 0;
            case DEPLOYMENT_RUNNING -> 1;
            case DEPLOYMENT_PLANNED -> 2;
            case DEPLOYMENT_PENDING,
                    DEPLOYMENT_SUCCESS,
                    DEPLOYMENT_FAILURE,
                    DEPLOYMENT_CANCELLED,
                    UNRECOGNIZED ->
                    3;
        };
    }

    static boolean isOver(Deployment found) {
        return switch (found.getStatus()) {
            case DEPLOYMENT_SUCCESS, DEPLOYMENT_FAILURE, DEPLOYMENT_CANCELLED -> true;
            case DEPLOYMENT_PENDING,
                    DEPLOYMENT_PLANNED,
                    DEPLOYMENT_RUNNING,
                    DEPLOYMENT_ROLLING_BACK,
                    UNRECOGNIZED ->
                    false;
        };
    }

    /// The document as an agent of today would have left it.
    static Deployment sheet(Deployment found) {
        var sheet = found.toBuilder();
        for (var stage : sheet.getStagesBuilderList())
            if (OLD_ROLLBACK_NAMES.contains(stage.getName())) stage.setRollback(true);
        return sheet.build();
    }

    /// @param found as `sheet` gives it
    static Restoration of(Deployment found, Instant now) {
        var past = new ArrayList<DeploymentEvent>();
        var first = new ArrayList<Observation>();
        if (found.getStatus() == DeploymentStatus.DEPLOYMENT_PENDING)
            return new Restoration(past, List.of(new Observation.TakenUp()));
        var plan = WalkMarks.plan(found);
        past.add(new DeploymentEvent.PlanMade(plan));
        if (found.getStatus() == DeploymentStatus.DEPLOYMENT_PLANNED)
            return new Restoration(past, List.of(new Observation.TakenUp()));
        var end = now.plus(plan.limit());
        past.add(new DeploymentEvent.Began(now, end));
        var rollingBack = found.getStatus() == DeploymentStatus.DEPLOYMENT_ROLLING_BACK;
        stages(found, plan, rollingBack, now, past, first);
        if (rollingBack) {
            var cause =
                    WalkMarks.halt(found)
                            .map(WalkMarks.Halt::cause)
                            .orElse(new Cause.StageFailed(found.getStatusReason()));
            past.add(new DeploymentEvent.HaltOrdered(cause, true));
            past.add(new DeploymentEvent.RollbackBegan(cause, end));
            rollbackStages(found, plan, now, past, first);
            WalkMarks.rollbackStopped(found)
                    .ifPresent(why -> past.add(new DeploymentEvent.AbortOrdered(why)));
        } else {
            // It was being stopped: that, and not what its stages come to, is why it ends.
            WalkMarks.halt(found)
                    .ifPresent(halt ->
                            past.add(
                                    new DeploymentEvent.HaltOrdered(
                                            halt.cause(), halt.rollBack())));
        }
        if (first.isEmpty()) first.add(new Observation.TakenUp());
        return new Restoration(past, first);
    }

    /// @param over whether nothing forward goes on any more
    private static void stages(
            Deployment found,
            Plan plan,
            boolean over,
            Instant now,
            List<DeploymentEvent> past,
            List<Observation> first) {
        for (var stage : begun(found, false)) {
            past.add(started(stage, plan, now));
            var result = result(stage);
            // A stage that failed, or that its agent cancelled on the way out, is looked at anew:
            // as a thing of the past it would let the next one begin.
            if (over || result.goesOn()) past.add(ended(stage, result));
            else first.add(new Observation.StageAnswered(new StageId(stage.getId()), result));
        }
    }

    private static void rollbackStages(
            Deployment found,
            Plan plan,
            Instant now,
            List<DeploymentEvent> past,
            List<Observation> first) {
        for (var stage : begun(found, true)) {
            past.add(started(stage, plan, now));
            var result = result(stage);
            if (stage.getStatus() != StageStatus.STAGE_RUNNING) past.add(ended(stage, result));
            else first.add(new Observation.StageAnswered(new StageId(stage.getId()), result));
        }
    }

    private static List<PipelineStage> begun(Deployment found, boolean rollback) {
        return found.getStagesList().stream()
                .filter(s -> s.getRollback() == rollback)
                .filter(s -> s.getStatus() != StageStatus.STAGE_NOT_STARTED_YET)
                .toList();
    }

    private static DeploymentEvent started(PipelineStage stage, Plan plan, Instant now) {
        var id = new StageId(stage.getId());
        return new DeploymentEvent.StageMoved(
                id, new StageEvent.Started(now, now.plus(plan.stage(id).limit())));
    }

    private static DeploymentEvent ended(PipelineStage stage, StageResult result) {
        return new DeploymentEvent.StageMoved(
                new StageId(stage.getId()), new StageEvent.Ended(result));
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
}
