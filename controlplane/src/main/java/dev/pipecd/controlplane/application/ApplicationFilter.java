// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Labels;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import java.util.List;
import java.util.Map;

/// Which applications of a project are wanted; what is empty does not narrow.
public record ApplicationFilter(
        ProjectId project,
        Activity activity,
        List<ApplicationKind> kinds,
        List<ApplicationSyncStatus> syncStatuses,
        String name,
        String piped,
        Labels labels) {
    public ApplicationFilter {
        kinds = List.copyOf(kinds);
        syncStatuses = List.copyOf(syncStatuses);
    }

    public ApplicationFilter(
            ProjectId project,
            Activity activity,
            List<ApplicationKind> kinds,
            List<ApplicationSyncStatus> syncStatuses,
            String name,
            String piped,
            Map<String, String> labels) {
        this(project, activity, kinds, syncStatuses, name, piped, Labels.of(labels));
    }

    /// Narrowed to what the caller may see.
    ApplicationFilter seenBy(Caller caller) {
        return new ApplicationFilter(
                project,
                activity,
                kinds,
                syncStatuses,
                name,
                piped,
                labels.seenBy(caller, Caller.Resource.APPLICATION, Caller.Action.LIST));
    }

    public static ApplicationFilter all(ProjectId project) {
        return new ApplicationFilter(project, Activity.ANY, List.of(), List.of(), "", "", Map.of());
    }

    /// Whether agents are to look after it.
    public enum Activity {
        ANY,
        ENABLED,
        DISABLED
    }
}
