// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.controlplane.cache.Cache;
import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries hints between the servers of one installation: that the trail has grown, so that the
/// others look at once and not by their next poll, and what is not kept in it.
public final class Relay implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Relay.class);
    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    private static final int MOST_PENDING = 1_000;
    private static final Duration PACE = Duration.ofMillis(5);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Cache cache;
    private final Changes changes;
    private final Runnable look;
    private final String self;
    private final Pending<Note> out = new Pending<>(MOST_PENDING, PACE);
    private final Pending<Note> in = new Pending<>(MOST_PENDING, PACE);
    private final List<Thread> threads;

    private Relay(Cache cache, Changes changes, Runnable look, String self) {
        this.cache = cache;
        this.changes = changes;
        this.look = look;
        this.self = self;
        this.threads =
                List.of(
                        Thread.ofVirtual().name("relay-out").unstarted(() -> run(out, this::send)),
                        Thread.ofVirtual().name("relay-in").unstarted(() -> run(in, this::take)));
    }

    /// @param look reads what others have added to the trail
    /// @param self a name no other server has
    public static Relay start(Cache cache, Changes changes, Runnable look, String self) {
        var relay = new Relay(cache, changes, look, self);
        cache.hear(relay::hear);
        changes.tellOthers(change -> relay.out.add(Note.of(self, change)));
        relay.threads.forEach(Thread::start);
        return relay;
    }

    /// This server has added to the trail. Never blocks.
    public void grown() {
        out.add(Note.look(self));
    }

    private void send(Note note) {
        try {
            cache.tell(JSON.writeValueAsString(note));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a note that cannot be written", e);
        }
    }

    private void hear(String message) {
        try {
            var note = JSON.readValue(message, Note.class);
            if (!note.from().equals(self)) in.add(note);
        } catch (JsonProcessingException | RuntimeException e) {
            log.debug("a hint of another version", e);
        }
    }

    private void take(Note note) {
        if (note.kind().isEmpty()) look.run();
        else changes.heard(note.change(changes.latest()));
    }

    private void run(Pending<Note> pending, Step step) {
        try {
            while (true) {
                for (var note : pending.take(PATIENCE).hints()) {
                    try {
                        step.on(note);
                    } catch (RuntimeException e) {
                        log.debug("a hint is lost", e);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }

    private interface Step {
        void on(Note note);
    }

    /// As it goes over the wire; without a kind it says "look at the trail".
    record Note(
            String from,
            String project,
            String kind,
            String id,
            String stage,
            String piped,
            Deed deed) {
        private static final Deed NOTHING = new Deed("", "", 0);

        static Note look(String from) {
            return new Note(from, "", "", "", "", "", NOTHING);
        }

        static Note of(String from, Change change) {
            return new Note(
                    from,
                    change.project().value(),
                    change.kind().name(),
                    change.id(),
                    change.stage(),
                    change.piped(),
                    new Deed(change.actor(), change.what(), change.at().getEpochSecond()));
        }

        Change change(long latest) {
            return new Change(
                    latest,
                    new ProjectId(project),
                    Change.Kind.valueOf(kind),
                    id,
                    stage,
                    piped,
                    new Change.Deed(deed.who(), deed.what(), Instant.ofEpochSecond(deed.at())));
        }

        record Deed(String who, String what, long at) {}
    }
}
