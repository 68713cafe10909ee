// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.release;

import java.util.List;

/// Where releases of the agent are published.
public interface ReleaseSource {
    /// Newest first; empty when they cannot be known.
    List<Release> published();

    /// @param notes what changed, in Markdown
    record Release(SemanticVersion version, String notes) {}
}
