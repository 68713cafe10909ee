// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.event;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Event;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Events as last recorded.
public interface EventStore {
    Optional<Event> find(String id);

    /// The newest of a key.
    Optional<Event> latest(ProjectId project, String key);

    /// Those of a span of time, in its order; the newest where there are more.
    List<Event> created(ProjectId project, EventSpan span, int limit);

    /// Newest first, after the cursor.
    List<Event> list(EventFilter filter, Cursor after, int limit);

    void add(Event added, String actor);

    Optional<Event> update(String id, String actor, Function<Event, Edit<Event>> edit);

    /// Those registered before that second, oldest first; the cursor tells when they were.
    List<Event> registered(ProjectId project, long before, Cursor after, int limit);

    boolean delete(String id, String what);
}
