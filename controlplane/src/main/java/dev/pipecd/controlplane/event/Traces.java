// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.event;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.deployment.DeploymentStore;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.paging.Page;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrace;
import java.util.List;
import java.util.stream.Collectors;

/// From a commit of the source to the deployments that came of it.
public final class Traces {
    private final TraceStore store;
    private final DeploymentStore deployments;

    public Traces(TraceStore store, DeploymentStore deployments) {
        this.store = store;
        this.deployments = deployments;
    }

    public Page<Trace> page(Caller caller, TraceFilter filter, Cursor after, int size) {
        caller.requireSome(Resource.DEPLOYMENT, Action.LIST);
        if (!filter.project().equals(caller.project()))
            throw new IllegalArgumentException("filter: of another project than the caller");
        var found =
                Page.of(
                        store.list(filter, after, Page.limit(size)),
                        t -> new Cursor(t.getUpdatedAt(), t.getId()));
        var hashes = found.items().stream().map(DeploymentTrace::getCommitHash).distinct().toList();
        if (hashes.isEmpty()) return new Page<>(List.of(), found.cursor());
        var byHash =
                deployments.traced(caller.project(), hashes).stream()
                        .filter(d -> caller.may(Resource.DEPLOYMENT, Action.LIST, d.getLabelsMap()))
                        .collect(Collectors.groupingBy(Deployment::getDeploymentTraceCommitHash));
        // A commit of which one may see nothing is told to nobody but those who see all.
        var all = caller.may(Resource.DEPLOYMENT, Action.LIST);
        return new Page<>(
                found.items().stream()
                        .filter(t -> all || byHash.containsKey(t.getCommitHash()))
                        .map(t -> new Trace(t, byHash.getOrDefault(t.getCommitHash(), List.of())))
                        .toList(),
                found.cursor());
    }

    /// A commit and what came of it, newest first.
    public record Trace(DeploymentTrace commit, List<Deployment> deployments) {
        public Trace {
            deployments = List.copyOf(deployments);
        }
    }
}
