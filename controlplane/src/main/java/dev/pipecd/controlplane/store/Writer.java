// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.domain.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A thread that writes: gathers the units of work that wait, commits them together with one flush
/// to disk, and only then tells their callers.
final class Writer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Writer.class);
    private static final int MOST_AT_ONCE = 256;
    private static final int MOST_WAITING = 8192;

    private final Commits commits;
    private final BlockingQueue<Waiting<?>> queue = new LinkedBlockingQueue<>(MOST_WAITING);
    private final Thread thread;
    private boolean closed;

    Writer(Commits commits) {
        this.commits = commits;
        this.thread = Thread.ofPlatform().name("store-writer").daemon().start(this::run);
    }

    /// Blocks until the unit is durable, or throws what it threw and leaves nothing behind.
    <R> R write(Database.Unit<R> unit) {
        var waiting = new Waiting<>(unit, false);
        enqueue(waiting);
        return waiting.await();
    }

    private synchronized void enqueue(Waiting<?> waiting) {
        if (closed || !queue.offer(waiting))
            throw new Problem(
                    Problem.Code.STORE_UNAVAILABLE,
                    closed ? "store: closed" : "store: too many writes wait",
                    "Try again; if it stays, look at the disk of the control plane.");
    }

    private void run() {
        var batch = new ArrayList<Waiting<?>>();
        try {
            while (true) {
                batch.clear();
                batch.add(queue.take());
                queue.drainTo(batch, MOST_AT_ONCE - 1);
                commit(batch);
                if (batch.stream().anyMatch(Waiting::isLast)) return;
            }
        } catch (InterruptedException e) {
            log.error("The store's writer was interrupted; nothing can be written any more.", e);
        }
    }

    /// Whatever happens, nobody is left waiting.
    private void commit(List<Waiting<?>> batch) {
        try {
            for (var step : commits.commit(batch)) passOn(step);
        } catch (RuntimeException e) {
            log.error("The store's writer met what it does not know; please report it.", e);
            batch.forEach(w -> w.fail(e));
        }
        batch.forEach(Waiting::tell);
    }

    private static void passOn(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            log.warn("A committed change was not passed on; the change stands.", e);
        }
    }

    @Override
    public void close() {
        var last = new Waiting<>(_ -> true, true);
        synchronized (this) {
            if (closed) return;
            closed = true;
            while (!queue.offer(last)) Thread.onSpinWait();
        }
        try {
            last.await();
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        commits.close();
    }
}
