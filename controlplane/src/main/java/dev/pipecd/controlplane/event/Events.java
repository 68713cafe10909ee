// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.event;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.paging.Page;
import dev.pipecd.domain.IdSource;
import dev.pipecd.wire.model.DeploymentTrace;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import java.time.InstantSource;

/// Events as people and their pipelines see them: registered, and looked at.
public final class Events {
    private final EventStore store;
    private final TraceStore traces;
    private final IdSource ids;
    private final InstantSource clock;

    public Events(EventStore store, TraceStore traces, IdSource ids, InstantSource clock) {
        this.store = store;
        this.traces = traces;
        this.ids = ids;
        this.clock = clock;
    }

    /// Registers what `draft` tells: name, data, labels, contexts. A commit that is named by hash
    /// and address can be traced to the deployments that come of it.
    public String register(Caller caller, Event draft, DeploymentTrace commit) {
        caller.require(Resource.EVENT, Action.CREATE, draft.getLabelsMap());
        // the commit first: an event without it could never be traced, and a retry adds both again
        if (!commit.getCommitHash().isEmpty() && !commit.getCommitUrl().isEmpty())
            traces.add(traced(caller, commit), caller.name());
        var id = ids.next();
        store.add(
                draft.toBuilder()
                        .setId(id)
                        .setProjectId(caller.project().value())
                        .setEventKey(EventKey.of(draft.getName(), draft.getLabelsMap()))
                        .setStatus(EventStatus.EVENT_NOT_HANDLED)
                        .setStatusDescription("It is going to be replaced by " + draft.getData())
                        .setTriggerCommitHash(commit.getCommitHash())
                        .build(),
                caller.name());
        return id;
    }

    private DeploymentTrace traced(Caller caller, DeploymentTrace commit) {
        var trace = commit.toBuilder().setId(ids.next()).setProjectId(caller.project().value());
        if (commit.getCommitTimestamp() <= 0)
            trace.setCommitTimestamp(clock.instant().getEpochSecond());
        return trace.build();
    }

    public Event get(Caller caller, String id) {
        caller.requireSome(Resource.EVENT, Action.LIST);
        return store.find(id)
                .filter(e -> e.getProjectId().equals(caller.project().value()))
                .filter(e -> caller.may(Resource.EVENT, Action.LIST, e.getLabelsMap()))
                .orElseThrow(() -> Ownership.notFound("event", id));
    }

    public Page<Event> page(Caller caller, EventFilter filter, Cursor after, int size) {
        caller.requireSome(Resource.EVENT, Action.LIST);
        if (!filter.project().equals(caller.project()))
            throw new IllegalArgumentException("filter: of another project than the caller");
        var seen = filter.seenBy(caller);
        return Page.read(
                Page.asked(size),
                after,
                e -> new Cursor(e.getUpdatedAt(), e.getId()),
                (behind, limit) -> store.list(seen, behind, limit));
    }
}
