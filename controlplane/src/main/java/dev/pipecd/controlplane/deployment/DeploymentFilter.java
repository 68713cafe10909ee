// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Labels;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.DeploymentStatus;
import java.util.List;
import java.util.Map;

/// Which deployments of a project are wanted; what is empty does not narrow.
///
/// @param since updated at this second or later
public record DeploymentFilter(
        ProjectId project,
        List<DeploymentStatus> statuses,
        List<ApplicationKind> kinds,
        List<String> applications,
        String applicationName,
        Labels labels,
        long since) {
    public DeploymentFilter {
        statuses = List.copyOf(statuses);
        kinds = List.copyOf(kinds);
        applications = List.copyOf(applications);
    }

    public DeploymentFilter(
            ProjectId project,
            List<DeploymentStatus> statuses,
            List<ApplicationKind> kinds,
            List<String> applications,
            String applicationName,
            Map<String, String> labels,
            long since) {
        this(project, statuses, kinds, applications, applicationName, Labels.of(labels), since);
    }

    /// Narrowed to what the caller may see.
    DeploymentFilter seenBy(Caller caller) {
        return new DeploymentFilter(
                project,
                statuses,
                kinds,
                applications,
                applicationName,
                labels.seenBy(caller, Caller.Resource.DEPLOYMENT, Caller.Action.LIST),
                since);
    }

    public static DeploymentFilter all(ProjectId project) {
        return new DeploymentFilter(project, List.of(), List.of(), List.of(), "", Map.of(), 0);
    }
}
