// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import java.util.List;

/// What differs between two commits.
public sealed interface ChangedFiles {
    /// Every path whose content, mode or existence differs.
    record Changed(List<String> paths) implements ChangedFiles {
        public Changed {
            paths = List.copyOf(paths);
        }
    }

    /// The older commit is no longer to be had: history was rewritten, so anything may have
    /// changed.
    record HistoryRewritten() implements ChangedFiles {}
}
