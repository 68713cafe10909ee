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
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// From a commit of the source to the deployments that came of it.
public final class Traces {
    private static final int STEP = 100;

    /// How far one question reads on for who may see few.
    private static final int MOST_STEPS = 50;

    private final TraceStore store;
    private final DeploymentStore deployments;

    public Traces(TraceStore store, DeploymentStore deployments) {
        this.store = store;
        this.deployments = deployments;
    }

    /// As many as are asked for, as the other lists: who gets fewer looks for no further page.
    public Page<Trace> page(Caller caller, TraceFilter filter, Cursor after, int size) {
        caller.requireSome(Resource.DEPLOYMENT, Action.LIST);
        if (!filter.project().equals(caller.project()))
            throw new IllegalArgumentException("filter: of another project than the caller");
        // A commit of which one may see nothing is told to nobody but those who see all.
        var all = caller.may(Resource.DEPLOYMENT, Action.LIST);
        var wanted = Page.limit(size);
        var step = all ? wanted : STEP;
        var shown = new ArrayList<Trace>();
        var behind = after;
        for (var steps = 0; steps < MOST_STEPS; steps++) {
            var some = store.list(filter, behind, step);
            traced(caller, some).stream()
                    .filter(t -> all || !t.deployments().isEmpty())
                    .limit(wanted - shown.size())
                    .forEach(shown::add);
            if (shown.size() == wanted || some.size() < step)
                return Page.of(shown, t -> place(t.commit()));
            behind = place(some.getLast());
        }
        return new Page<>(shown, behind.text());
    }

    private List<Trace> traced(Caller caller, List<DeploymentTrace> commits) {
        if (commits.isEmpty()) return List.of();
        var hashes = commits.stream().map(DeploymentTrace::getCommitHash).distinct().toList();
        var byHash =
                deployments.traced(caller.project(), hashes).stream()
                        .filter(d -> caller.may(Resource.DEPLOYMENT, Action.LIST, d.getLabelsMap()))
                        .collect(Collectors.groupingBy(Deployment::getDeploymentTraceCommitHash));
        return commits.stream()
                .map(t -> new Trace(t, byHash.getOrDefault(t.getCommitHash(), List.of())))
                .toList();
    }

    private static Cursor place(DeploymentTrace commit) {
        return new Cursor(commit.getUpdatedAt(), commit.getId());
    }

    /// A commit and what came of it, newest first.
    public record Trace(DeploymentTrace commit, List<Deployment> deployments) {
        public Trace {
            deployments = List.copyOf(deployments);
        }
    }
}
