// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Instant;
import java.util.List;

/// What a report makes of a stored deployment: a walk along the diagram's arrows, nothing for a
/// repeat of what was told before, or a refusal.
final class Transitions {
    private Transitions() {}

    static Edit<Deployment> planned(Deployment stored, DeploymentReport.Planned report) {
        var plan = Walk.plan(report.stages());
        if (stored.getStatus() != DeploymentStatus.DEPLOYMENT_PENDING
                && names(stored.getStagesList()).equals(names(report.stages())))
            return new Edit.Unchanged<>();
        var walk = Walk.from(stored).on(new DeploymentEvent.PlanMade(plan));
        return new Edit.Changed<>(
                stored.toBuilder()
                        .setStatus(walk.status())
                        .setStatusReason(report.reason())
                        .setSummary(report.summary())
                        .setRunningCommitHash(report.runningCommit())
                        .setRunningConfigFilename(report.runningConfigFile())
                        .clearVersions()
                        .addAllVersions(report.versions())
                        .clearStages()
                        .addAllStages(report.stages())
                        .setTrigger(
                                stored.getTrigger().toBuilder().setSyncStrategy(report.strategy()))
                        .build(),
                "planned");
    }

    private static List<String> names(List<PipelineStage> stages) {
        return stages.stream().map(s -> s.getId() + " " + s.getName()).toList();
    }

    static Edit<Deployment> moved(Deployment stored, DeploymentStatus status, String reason) {
        if (stored.getStatus() == status) return reworded(stored, reason);
        if (passed(stored, status)) return new Edit.Unchanged<>();
        var walk = Walk.from(stored).begun();
        if (status == DeploymentStatus.DEPLOYMENT_ROLLING_BACK) {
            var cause = new Cause.StageFailed(reason);
            walk.halted(cause).on(new DeploymentEvent.RollbackBegan(cause, Instant.MAX));
        }
        if (walk.status() != status)
            throw Walk.refused(
                    "status: %s of a deployment that is %s (expected: an arrow of the diagram)"
                            .formatted(status, stored.getStatus()));
        return new Edit.Changed<>(
                withStages(stored, walk).setStatus(status).setStatusReason(reason).build(),
                told(status));
    }

    private static Edit<Deployment> reworded(Deployment stored, String reason) {
        if (reason.isEmpty() || stored.getStatusReason().equals(reason))
            return new Edit.Unchanged<>();
        return new Edit.Changed<>(
                stored.toBuilder().setStatusReason(reason).build(), told(stored.getStatus()));
    }

    /// Whether it has been there before: a report may come twice, and late.
    private static boolean passed(Deployment stored, DeploymentStatus status) {
        if (stored.getStatusValue() <= status.getNumber()) return false;
        if (stored.getStatus() == DeploymentStatus.DEPLOYMENT_ROLLING_BACK) return true;
        return stored.getStagesList().stream()
                .filter(s -> status != DeploymentStatus.DEPLOYMENT_ROLLING_BACK || Walk.rollback(s))
                .anyMatch(Transitions::begun);
    }

    static Edit<Deployment> stage(Deployment stored, DeploymentReport.Stage report, Instant now) {
        var stage = find(stored, report.stage());
        if (stage.getStatus() == report.status()
                || (rank(report.status()) < rank(stage.getStatus())
                        && report.retried() <= stage.getRetriedCount()))
            return repeated(stored, stage, report);
        if (standsBesideTheDiagram(stored, stage, report)) {
            var builder = stored.toBuilder();
            replace(builder, told(stage, report).setUpdatedAt(now.getEpochSecond()).build());
            return new Edit.Changed<>(
                    builder.build(), "stage " + stage.getName() + " " + report.status());
        }
        var walk = Walk.from(stored).begun();
        walk.stage(new StageId(stage.getId()), report.status(), report.reason(), now);
        var moved = withStages(stored, walk).setStatus(walk.status());
        replace(moved, told(stage, report).setUpdatedAt(now.getEpochSecond()).build());
        return new Edit.Changed<>(
                moved.build(), "stage " + stage.getName() + " " + report.status());
    }

    /// What agents of the public system tell of a deployment that has turned, and the diagram has
    /// no arrow for. Refused, it would be lost: agents do not send again what was refused.
    private static boolean standsBesideTheDiagram(
            Deployment stored, PipelineStage stage, DeploymentReport.Stage report) {
        var ended = isEnd(stage.getStatus());
        var rollingBack = stored.getStatus() == DeploymentStatus.DEPLOYMENT_ROLLING_BACK;
        // a cancel finds the next stage begun, and the rollback is started beside it
        if (rollingBack && !ended && !Walk.rollback(stage)) return true;
        if (!ended || !isEnd(report.status())) return false;
        // an agent that starts during a rollback runs all of it again
        if (rollingBack && Walk.rollback(stage)) return true;
        // nobody told us so far how it ended: we took it for stopped, when the deployment turned
        return stored.getStatus() != DeploymentStatus.DEPLOYMENT_RUNNING
                && stage.getCompletedAt() == 0;
    }

    /// Told again it changes nothing, but one that still goes on may tell a new reason.
    private static Edit<Deployment> repeated(
            Deployment stored, PipelineStage stage, DeploymentReport.Stage report) {
        if (stage.getStatus() != report.status() || isEnd(stage.getStatus()))
            return new Edit.Unchanged<>();
        var told = told(stage, report).build();
        if (told.equals(stage)) return new Edit.Unchanged<>();
        var builder = stored.toBuilder();
        replace(builder, told);
        return new Edit.Changed<>(builder.build(), "stage " + stage.getName() + " told again");
    }

    @SuppressWarnings("deprecation") // old agents still tell what is visible
    private static PipelineStage.Builder told(PipelineStage stage, DeploymentReport.Stage report) {
        var told =
                stage.toBuilder()
                        .setStatus(report.status())
                        .setStatusReason(report.reason())
                        .setVisible(report.visible())
                        .setRetriedCount(report.retried());
        // agents send a time of completion for running stages too
        if (isEnd(report.status())) told.setCompletedAt(report.completedAt());
        if (!report.requires().isEmpty()) told.clearRequires().addAllRequires(report.requires());
        return told;
    }

    static PipelineStage find(Deployment stored, StageId id) {
        return stored.getStagesList().stream()
                .filter(s -> s.getId().equals(id.value()))
                .findFirst()
                .orElseThrow(() ->
                        new Problem(
                                Problem.Code.REQUEST_INVALID,
                                "stage: %s (expected: one of deployment %s)"
                                        .formatted(id, stored.getId()),
                                "Report the plan before its stages."));
    }

    /// The one that `find` finds: another of the same id has metadata of its own.
    static void replace(Deployment.Builder deployment, PipelineStage stage) {
        var at = 0;
        while (!deployment.getStages(at).getId().equals(stage.getId())) at++;
        deployment.setStages(at, stage);
    }

    /// With every stage where the walk has left it.
    private static Deployment.Builder withStages(Deployment stored, Walk walk) {
        var builder = stored.toBuilder();
        walk.progress()
                .stages()
                .forEach((id, state) -> {
                    var stage = find(stored, id);
                    if (stage.getStatus() != Walk.status(state))
                        replace(builder, stage.toBuilder().setStatus(Walk.status(state)).build());
                });
        return builder;
    }

    static boolean isFinal(DeploymentStatus status) {
        return switch (status) {
            case DEPLOYMENT_SUCCESS, DEPLOYMENT_FAILURE, DEPLOYMENT_CANCELLED -> true;
            case DEPLOYMENT_PENDING,
                    DEPLOYMENT_PLANNED,
                    DEPLOYMENT_RUNNING,
                    DEPLOYMENT_ROLLING_BACK,
                    UNRECOGNIZED ->
                    false;
        };
    }

    static boolean begun(PipelineStage stage) {
        return stage.getStatus() != StageStatus.STAGE_NOT_STARTED_YET;
    }

    static boolean isEnd(StageStatus status) {
        return rank(status) == ENDED;
    }

    private static final int ENDED = 2;

    private static int rank(StageStatus status) {
        return switch (status) {
            case STAGE_NOT_STARTED_YET, UNRECOGNIZED -> 0;
            case STAGE_RUNNING -> 1;
            case STAGE_SUCCESS, STAGE_FAILURE, STAGE_CANCELLED, STAGE_SKIPPED, STAGE_EXITED ->
                    ENDED;
        };
    }

    static String told(DeploymentStatus status) {
        return status.name()
                .replaceFirst("DEPLOYMENT_", "")
                .replace('_', ' ')
                .toLowerCase(java.util.Locale.ROOT);
    }
}
