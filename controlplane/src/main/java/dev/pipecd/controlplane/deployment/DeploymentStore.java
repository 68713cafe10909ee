// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Deployment;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// Deployments as last recorded.
public interface DeploymentStore {
    Optional<Deployment> find(DeploymentId id);

    /// The not completed ones of an agent.
    Collection<Deployment> live(PipedId piped);

    /// One of those.
    Optional<Deployment> findLive(PipedId piped, DeploymentId id);

    /// Newest first, after the cursor.
    List<Deployment> list(DeploymentFilter filter, Cursor after, int limit);

    /// Those of a project that came of one of the commits, newest first.
    List<Deployment> traced(ProjectId project, Collection<String> commits);

    /// Those of a chain.
    List<Deployment> inChain(String chain);

    /// Adds it, or answers the one that already has its id.
    Optional<Deployment> add(Deployment added, String actor);

    Optional<Deployment> update(
            DeploymentId id, String actor, Function<Deployment, Edit<Deployment>> edit);

    /// Those that ended before that second, oldest first; the cursor tells when they ended.
    List<Deployment> ended(long before, Cursor after, int limit);

    /// Whether it is gone now; it stays unless `still` holds.
    boolean delete(DeploymentId id, String what, Predicate<Deployment> still);
}
