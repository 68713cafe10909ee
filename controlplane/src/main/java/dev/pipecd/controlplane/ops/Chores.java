// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.ops;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Does the chores while it is this process's turn, each on a thread of its own so that a long one
/// keeps no other waiting.
public final class Chores implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Chores.class);

    private static final Duration LONGEST_GOODBYE = Duration.ofSeconds(10);

    private final Turn turn;
    private final InstantSource clock;
    private final Duration pace;
    private final Map<String, Instant> done = new ConcurrentHashMap<>();
    private final Map<String, Long> failures = new ConcurrentHashMap<>();
    private volatile boolean mine;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("chores").factory());

    private Chores(Turn turn, InstantSource clock, Duration pace) {
        this.turn = () -> stop.getCount() > 0 && turn.mine();
        this.clock = clock;
        this.pace = pace;
    }

    /// Of a process that is alone.
    public static Chores start(List<Chore> chores, InstantSource clock, Duration pace) {
        var all = new Chores(Turn.ALWAYS, clock, pace);
        all.mine = true;
        return started(all, chores);
    }

    /// The lease is looked at ten times as seldom as the chores.
    public static Chores start(
            Lease lease, List<Chore> chores, InstantSource clock, Duration pace) {
        var all = new Chores(lease, clock, pace);
        var _ = all.threads.submit(() -> all.keep(lease));
        return started(all, chores);
    }

    private static Chores started(Chores all, List<Chore> chores) {
        for (var chore : chores) {
            all.failures.put(chore.name(), 0L);
            var first = chore.first().apply(all.clock.instant());
            var _ = all.threads.submit(() -> all.keepDoing(chore, first));
        }
        return all;
    }

    private void keep(Lease lease) {
        var failing = false;
        do {
            try {
                lease.look();
                if (failing) log.info("Whose turn it is can be seen again.");
                failing = false;
            } catch (RuntimeException e) {
                if (!failing)
                    log.warn(
                            "Whose turn it is cannot be seen until the database is back: {}",
                            e.getMessage());
                log.debug("not seen", e);
                failing = true;
            }
            mine = turn.mine();
        } while (goesOn(pace.multipliedBy(10)));
        try {
            lease.close();
        } catch (RuntimeException e) {
            log.warn("The turn was not given back; another process takes it a little later.", e);
        }
    }

    private void keepDoing(Chore chore, Instant first) {
        var due = first;
        do {
            if (clock.instant().isBefore(due) || !turn.mine()) continue;
            attempt(chore);
            due = chore.next().apply(clock.instant());
        } while (goesOn(pace));
    }

    /// One that fails must not be the last.
    private void attempt(Chore chore) {
        try {
            chore.work().done(turn);
            done.put(chore.name(), clock.instant());
        } catch (Turn.Over _) {
            log.info("{} is left off: the turn is over.", chore.name());
        } catch (RuntimeException e) {
            failures.merge(chore.name(), 1L, Long::sum);
            log.warn("{} failed; it is tried again when it is due.", chore.name(), e);
        }
    }

    /// Whether it is this process that does them, as last seen: whoever asks must not wait for the
    /// database.
    public boolean mine() {
        return mine;
    }

    /// When each was last done here to its end.
    public Map<String, Instant> done() {
        return Map.copyOf(done);
    }

    public Map<String, Long> failures() {
        return Map.copyOf(failures);
    }

    private boolean goesOn(Duration pause) {
        try {
            return !stop.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return false; // nobody does that
        }
    }

    /// What is being done leaves off at the next part of it.
    @Override
    public void close() {
        close(LONGEST_GOODBYE);
    }

    /// What does not leave off by then is broken off, which each chore must bear: a supervisor
    /// would kill the whole process.
    void close(Duration patience) {
        stop.countDown();
        threads.shutdown();
        try {
            if (threads.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) return;
            log.warn("A chore does not leave off and is broken off; it is done again when due.");
            threads.shutdownNow();
            if (!threads.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS))
                log.warn("A chore goes on until the process ends.");
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
