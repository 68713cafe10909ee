// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.event.EventFilter;
import dev.pipecd.controlplane.event.EventSpan;
import dev.pipecd.controlplane.event.EventStore;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Keeps events.
public final class EventTable implements EventStore {
    private final Documents<Event> documents;

    public EventTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "Event", Event.getDefaultInstance(), Change.Kind.EVENT, "name", "");
        documents = new Documents<>(database, trail, kind, clock);
    }

    @Override
    public Optional<Event> find(String id) {
        return documents.find(id);
    }

    @Override
    public Optional<Event> latest(ProjectId project, String key) {
        var where = Where.ALL.and("ProjectId = ?", project.value()).and("EventKey = ?", key);
        return documents.list(where, "CreatedAt DESC, Id ASC", 1).stream().findFirst();
    }

    @Override
    public List<Event> created(ProjectId project, EventSpan span, int limit) {
        var where =
                Where.ALL
                        .and("ProjectId = ?", project.value())
                        .in("Status", span.status().map(EventStatus::getNumber).stream().toList())
                        .and("CreatedAt >= ?", span.from());
        if (span.to() > 0) where = where.and("CreatedAt < ?", span.to());
        return switch (span.order()) {
            case OLDEST_FIRST -> documents.list(where, "CreatedAt DESC, Id DESC", limit).reversed();
            case NEWEST_FIRST -> documents.list(where, "CreatedAt DESC, Id ASC", limit);
        };
    }

    @Override
    public List<Event> list(EventFilter filter, Cursor after, int limit) {
        return documents.list(where(filter, after), Where.NEWEST_FIRST, limit);
    }

    static Where where(EventFilter filter, Cursor after) {
        return Where.ALL
                .and("ProjectId = ?", filter.project().value())
                .since(filter.since())
                .is("Name", filter.name())
                .in("Status", filter.statuses().stream().map(EventStatus::getNumber).toList())
                .labels(filter.labels())
                .after(after);
    }

    Documents<Event> documents() {
        return documents;
    }

    @Override
    public void add(Event added, String actor) {
        var _ = documents.add(added, actor, Where.NONE);
    }

    @Override
    public Optional<Event> update(String id, String actor, Function<Event, Edit<Event>> edit) {
        return documents.update(id, actor, edit);
    }

    @Override
    public List<Event> registered(ProjectId project, long before, Cursor after, int limit) {
        return documents.list(registeredBefore(project, before, after), "CreatedAt, Id", limit);
    }

    static Where registeredBefore(ProjectId project, long before, Cursor after) {
        return Where.ALL
                .and("ProjectId = ?", project.value())
                .and("CreatedAt < ?", before)
                .behind("CreatedAt", after);
    }

    @Override
    public boolean delete(String id, String what) {
        return documents.delete(id, what, _ -> true);
    }
}
