// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.event;

import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.wire.model.DeploymentTrace;
import java.util.List;

/// The commits events came of, as last recorded.
public interface TraceStore {
    /// Newest first, after the cursor.
    List<DeploymentTrace> list(TraceFilter filter, Cursor after, int limit);

    void add(DeploymentTrace added, String actor);
}
