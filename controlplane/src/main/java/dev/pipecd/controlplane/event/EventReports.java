// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.event;

import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What agents ask and tell about the events of their project: every agent of it may handle one.
public final class EventReports {
    private static final Logger log = LoggerFactory.getLogger(EventReports.class);

    private static final int MOST_TOLD = 5_000;

    /// The public message has no pages, and agents take no more than 10 MiB.
    private static final long MOST_BYTES = 10_000_000;

    /// What stands around each in an answer.
    private static final int AROUND = 8;

    private final EventStore store;
    private final InstantSource clock;

    public EventReports(EventStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    public Event latest(Agent agent, String name, Map<String, String> labels) {
        return store.latest(agent.project(), EventKey.of(name, labels))
                .filter(event -> event.getName().equals(name))
                .orElseThrow(() -> Ownership.notFound("event", name));
    }

    /// Those of the span, but no more of the newest than one answer takes.
    public List<Event> list(Agent agent, EventSpan span) {
        var found = store.created(agent.project(), span, MOST_TOLD + 1);
        var told = fitting(turned(found, span.order()));
        if (told.size() == found.size()) return found;
        log.warn(
                "Agent {} asks for more events of project {} than one answer takes and is told the"
                        + " newest {}. Register fewer or smaller ones, or look why nobody handles"
                        + " them.",
                agent.piped().value(),
                agent.project().value(),
                told.size());
        return turned(told, span.order());
    }

    /// From the span's order to the newest first, and back.
    private static List<Event> turned(List<Event> events, EventSpan.Order order) {
        return switch (order) {
            case OLDEST_FIRST -> events.reversed();
            case NEWEST_FIRST -> events;
        };
    }

    private static List<Event> fitting(List<Event> newestFirst) {
        var bytes = 0L;
        var count = 0;
        for (var event : newestFirst) {
            bytes += event.getSerializedSize() + AROUND;
            if (bytes > MOST_BYTES || count == MOST_TOLD) break;
            count++;
        }
        return newestFirst.subList(0, count);
    }

    /// Takes over how events ended; every id is checked before the first change.
    public void ended(Agent agent, List<End> ends) {
        ends.forEach(end -> own(agent, end.event()));
        for (var end : ends) {
            var _ =
                    store.update(
                            end.event(),
                            agent.name(),
                            event -> {
                                Ownership.ofProject(
                                        agent, event.getProjectId(), "event", event.getId());
                                return edit(event, end);
                            });
        }
    }

    private Event own(Agent agent, String id) {
        return store.find(id)
                .filter(e -> e.getProjectId().equals(agent.project().value()))
                .orElseThrow(() -> Ownership.notFound("event", id));
    }

    private Edit<Event> edit(Event event, End end) {
        if (weight(end.status()) > 0 && weight(end.status()) <= weight(event.getStatus()))
            return new Edit.Unchanged<>();
        var told =
                event.toBuilder()
                        .setStatus(end.status())
                        .setStatusDescription(end.description())
                        .build();
        if (told.equals(event)) return new Edit.Unchanged<>();
        return switch (end.status()) {
            case EVENT_SUCCESS, EVENT_FAILURE ->
                    new Edit.Changed<>(
                            told.toBuilder().setHandledAt(clock.instant().getEpochSecond()).build(),
                            "handled: " + end.status());
            case EVENT_OUTDATED -> new Edit.Refreshed<>(told);
            case EVENT_NOT_HANDLED, UNRECOGNIZED -> {
                if (event.getStatus() != EventStatus.EVENT_NOT_HANDLED)
                    throw new Problem(
                            Problem.Code.TRANSITION_REFUSED,
                            "status: %s of an event that is %s (expected: how it ended)"
                                    .formatted(end.status(), event.getStatus()),
                            "What was handled stays so; register a new event.");
                yield new Edit.Refreshed<>(told);
            }
        };
    }

    /// Several may handle one event, each for applications of its own, and public agents tell what
    /// became of each, even in one call: no end contradicts another. What was done says more than
    /// that it came too late, and one failure is what people must see, in whatever order they are
    /// told; of equals the first stands.
    private static int weight(EventStatus status) {
        return switch (status) {
            case EVENT_NOT_HANDLED, UNRECOGNIZED -> 0;
            case EVENT_OUTDATED -> 1;
            case EVENT_SUCCESS -> 2;
            case EVENT_FAILURE -> 3;
        };
    }

    /// How an event ended, as an agent tells it.
    public record End(String event, EventStatus status, String description) {}
}
