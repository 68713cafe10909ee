// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.controlplane.InMemoryTrail;
import dev.pipecd.controlplane.cache.Cache;
import dev.pipecd.controlplane.cache.CacheReads;
import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RelayTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Wire wire = new Wire();
    private final Changes here = new Changes(new InMemoryTrail());
    private final Changes there = new Changes(new InMemoryTrail());
    private final AtomicInteger looksThere = new AtomicInteger();
    private final AtomicInteger looksHere = new AtomicInteger();

    private static Change line() {
        return new Change(
                0,
                new ProjectId("p"),
                Change.Kind.STAGE_LOG,
                "d1",
                "s1",
                "piped-1",
                new Change.Deed("agent", "log", Instant.ofEpochSecond(7)));
    }

    @Test
    void whatTheTrailDoesNotKeepIsHeardByTheOtherServerOnce() {
        var heard = new CopyOnWriteArrayList<Change>();
        var heardHere = new CopyOnWriteArrayList<Change>();
        var _ = there.listen(heard::add);
        var _ = here.listen(heardHere::add);
        try (var _ = Relay.start(wire, here, looksHere::incrementAndGet, "here");
                var _ = Relay.start(wire, there, looksThere::incrementAndGet, "there")) {
            here.passOn(line());

            await().atMost(PATIENCE).untilAsserted(() -> assertThat(heard).containsExactly(line()));
            assertThat(heardHere).containsExactly(line());
        }
    }

    @Test
    void theOtherServerLooksAtATrailThatHasGrownAndNotTheOneThatGrewIt() {
        try (var mine = Relay.start(wire, here, looksHere::incrementAndGet, "here");
                var _ = Relay.start(wire, there, looksThere::incrementAndGet, "there")) {
            mine.grown();

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(looksThere).hasValueGreaterThan(0));
            assertThat(looksHere).hasValue(0);
        }
    }

    @Test
    void aHintOfANewerVersionIsPassedOver() {
        var heard = new CopyOnWriteArrayList<Change>();
        var _ = there.listen(heard::add);
        try (var _ = Relay.start(wire, there, looksThere::incrementAndGet, "there")) {
            wire.tell("not json");
            wire.tell("{\"from\":\"x\",\"new\":1}");
            wire.tell(
                    "{\"from\":\"x\",\"project\":\"p\",\"kind\":\"NEW\",\"id\":\"\",\"stage\":\"\",\"piped\":\"\",\"deed\":{\"who\":\"\",\"what\":\"\",\"at\":1}}");
            try (var _ = Relay.start(wire, here, looksHere::incrementAndGet, "here")) {
                here.passOn(line());

                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(heard).containsExactly(line()));
            }
        }
    }

    /// A cache whose servers all hear one another.
    private static final class Wire implements Cache {
        private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

        @Override
        public CacheReads reads() {
            return new CacheReads();
        }

        @Override
        public boolean answers() {
            return true;
        }

        @Override
        public void put(String hash, String field, String value) {}

        @Override
        public Map<String, String> all(String hash) {
            return Map.of();
        }

        @Override
        public void remove(String hash, String field) {}

        @Override
        public void tell(String message) {
            listeners.forEach(l -> l.accept(message));
        }

        @Override
        public void hear(Consumer<String> listener) {
            listeners.add(listener);
        }

        @Override
        public void close() {}
    }
}
