// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Work that is done now and then, and at once when somebody hints that it is worth it. A problem
/// is told once, not every round.
final class Round implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Round.class);

    private final String name;
    private final Supplier<Duration> pause;
    private final Consumer<Round> work;
    private final Semaphore hints = new Semaphore(0);
    private final Thread thread;
    private String told = "";
    private volatile boolean closed;

    Round(String name, Supplier<Duration> pause, Runnable work) {
        this(name, pause, _ -> work.run());
    }

    /// @param work is handed this round, to see whether another follows
    Round(String name, Supplier<Duration> pause, Consumer<Round> work) {
        this.name = name;
        this.pause = pause;
        this.work = work;
        this.thread = Thread.ofVirtual().name(name).unstarted(this::turn);
    }

    Round start() {
        thread.start();
        return this;
    }

    /// Do it now; hints that come while it is being done lead to one more round.
    void hint() {
        hints.release();
    }

    /// Whether another round follows this one at once.
    boolean hinted() {
        return hints.availablePermits() > 0;
    }

    private void turn() {
        try {
            while (!closed) {
                hints.drainPermits();
                once();
                var _ = hints.tryAcquire(pause.get().toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException stopped) {
            // The agent stops.
        }
    }

    private void once() {
        try {
            work.accept(this);
            if (!told.isEmpty()) log.info("{}: works again", name);
            told = "";
        } catch (Problem problem) {
            if (!told.equals(problem.told())) log.warn("{}: {}", name, problem.told());
            told = problem.told();
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            // A fault of ours in one round must not end the rounds.
            log.error("{}: an internal fault; the next round is tried all the same", name, e);
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
