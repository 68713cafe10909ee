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
        var reports =
                new EventReports(
                        new FakeEventStore(events), InstantSource.fixed(Instant.ofEpochSecond(1)));
        return reports.list(AGENT, new EventSpan(0, 0, Optional.empty(), order)).stream()
                .map(Event::getId)
                .toList();
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
                        "Agent west asks for more than 5000 events of project crowded and is told the"
                                + " newest of them. Register fewer, or look why nobody handles them.");
    }

    @Test
    void ofAsManyAsFitNothingIsLogged() {
        assertThat(told(5_000, EventSpan.Order.OLDEST_FIRST)).hasSize(5_000).startsWith("0");
        assertThat(warnings()).isEmpty();
    }

    /// Numbered in the order they were registered in.
    private record FakeEventStore(int events) implements EventStore {
        @Override
        public List<Event> created(ProjectId project, EventSpan span, int limit) {
            var newest =
                    IntStream.range(Math.max(0, events - limit), events)
                            .mapToObj(i -> Event.newBuilder().setId("" + i).build())
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
