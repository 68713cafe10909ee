// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.audit;

import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.domain.ProjectId;
import java.util.List;

/// Which deeds are wanted; what is empty or 0 does not narrow.
///
/// @param via without any, all but agents
/// @param from Unix seconds
/// @param to Unix seconds, excluded
public record AuditFilter(
        ProjectId project,
        String actor,
        String kind,
        String subject,
        List<Origin.Via> via,
        long from,
        long to) {
    public AuditFilter {
        via =
                via.isEmpty()
                        ? List.of(Origin.Via.WEB, Origin.Via.API, Origin.Via.SERVER)
                        : List.copyOf(via);
    }
}
