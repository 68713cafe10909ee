// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.chain;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.DeploymentChain;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Chains as last recorded.
public interface ChainStore {
    Optional<DeploymentChain> find(String id);

    /// Those updated at that second or later; newest first, after the cursor.
    List<DeploymentChain> list(ProjectId project, long since, Cursor after, int limit);

    /// Those not completed, oldest first.
    List<DeploymentChain> live(int limit);

    /// Adds it unless its id is there.
    void add(DeploymentChain added, String actor);

    Optional<DeploymentChain> update(
            String id, String actor, Function<DeploymentChain, Edit<DeploymentChain>> edit);
}
