// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import dev.pipecd.controlplane.command.Answer;
import dev.pipecd.controlplane.deployment.DeploymentReport;
import dev.pipecd.controlplane.deployment.StageLogs;
import dev.pipecd.controlplane.paging.Ids;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.piped.*;

/// What agents' requests say, in the features' words.
final class Given {
    private Given() {}

    static DeploymentReport report(ReportDeploymentPlannedRequest request) {
        return new DeploymentReport.Planned(
                request.getSummary(),
                request.getStatusReason(),
                request.getRunningCommitHash(),
                request.getRunningConfigFilename(),
                request.getSyncStrategy(),
                request.getVersionsList(),
                request.getStagesList());
    }

    static DeploymentReport report(ReportDeploymentStatusChangedRequest request) {
        return new DeploymentReport.Moved(request.getStatus(), request.getStatusReason());
    }

    static DeploymentReport report(ReportDeploymentCompletedRequest request) {
        return new DeploymentReport.Completed(
                request.getStatus(),
                request.getStatusReason(),
                request.getStageStatusesMap(),
                request.getCompletedAt());
    }

    static DeploymentReport report(ReportStageStatusChangedRequest request) {
        return new DeploymentReport.Stage(
                stage(request.getStageId()),
                request.getStatus(),
                request.getStatusReason(),
                request.getRequiresList(),
                request.getVisible(),
                request.getRetriedCount(),
                request.getCompletedAt());
    }

    static Answer answer(ReportCommandHandledRequest request) {
        return new Answer(
                new CommandId(Ids.given("command_id", request.getCommandId())),
                request.getStatus(),
                request.getMetadataMap(),
                request.getHandledAt(),
                request.getOutput().toByteArray());
    }

    static ApplicationId application(String id) {
        return new ApplicationId(Ids.given("application_id", id));
    }

    static DeploymentId deployment(String id) {
        return new DeploymentId(Ids.given("deployment_id", id));
    }

    static StageId stage(String id) {
        return new StageId(Ids.given("stage_id", id));
    }

    static StageLogs.Place log(String deployment, String stage, int retried) {
        return new StageLogs.Place(deployment(deployment), stage(stage), retried);
    }
}
