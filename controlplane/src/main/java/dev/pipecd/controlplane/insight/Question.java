// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import dev.pipecd.domain.ProjectId;
import java.time.LocalDate;
import java.util.Map;

/// Which deliveries are looked at.
///
/// @param application its id, or empty for all
/// @param last included
public record Question(
        ProjectId project,
        String application,
        Map<String, String> labels,
        LocalDate first,
        LocalDate last) {
    public Question {
        labels = Map.copyOf(labels);
    }
}
