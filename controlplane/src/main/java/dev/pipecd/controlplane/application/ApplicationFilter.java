// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

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
        Map<String, String> labels) {
    public ApplicationFilter {
        kinds = List.copyOf(kinds);
        syncStatuses = List.copyOf(syncStatuses);
        labels = Map.copyOf(labels);
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
