// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.report.Marks;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.agent.report.WalkMarks;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Progress;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.deployment.StageState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.StageStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Puts what happened into the words of the public protocol.
final class Telling {
    /// Where the honest outcome is found beside the coarser public status.
    static final String OUTCOME = "pipecd/outcome";

    private final Deployment sheet;
    private final DeploymentId id;
    private final boolean speaks;
    private final Instant now;

    /// @param speaks whether how it ends is what is to be said of its application
    Telling(Deployment sheet, boolean speaks, Instant now) {
        this.sheet = sheet;
        this.speaks = speaks;
        this.id = new DeploymentId(sheet.getId());
        this.now = now;
    }

    List<Report> of(DeploymentEvent event, Progress progress) {
        return switch (event) {
            case DeploymentEvent.PlanMade(var plan) -> ofPlan(plan);
            case DeploymentEvent.Began _ ->
                    List.of(
                            Reports.status(id, DeploymentStatus.DEPLOYMENT_RUNNING, "running"),
                            Reports.deploying(sheet, true),
                            underWay());
            case DeploymentEvent.StageMoved(var stage, var moved) -> ofStage(stage, moved);
            case DeploymentEvent.HaltOrdered(var cause, var rollBack) ->
                    List.of(
                            Reports.sharedMetadata(
                                    id, WalkMarks.of(new WalkMarks.Halt(cause, rollBack))),
                            Reports.status(
                                    id,
                                    DeploymentStatus.DEPLOYMENT_RUNNING,
                                    "stopping: " + cause.told()));
            case DeploymentEvent.RollbackBegan(var cause, _) ->
                    List.of(
                            Reports.status(
                                    id,
                                    DeploymentStatus.DEPLOYMENT_ROLLING_BACK,
                                    "rolling back: " + cause.told()));
            case DeploymentEvent.AbortOrdered(var why) ->
                    List.of(
                            Reports.sharedMetadata(id, WalkMarks.rollbackStopped(why)),
                            Reports.status(
                                    id,
                                    DeploymentStatus.DEPLOYMENT_ROLLING_BACK,
                                    "stopping the rollback: " + why.told()));
            case DeploymentEvent.ClockMoved _ -> List.of();
            case DeploymentEvent.Ended(var outcome) -> ofEnd(outcome, statuses(progress));
        };
    }

    /// The marks come first: who finds it planned finds how it is to go on.
    private List<Report> ofPlan(Plan plan) {
        var marks = WalkMarks.of(plan);
        return marks.isEmpty()
                ? List.of(Reports.planned(sheet))
                : List.of(Reports.sharedMetadata(id, marks), Reports.planned(sheet));
    }

    private List<Report> ofStage(StageId stage, StageEvent event) {
        return switch (event) {
            case StageEvent.HeldBack(var reason, var until) ->
                    List.of(
                            Reports.stage(
                                    id,
                                    stage,
                                    StageStatus.STAGE_NOT_STARTED_YET,
                                    "waiting: " + reason + " until " + until,
                                    now));
            case StageEvent.Started _ ->
                    List.of(Reports.stage(id, stage, StageStatus.STAGE_RUNNING, "", now));
            case StageEvent.StopOrdered(var cause, _) ->
                    List.of(
                            Reports.stage(
                                    id,
                                    stage,
                                    StageStatus.STAGE_RUNNING,
                                    "stopping: " + cause.told(),
                                    now));
            case StageEvent.Ended(var result) ->
                    List.of(Reports.stage(id, stage, status(result), result.told(), now));
        };
    }

    /// Of one nobody could take up: its stages stand as they were left.
    List<Report> lost(Outcome.Lost outcome) {
        var statuses = new LinkedHashMap<String, StageStatus>();
        sheet.getStagesList().forEach(stage -> statuses.put(stage.getId(), stage.getStatus()));
        return ofEnd(outcome, statuses);
    }

    private List<Report> ofEnd(Outcome outcome, Map<String, StageStatus> statuses) {
        var reports = new ArrayList<Report>();
        reports.add(
                Reports.sharedMetadata(id, Map.of(OUTCOME, outcome.getClass().getSimpleName())));
        reports.add(Reports.completed(id, status(outcome), outcome.told(), statuses, now));
        if (outcome instanceof Outcome.Succeeded)
            reports.add(Reports.mostRecent(sheet, DeploymentStatus.DEPLOYMENT_SUCCESS));
        // Another deployment of the application goes on: what it tells stands.
        if (!speaks || outcome instanceof Outcome.Superseded) return reports;
        reports.add(Reports.deploying(sheet, false));
        reports.add(stateAfter(outcome));
        return reports;
    }

    /// Of one that the journal forgot: what it said of its application, and of the orders it
    /// carries out, may have been lost with that.
    List<Report> restored() {
        var reports = new ArrayList<Report>();
        reports.add(Reports.mostRecent(sheet, DeploymentStatus.DEPLOYMENT_PENDING));
        for (var order : Marks.orders(sheet))
            reports.add(Reports.opened(sheet, new CommandId(order), now));
        switch (sheet.getStatus()) {
            case DEPLOYMENT_RUNNING, DEPLOYMENT_ROLLING_BACK -> {
                reports.add(Reports.deploying(sheet, true));
                reports.add(underWay());
            }
            case DEPLOYMENT_PENDING,
                    DEPLOYMENT_PLANNED,
                    DEPLOYMENT_SUCCESS,
                    DEPLOYMENT_FAILURE,
                    DEPLOYMENT_CANCELLED,
                    UNRECOGNIZED -> {}
        }
        return reports;
    }

    private Report underWay() {
        return Reports.syncState(
                new ApplicationId(sheet.getApplicationId()),
                Reports.syncState(
                        ApplicationSyncStatus.DEPLOYING,
                        "a deployment is running",
                        "",
                        id.value(),
                        now));
    }

    private Report stateAfter(Outcome outcome) {
        return Reports.syncState(
                new ApplicationId(sheet.getApplicationId()),
                Reports.stateAfter(
                        sheet, outcome instanceof Outcome.Succeeded, outcome.told(), now));
    }

    private static Map<String, StageStatus> statuses(Progress progress) {
        var statuses = new LinkedHashMap<String, StageStatus>();
        progress.stages().forEach((stage, state) -> statuses.put(stage.value(), status(state)));
        return statuses;
    }

    static DeploymentStatus status(DeploymentState state) {
        return switch (state) {
            case DeploymentState.Pending _ -> DeploymentStatus.DEPLOYMENT_PENDING;
            case DeploymentState.Planned _ -> DeploymentStatus.DEPLOYMENT_PLANNED;
            case DeploymentState.Running _, DeploymentState.Halting _ ->
                    DeploymentStatus.DEPLOYMENT_RUNNING;
            case DeploymentState.RollingBack _, DeploymentState.AbortingRollback _ ->
                    DeploymentStatus.DEPLOYMENT_ROLLING_BACK;
            case DeploymentState.Finished(var outcome, _) ->
                    DeploymentStatus.valueOf("DEPLOYMENT_" + outcome.status());
        };
    }

    static StageStatus status(StageState state) {
        return switch (state) {
            case StageState.NotStarted(), StageState.Waiting _ -> StageStatus.STAGE_NOT_STARTED_YET;
            case StageState.Running _, StageState.Stopping _ -> StageStatus.STAGE_RUNNING;
            case StageState.Done(var result) -> status(result);
        };
    }

    private static StageStatus status(StageResult result) {
        return switch (result) {
            case StageResult.Succeeded() -> StageStatus.STAGE_SUCCESS;
            case StageResult.Failed _, StageResult.TimedOut _ -> StageStatus.STAGE_FAILURE;
            case StageResult.Cancelled _ -> StageStatus.STAGE_CANCELLED;
            case StageResult.Skipped _ -> StageStatus.STAGE_SKIPPED;
            case StageResult.Exited _ -> StageStatus.STAGE_EXITED;
        };
    }

    private static DeploymentStatus status(Outcome outcome) {
        return switch (outcome.status()) {
            case SUCCESS -> DeploymentStatus.DEPLOYMENT_SUCCESS;
            case FAILURE -> DeploymentStatus.DEPLOYMENT_FAILURE;
            case CANCELLED -> DeploymentStatus.DEPLOYMENT_CANCELLED;
        };
    }
}
