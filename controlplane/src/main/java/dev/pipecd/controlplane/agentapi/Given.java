// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import dev.pipecd.controlplane.command.Answer;
import dev.pipecd.controlplane.deployment.DeploymentReport;
import dev.pipecd.controlplane.deployment.StageLogs;
import dev.pipecd.controlplane.door.Ids;
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
                Ids.stage(request.getStageId()),
                request.getStatus(),
                request.getStatusReason(),
                request.getRequiresList(),
                request.getVisible(),
                request.getRetriedCount(),
                request.getCompletedAt());
    }

    static Answer answer(ReportCommandHandledRequest request) {
        return new Answer(
                Ids.command(request.getCommandId()),
                request.getStatus(),
                request.getMetadataMap(),
                request.getHandledAt(),
                request.getOutput().toByteArray());
    }

    static StageLogs.Place log(String deployment, String stage, int retried) {
        return new StageLogs.Place(Ids.deployment(deployment), Ids.stage(stage), retried);
    }
}
