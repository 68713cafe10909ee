// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.domain.Problem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The one thread that writes: gathers the units of work that wait, commits them together with one
/// flush to disk, and only then tells their callers.
final class Writer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Writer.class);
    private static final int MOST_AT_ONCE = 256;
    private static final int MOST_WAITING = 8192;

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private final BlockingQueue<Waiting<?>> queue = new LinkedBlockingQueue<>(MOST_WAITING);
    private final Thread thread;
    private boolean closed;

    Writer(Connection connection) {
        this.connection = connection;
        this.thread = Thread.ofPlatform().name("store-writer").daemon().start(this::run);
    }

    /// Blocks until the unit is durable, or throws what it threw and leaves nothing behind.
    <R> R write(Database.Unit<R> unit) {
        var waiting = new Waiting<>(unit);
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
                if (batch.stream().anyMatch(w -> w.last)) return;
            }
        } catch (InterruptedException e) {
            log.error("The store's writer was interrupted; nothing can be written any more.", e);
        }
    }

    private void commit(List<Waiting<?>> batch) {
        try {
            execute("BEGIN IMMEDIATE");
            for (var waiting : batch) attempt(waiting);
            execute("COMMIT");
        } catch (SQLException e) {
            log.warn("A commit failed; free space and health of the disk decide what is next.", e);
            rollBack();
            batch.forEach(w -> w.fail(unavailable(e)));
        }
        for (var waiting : batch) waiting.tell();
    }

    /// Each unit in a savepoint of its own, so that one that fails does not spoil the others.
    private void attempt(Waiting<?> waiting) throws SQLException {
        execute("SAVEPOINT unit");
        if (!waiting.run(new Transaction(connection, prepared))) execute("ROLLBACK TO unit");
        execute("RELEASE unit");
    }

    private void rollBack() {
        try {
            execute("ROLLBACK");
        } catch (SQLException e) {
            log.debug("Nothing to roll back", e); // SQLite has already done it by itself
        }
    }

    private void execute(String sql) throws SQLException {
        var statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        statement.execute();
    }

    @Override
    public void close() {
        var last = new Waiting<>(_ -> true, true);
        synchronized (this) {
            if (closed) return;
            closed = true;
            while (!queue.offer(last)) Thread.onSpinWait();
        }
        last.await();
        try {
            thread.join();
            for (var statement : prepared.values()) statement.close();
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            log.warn("The store did not close cleanly; the next start recovers it.", e);
        }
    }

    static Problem unavailable(SQLException e) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "store: unavailable",
                "Look at the log and the disk of the control plane, then try again.",
                e);
    }

    /// One unit of work and the caller who waits for it.
    private static final class Waiting<R> {
        private final Database.Unit<R> unit;
        private final boolean last;
        private final CountDownLatch told = new CountDownLatch(1);
        private List<Runnable> afterCommit = List.of();
        private @Nullable R result;
        private @Nullable Throwable failure;

        Waiting(Database.Unit<R> unit) {
            this(unit, false);
        }

        Waiting(Database.Unit<R> unit, boolean last) {
            this.unit = unit;
            this.last = last;
        }

        boolean run(Transaction transaction) {
            try {
                result = unit.run(transaction);
                afterCommit = transaction.afterCommit();
                return true;
            } catch (SQLException e) {
                failure = unavailable(e);
            } catch (RuntimeException | Error e) {
                failure = e;
            }
            return false;
        }

        void fail(Throwable e) {
            if (failure == null) failure = e;
            afterCommit = List.of();
        }

        void tell() {
            for (var step : afterCommit) {
                try {
                    step.run();
                } catch (RuntimeException e) {
                    log.warn("A listener to a committed change failed; the change stands.", e);
                }
            }
            told.countDown();
        }

        R await() {
            var interrupted = false;
            while (true) {
                try {
                    told.await();
                    break;
                } catch (InterruptedException _) {
                    interrupted = true; // the outcome is near; leaving now would not undo it
                }
            }
            if (interrupted) Thread.currentThread().interrupt();
            if (failure instanceof RuntimeException e) throw e;
            if (failure instanceof Error e) throw e;
            return java.util.Objects.requireNonNull(result);
        }
    }
}
