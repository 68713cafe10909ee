// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.event;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.piped.ListEventsResponse;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.LoggerFactory;

@ResourceLock(value = "logging", mode = ResourceAccessMode.READ) // sees what is logged
final class EventReportsTest {
    private static final Caller.Agent AGENT =
            new Caller.Agent(new ProjectId("crowded"), new PipedId("west"));

    private final Logger log = (Logger) LoggerFactory.getLogger(EventReports.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        logged.start();
        log.addAppender(logged);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(logged);
    }

    private static List<String> told(int events, EventSpan.Order order) {
        return told(new FakeEventStore(events, ""), order).stream().map(Event::getId).toList();
    }

    private static List<Event> told(EventStore store, EventSpan.Order order) {
        var reports = new EventReports(store, InstantSource.fixed(Instant.ofEpochSecond(1)));
        return reports.list(AGENT, new EventSpan(0, 0, Optional.empty(), order));
    }

    private List<String> warnings() {
        return logged.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(m -> m.contains("project crowded"))
                .toList();
    }

    @Test
    void ofMoreThanFitAnAnswerTheOldestAreLeftOutAndThatIsLogged() {
        var newestFirst = told(5_001, EventSpan.Order.NEWEST_FIRST);
        var oldestFirst = told(5_001, EventSpan.Order.OLDEST_FIRST);

        assertThat(newestFirst).hasSize(5_000).startsWith("5000").endsWith("1");
        assertThat(oldestFirst).isEqualTo(newestFirst.reversed());
        assertThat(warnings())
                .hasSize(2)
                .containsOnly(
                        "Agent west asks for more events of project crowded than one answer takes and"
                                + " is told the newest 5000. Register fewer or smaller ones, or look"
                                + " why nobody handles them.");
    }

    /// An agent that is told more than it takes would hear of no event at all.
    @Test
    void ofLargeOnesAsManyAreToldAsAnAgentTakes() {
        var store = new FakeEventStore(5_000, "x".repeat(3_000));

        var newestFirst = told(store, EventSpan.Order.NEWEST_FIRST);
        var oldestFirst = told(store, EventSpan.Order.OLDEST_FIRST);

        var answer = ListEventsResponse.newBuilder().addAllEvents(newestFirst).build();
        assertThat(answer.getSerializedSize()).isBetween(9_900_000, 10_000_000);
        assertThat(newestFirst.getFirst().getId()).isEqualTo("4999");
        assertThat(oldestFirst).isEqualTo(newestFirst.reversed());
        assertThat(warnings())
                .hasSize(2)
                .allMatch(m -> m.contains(" the newest " + newestFirst.size() + "."));
    }

    @Test
    void ofAsManyAsFitNothingIsLogged() {
        assertThat(told(5_000, EventSpan.Order.OLDEST_FIRST)).hasSize(5_000).startsWith("0");
        assertThat(warnings()).isEmpty();
    }

    /// Numbered in the order they were registered in.
    private record FakeEventStore(int events, String data) implements EventStore {
        @Override
        public List<Event> created(ProjectId project, EventSpan span, int limit) {
            var newest =
                    IntStream.range(Math.max(0, events - limit), events)
                            .mapToObj(i -> Event.newBuilder().setId("" + i).setData(data).build())
                            .toList();
            return span.order() == EventSpan.Order.OLDEST_FIRST ? newest : newest.reversed();
        }

        @Override
        public Optional<Event> find(String id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<Event> latest(ProjectId project, String key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Event> list(EventFilter filter, Cursor after, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void add(Event added, String actor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<Event> update(String id, String actor, Function<Event, Edit<Event>> edit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Event> registered(ProjectId project, long before, Cursor after, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean delete(String id, String what) {
            throw new UnsupportedOperationException();
        }
    }
}
