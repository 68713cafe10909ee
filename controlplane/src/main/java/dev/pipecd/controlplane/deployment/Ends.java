// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Instant;

/// What the report of its end makes of a stored deployment. Whether it may end so is for the
/// diagram to say; how its stages ended is for the agent, who ran them: what it tells with the end
/// is its last word. An end that is refused over a stage would leave the deployment open for ever,
/// since agents do not send again what was refused.
final class Ends {
    private Ends() {}

    static Edit<Deployment> completed(Deployment stored, DeploymentReport.Completed report) {
        if (!Transitions.isFinal(report.status()))
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "status: %s (expected: SUCCESS, FAILURE or CANCELLED)"
                            .formatted(report.status()),
                    "Report other statuses as changes.");
        if (stored.getStatus() == report.status()) return new Edit.Unchanged<>();
        requireKnown(stored, report);
        var told = told(stored, report);
        var walk = Walk.from(told);
        if (report.status() == DeploymentStatus.DEPLOYMENT_SUCCESS)
            walk.begun().on(new DeploymentEvent.Ended(new Outcome.Succeeded()));
        else stop(walk, told, report);
        return new Edit.Changed<>(
                told.toBuilder()
                        .setStatus(report.status())
                        .setStatusReason(report.reason())
                        .setCompletedAt(report.completedAt())
                        .build(),
                Transitions.told(report.status()));
    }

    /// Who names stages of another plan tells of another deployment. A plan may never have arrived;
    /// then every stage is unknown, and the end is true all the same.
    private static void requireKnown(Deployment stored, DeploymentReport.Completed report) {
        if (stored.getStagesCount() == 0) return;
        var known = stored.getStagesList().stream().map(PipelineStage::getId).toList();
        report.stages().keySet().stream()
                .filter(id -> !known.contains(id))
                .findFirst()
                .ifPresent(id -> {
                    throw Walk.refused(
                            "stage: %s (expected: one of deployment %s)"
                                    .formatted(id, stored.getId()));
                });
    }

    /// The deployment with every stage as the agent leaves it, still open.
    private static Deployment told(Deployment stored, DeploymentReport.Completed report) {
        var told = stored.toBuilder();
        for (var stage : told.getStagesBuilderList()) {
            var status = status(stage.build(), report);
            if (status == stage.getStatus()) continue;
            stage.setStatus(status);
            // what we only conclude has no time, so that a late report may still correct it
            if (status == report.stages().get(stage.getId()))
                stage.setCompletedAt(report.completedAt());
        }
        if (stored.getStatus() == DeploymentStatus.DEPLOYMENT_PLANNED
                && told.getStagesList().stream().anyMatch(Transitions::begun))
            told.setStatus(DeploymentStatus.DEPLOYMENT_RUNNING);
        return told.build();
    }

    private static StageStatus status(PipelineStage stage, DeploymentReport.Completed report) {
        var success = report.status() == DeploymentStatus.DEPLOYMENT_SUCCESS;
        // who succeeds has rolled nothing back
        if (success && Walk.rollback(stage)) return stage.getStatus();
        var last = report.stages().getOrDefault(stage.getId(), stage.getStatus());
        if (Transitions.isEnd(last)) return last;
        if (Transitions.isEnd(stage.getStatus())) return stage.getStatus();
        if (last != StageStatus.STAGE_RUNNING && stage.getStatus() != StageStatus.STAGE_RUNNING)
            return stage.getStatus();
        if (success) return StageStatus.STAGE_RUNNING; // which the diagram refuses
        return report.status() == DeploymentStatus.DEPLOYMENT_CANCELLED
                ? StageStatus.STAGE_CANCELLED
                : StageStatus.STAGE_FAILURE;
    }

    private static void stop(Walk walk, Deployment told, DeploymentReport.Completed report) {
        var cause =
                report.status() == DeploymentStatus.DEPLOYMENT_CANCELLED
                        ? new Cause.CancelledBy(report.reason())
                        : new Cause.StageFailed(report.reason());
        var undone =
                told.getStagesList().stream()
                        .anyMatch(s -> Walk.rollback(s) && Transitions.begun(s));
        walk.halted(cause);
        if (undone && walk.state() instanceof DeploymentState.Halting)
            walk.on(new DeploymentEvent.RollbackBegan(cause, Instant.MAX));
        var rolledBack = walk.state() instanceof DeploymentState.RollingBack;
        walk.on(
                new DeploymentEvent.Ended(
                        rolledBack ? new Outcome.RolledBack(cause) : cause.outcome()));
    }
}
