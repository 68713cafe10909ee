// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.event;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Labels;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.EventStatus;
import java.util.List;
import java.util.Map;

/// Which events of a project are wanted; what is empty does not narrow.
///
/// @param since updated at this second or later
public record EventFilter(
        ProjectId project, String name, List<EventStatus> statuses, Labels labels, long since) {
    public EventFilter {
        statuses = List.copyOf(statuses);
    }

    public EventFilter(
            ProjectId project,
            String name,
            List<EventStatus> statuses,
            Map<String, String> labels,
            long since) {
        this(project, name, statuses, Labels.of(labels), since);
    }

    /// Narrowed to what the caller may see.
    EventFilter seenBy(Caller caller) {
        return new EventFilter(
                project,
                name,
                statuses,
                labels.seenBy(caller, Caller.Resource.EVENT, Caller.Action.LIST),
                since);
    }
}
