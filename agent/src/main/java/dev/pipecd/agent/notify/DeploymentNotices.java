// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import dev.pipecd.agent.report.Marks;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.ManualOperation;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What a step of a deployment's walk is worth telling.
public final class DeploymentNotices {
    /// Where the approval stage notes who approved.
    private static final String APPROVED_BY = "pipecd/stage-approved-users";

    private final Deployment document;
    private final boolean speaks;
    private final Instant at;

    /// @param document the public document, with what stages noted down
    /// @param speaks whether how it ends is what is to be said of its application
    public DeploymentNotices(Deployment document, boolean speaks, Instant at) {
        this.document = document;
        this.speaks = speaks;
        this.at = at;
    }

    public List<Event> of(DeploymentEvent event) {
        return switch (event) {
            case DeploymentEvent.PlanMade _ ->
                    List.of(
                            new Event.DeploymentPlanned(
                                    as(DeploymentStatus.DEPLOYMENT_PLANNED, "planned")));
            case DeploymentEvent.Began _ -> List.of(new Event.DeploymentStarted(running()));
            case DeploymentEvent.StageMoved(var stage, var moved) ->
                    document.getStagesList().stream()
                            .filter(s -> new StageId(s.getId()).equals(stage))
                            .flatMap(s -> ofStage(s, moved).stream())
                            .toList();
            case DeploymentEvent.RollbackBegan(var cause, _) ->
                    List.of(
                            new Event.DeploymentRollingBack(
                                    as(
                                            DeploymentStatus.DEPLOYMENT_ROLLING_BACK,
                                            "rolling back: " + cause.told()),
                                    cause.told()));
            case DeploymentEvent.HaltOrdered _,
                    DeploymentEvent.AbortOrdered _,
                    DeploymentEvent.ClockMoved _ ->
                    List.of();
            case DeploymentEvent.Ended(var outcome) -> ofEnd(outcome);
        };
    }

    private List<Event> ofStage(PipelineStage stage, StageEvent event) {
        var whole =
                stage.getRollback()
                        ? as(DeploymentStatus.DEPLOYMENT_ROLLING_BACK, "rolling back")
                        : running();
        return switch (event) {
            case StageEvent.Started _ -> {
                var started = as(stage, StageStatus.STAGE_RUNNING, "");
                yield approves(stage)
                        ? List.of(
                                new Event.StageStarted(whole, started),
                                new Event.DeploymentWaitApproval(whole, started))
                        : List.of(new Event.StageStarted(whole, started));
            }
            case StageEvent.Ended(var result) -> ofEndedStage(whole, stage, result);
            case StageEvent.HeldBack _, StageEvent.StopOrdered _ -> List.of();
        };
    }

    private static List<Event> ofEndedStage(
            Deployment whole, PipelineStage stage, StageResult result) {
        return switch (result) {
            case StageResult.Succeeded() -> {
                var ended = as(stage, StageStatus.STAGE_SUCCESS, "");
                var approver = stage.getMetadataOrDefault(APPROVED_BY, "");
                yield approves(stage) && !approver.isEmpty()
                        ? List.of(
                                new Event.DeploymentApproved(whole, approver),
                                new Event.StageSucceeded(whole, ended))
                        : List.of(new Event.StageSucceeded(whole, ended));
            }
            case StageResult.Exited(var reason) ->
                    List.of(
                            new Event.StageSucceeded(
                                    whole, as(stage, StageStatus.STAGE_EXITED, reason)));
            case StageResult.Skipped(var reason) ->
                    List.of(
                            new Event.StageSkipped(
                                    whole, as(stage, StageStatus.STAGE_SKIPPED, reason)));
            case StageResult.Cancelled _ ->
                    List.of(
                            new Event.StageCancelled(
                                    whole, as(stage, StageStatus.STAGE_CANCELLED, result.told())));
            case StageResult.Failed _, StageResult.TimedOut _ ->
                    List.of(
                            new Event.StageFailed(
                                    whole, as(stage, StageStatus.STAGE_FAILURE, result.told())));
        };
    }

    private static boolean approves(PipelineStage stage) {
        return stage.getAvailableOperation() == ManualOperation.MANUAL_OPERATION_APPROVE;
    }

    private List<Event> ofEnd(Outcome outcome) {
        return Stream.concat(Stream.of(ended(outcome)), ofApplication(outcome).stream()).toList();
    }

    private Event ended(Outcome outcome) {
        var told = outcome.told();
        return switch (outcome.status()) {
            case SUCCESS ->
                    new Event.DeploymentSucceeded(ended(DeploymentStatus.DEPLOYMENT_SUCCESS, told));
            case FAILURE ->
                    new Event.DeploymentFailed(
                            ended(DeploymentStatus.DEPLOYMENT_FAILURE, told), told);
            case CANCELLED ->
                    new Event.DeploymentCancelled(
                            ended(DeploymentStatus.DEPLOYMENT_CANCELLED, told),
                            commander(outcome),
                            told);
        };
    }

    /// Nothing while another deployment of it goes on, nor of a file that cannot be read: what runs
    /// is not compared with it.
    private Optional<Event> ofApplication(Outcome outcome) {
        if (outcome instanceof Outcome.Succeeded)
            return Optional.of(
                    new Event.ApplicationSynced(
                            application(), state(ApplicationSyncStatus.SYNCED, "", "")));
        return speaks
                        && !(outcome instanceof Outcome.Superseded)
                        && Marks.of(document, Marks.UNREADABLE).isEmpty()
                ? Optional.of(outOfSync(outcome.told()))
                : Optional.empty();
    }

    private static String commander(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Cancelled(var person) -> person;
            case Outcome.RolledBack(Cause.CancelledBy(var person)) -> person;
            case Outcome.PartlyRolledBack(Cause.CancelledBy(var person), _) -> person;
            case Outcome.RollbackFailed(Cause.CancelledBy(var person), _) -> person;
            case Outcome.Succeeded _,
                    Outcome.RolledBack _,
                    Outcome.PartlyRolledBack _,
                    Outcome.RollbackFailed _,
                    Outcome.Failed _,
                    Outcome.TimedOut _,
                    Outcome.Superseded _,
                    Outcome.Lost _ ->
                    "";
        };
    }

    private Event outOfSync(String reason) {
        return new Event.ApplicationOutOfSync(
                application(),
                state(
                        ApplicationSyncStatus.OUT_OF_SYNC,
                        "the last deployment did not succeed",
                        reason));
    }

    private ApplicationSyncState state(ApplicationSyncStatus status, String brief, String reason) {
        return ApplicationSyncState.newBuilder()
                .setStatus(status)
                .setShortReason(brief)
                .setReason(reason)
                .setHeadDeploymentId(document.getId())
                .setTimestamp(at.getEpochSecond())
                .build();
    }

    /// As far as its deployment knows it.
    @SuppressWarnings("deprecation") // the public protocol still carries the kind
    private Application application() {
        return Application.newBuilder()
                .setId(document.getApplicationId())
                .setName(document.getApplicationName())
                .setPipedId(document.getPipedId())
                .setProjectId(document.getProjectId())
                .setKind(document.getKind())
                .setGitPath(document.getGitPath())
                .putAllLabels(document.getLabelsMap())
                .putAllDeployTargetsByPlugin(document.getDeployTargetsByPluginMap())
                .build();
    }

    private Deployment running() {
        return as(DeploymentStatus.DEPLOYMENT_RUNNING, "running");
    }

    private Deployment as(DeploymentStatus status, String reason) {
        return document.toBuilder()
                .setStatus(status)
                .setStatusReason(reason)
                .setUpdatedAt(at.getEpochSecond())
                .build();
    }

    private Deployment ended(DeploymentStatus status, String reason) {
        return as(status, reason).toBuilder().setCompletedAt(at.getEpochSecond()).build();
    }

    private static PipelineStage as(PipelineStage stage, StageStatus status, String reason) {
        return stage.toBuilder().setStatus(status).setStatusReason(reason).build();
    }
}
