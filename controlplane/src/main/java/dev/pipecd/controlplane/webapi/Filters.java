// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.application.ApplicationFilter.Activity;
import dev.pipecd.controlplane.deployment.DeploymentFilter;
import dev.pipecd.controlplane.deployment.Deployments.Rollback;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.CancelDeploymentRequest;
import dev.pipecd.wire.web.ListApplicationsRequest;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import java.util.List;

/// Requests of the web UI in the words of the features; options that are absent narrow nothing.
final class Filters {
    private Filters() {}

    static ApplicationFilter of(ProjectId project, ListApplicationsRequest.Options options) {
        var activity = Activity.ANY;
        if (options.hasEnabled())
            activity = options.getEnabled().getValue() ? Activity.ENABLED : Activity.DISABLED;
        return new ApplicationFilter(
                project,
                activity,
                known("kinds", options.getKindsList()),
                known("sync_statuses", options.getSyncStatusesList()),
                options.getName(),
                options.getPipedId(),
                options.getLabelsMap());
    }

    static DeploymentFilter of(ProjectId project, ListDeploymentsRequest request) {
        var options = request.getOptions();
        return new DeploymentFilter(
                project,
                known("statuses", options.getStatusesList()),
                known("kinds", options.getKindsList()),
                options.getApplicationIdsList(),
                options.getApplicationName(),
                options.getLabelsMap(),
                request.getPageMinUpdatedAt());
    }

    /// A value that only a newer client knows has no number to look for.
    static <E extends Enum<E>> List<E> known(String name, List<E> values) {
        if (values.stream().anyMatch(v -> v.name().equals("UNRECOGNIZED")))
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    name + ": unknown value (expected: one of the protocol's)",
                    "Leave it out, or update the server.");
        return values;
    }

    @SuppressWarnings("deprecation") // kind and provider of applications for old agents
    static Application draft(AddApplicationRequest request) {
        return Application.newBuilder()
                .setName(request.getName())
                .setPipedId(request.getPipedId())
                .setGitPath(request.getGitPath())
                .setKind(request.getKind())
                .setDescription(request.getDescription())
                .putAllLabels(request.getLabelsMap())
                .setPlatformProvider(request.getPlatformProvider())
                .putAllDeployTargetsByPlugin(request.getDeployTargetsByPluginMap())
                .build();
    }

    static Rollback rollback(CancelDeploymentRequest request) {
        if (request.getForceRollback() && request.getForceNoRollback())
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "force_rollback and force_no_rollback: both (expected: at most one)",
                    "Decide for one of them.");
        if (request.getForceRollback()) return Rollback.ALWAYS;
        return request.getForceNoRollback() ? Rollback.NEVER : Rollback.AS_CONFIGURED;
    }
}
