// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.config.Cron;
import dev.pipecd.controlplane.TestClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class ChoresTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration PACE = Duration.ofMillis(2);
    private static final Duration LIFE = Duration.ofSeconds(30);

    private final TestClock clock = new TestClock(Instant.parse("2026-11-15T12:10:00Z"));
    private final AtomicInteger done = new AtomicInteger();

    @Test
    void aChoreThatFailedIsDoneAgainWhenItIsDue() {
        var chore =
                Chore.every(
                        Duration.ofMinutes(1),
                        "counting",
                        _ -> {
                            if (done.incrementAndGet() == 1) throw new IllegalStateException("no");
                        });
        try (var chores = Chores.start(List.of(chore), clock, PACE)) {
            await().atMost(PATIENCE).until(() -> done.get() == 1);

            // when it was done is noted a moment later
            await().atMost(PATIENCE)
                    .until(() -> {
                        clock.pass(Duration.ofMinutes(1));
                        return done.get() >= 2;
                    });
            await().atMost(PATIENCE).until(() -> chores.done().containsKey("counting"));
            assertThat(chores.failures()).isEqualTo(Map.of("counting", 1L));
        }
    }

    @Test
    void aScheduledChoreIsDoneAtItsTimesOnly() {
        var chore =
                Chore.at(
                        Cron.parse("30 * * * *").orElseThrow(),
                        "counting",
                        _ -> done.incrementAndGet());
        var rounds = new AtomicInteger();
        var beside = Chore.every(Duration.ZERO, "rounds", _ -> rounds.incrementAndGet());
        try (var _ = Chores.start(List.of(chore, beside), clock, PACE)) {
            await().atMost(PATIENCE).until(() -> rounds.get() > 3);
            assertThat(done).hasValue(0);

            clock.pass(Duration.ofMinutes(20));

            await().atMost(PATIENCE).until(() -> done.get() == 1);
        }
    }

    @Test
    void aLongChoreKeepsNoOtherWaitingAndLeavesOffAtTheEnd() {
        var left = new CountDownLatch(1);
        var forEver =
                Chore.every(
                        Duration.ofMinutes(1),
                        "for ever",
                        turn -> {
                            while (turn.mine()) LockSupport.parkNanos(1_000_000);
                            left.countDown();
                        });
        var other = Chore.every(Duration.ZERO, "other", _ -> done.incrementAndGet());

        try (var _ = Chores.start(List.of(forEver, other), clock, PACE)) {
            await().atMost(PATIENCE).until(() -> done.get() > 3);
        }

        assertThat(left.getCount()).isZero();
    }

    @Test
    void aChoreWhoseTurnEndsInItsMidstHasNeitherFailedNorBeenDone() {
        var left = new CountDownLatch(1);
        var walk =
                Chore.every(
                        Duration.ofMinutes(1),
                        "walk",
                        turn -> {
                            done.incrementAndGet();
                            try {
                                while (true) {
                                    turn.require();
                                    LockSupport.parkNanos(1_000_000);
                                }
                            } finally {
                                left.countDown();
                            }
                        });
        var chores = Chores.start(List.of(walk), clock, PACE);
        await().atMost(PATIENCE).until(() -> done.get() == 1);

        chores.close();

        assertThat(left.getCount()).isZero();
        assertThat(chores.failures()).isEqualTo(Map.of("walk", 0L));
        assertThat(chores.done()).isEmpty();
    }

    @Test
    void aChoreThatDoesNotLeaveOffIsBrokenOff() throws Exception {
        var never = new CountDownLatch(1);
        var broken = new CountDownLatch(1);
        var deaf =
                Chore.every(
                        Duration.ofMinutes(1),
                        "deaf",
                        _ -> {
                            done.incrementAndGet();
                            try {
                                never.await();
                            } catch (InterruptedException e) {
                                broken.countDown();
                            }
                        });
        var chores = Chores.start(List.of(deaf), clock, PACE);
        await().atMost(PATIENCE).until(() -> done.get() == 1);

        chores.close(Duration.ofMillis(50));

        assertThat(broken.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void whileItIsAnothersTurnNothingIsDoneAndWhenThatOneStopsItGoesOnHere() throws Exception {
        var store = new InMemoryLeases();
        var doer = new AtomicReference<>("");
        var first = new CountDownLatch(1);
        try (var other =
                Chores.start(lease(store, "other"), List.of(telling(doer, "other")), clock, PACE)) {
            await().atMost(PATIENCE).until(() -> doer.get().equals("other"));
            try (var _ =
                    Chores.start(
                            lease(store, "here"),
                            List.of(Chore.every(Duration.ZERO, "here", _ -> first.countDown())),
                            clock,
                            PACE)) {
                assertThat(first.await(50, TimeUnit.MILLISECONDS)).isFalse();

                other.close();

                assertThat(first.await(1, TimeUnit.MINUTES)).isTrue();
            }
        }
    }

    private static Lease lease(LeaseStore store, String holder) {
        return new Lease(store, "chores", holder, LIFE, System::nanoTime);
    }

    private static Chore telling(AtomicReference<String> doer, String name) {
        return Chore.every(Duration.ZERO, name, _ -> doer.set(name));
    }

    /// As a table would.
    private static final class InMemoryLeases implements LeaseStore {
        private Hold hold = Hold.NOBODYS;

        @Override
        public synchronized Hold find(String name) {
            return hold;
        }

        @Override
        public synchronized boolean replace(String name, Hold seen, Hold next) {
            if (!hold.equals(seen)) return false;
            hold = next;
            return true;
        }
    }
}
