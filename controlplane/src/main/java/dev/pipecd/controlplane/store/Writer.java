// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.change.Question;
import dev.pipecd.controlplane.store.engine.Batch;
import dev.pipecd.controlplane.store.engine.Dialect;
import dev.pipecd.domain.Problem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A thread that writes: gathers the units of work that wait, commits them together with one flush
/// to disk, and only then tells their callers. Who finds nobody before them writes by themselves,
/// which spares two hand-overs between threads.
final class Writer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Writer.class);
    private static final int MOST_AT_ONCE = 256;
    private static final int MOST_WAITING = 8192;

    private final Commits commits;
    private final BlockingQueue<Waiting<?>> queue = new LinkedBlockingQueue<>(MOST_WAITING);
    private final Thread thread;

    /// Whose turn it is to commit.
    private final ReentrantLock turn = new ReentrantLock();

    private boolean closed;

    Writer(Commits commits) {
        this.commits = commits;
        this.thread = Thread.ofPlatform().name("store-writer").daemon().start(this::run);
    }

    /// Blocks until the unit is durable, or throws what it threw and leaves nothing behind.
    ///
    /// @param row the document it begins with, if any
    <R> R write(Optional<Batch.Key> row, Database.Unit<R> unit) {
        // which would be waited for by the one who has to do it
        if (turn.isHeldByCurrentThread())
            throw new IllegalStateException("write: within a commit (expected: after it)");
        var waiting = new Waiting<>(row, unit, false);
        if (!isMine()) enqueue(waiting);
        else
            try {
                Question.apart(() -> commit(List.of(waiting)));
            } finally {
                turn.unlock();
            }
        return waiting.await();
    }

    /// Whether the caller may commit at once. A virtual thread may not: an interrupt would close
    /// the connection under the commit.
    private synchronized boolean isMine() {
        if (closed || Thread.currentThread().isVirtual()) return false;
        return queue.isEmpty() && !turn.hasQueuedThreads() && turn.tryLock();
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
                turn.lock(); // first: who comes meanwhile comes along
                try {
                    queue.drainTo(batch, MOST_AT_ONCE - 1);
                    var last = batch.removeIf(Waiting::isLast);
                    if (!batch.isEmpty()) commit(batch);
                    if (last) return;
                } finally {
                    turn.unlock();
                }
            }
        } catch (InterruptedException e) {
            log.error("The store's writer was interrupted; nothing can be written any more.", e);
        }
    }

    /// Whatever happens, nobody is left waiting. Who hears of a change may look at once: what is
    /// kept in memory is in step before anybody is told.
    private void commit(List<Waiting<?>> batch) {
        var passedOn = List.<Runnable>of();
        try {
            passedOn = commits.commit(batch);
        } catch (RuntimeException e) {
            log.error("The store's writer met what it does not know; please report it.", e);
            batch.forEach(w -> w.fail(e));
        }
        batch.forEach(Waiting::settle);
        passedOn.forEach(Writer::passOn);
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
        var last = new Waiting<>(Optional.empty(), _ -> true, true);
        synchronized (this) {
            if (closed) return;
            closed = true;
            while (!queue.offer(last)) Thread.onSpinWait();
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        commits.close();
    }

    static Problem unavailable(SQLException e) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "store: unavailable",
                "Look at the log of the control plane and at its database, then try again.",
                e);
    }

    /// How an engine makes units of work durable together.
    interface Commits extends AutoCloseable {
        /// Runs the units and commits those that did not fail. When it returns, each has its
        /// outcome: durable, or failed and without a trace. What is to be done before the callers
        /// are told is answered.
        List<Runnable> commit(List<Waiting<?>> units);

        @Override
        void close();

        static Map<Trail, List<Transaction.Told>> byTrail(List<Transaction> units) {
            var byTrail = new LinkedHashMap<Trail, List<Transaction.Told>>();
            for (var unit : units)
                for (var told : unit.told())
                    byTrail.computeIfAbsent(told.trail(), _ -> new ArrayList<>()).add(told);
            return byTrail;
        }
    }

    /// Commits to a file that is ours alone: nobody else is ever in the way.
    static final class FileCommits implements Commits {
        private final Connection connection;
        private final Dialect dialect;
        private final Map<String, PreparedStatement> prepared = new HashMap<>();

        FileCommits(Connection connection, Dialect dialect) {
            this.connection = connection;
            this.dialect = dialect;
        }

        @Override
        public List<Runnable> commit(List<Waiting<?>> units) {
            try {
                execute("BEGIN IMMEDIATE");
                var done = new ArrayList<Transaction>();
                for (var unit : units) attempt(unit, done);
                var afterwards = number(done);
                execute("COMMIT");
                return afterwards;
            } catch (SQLException e) {
                log.warn(
                        "A commit failed; free space and health of the disk decide what is next.",
                        e);
                rollBack();
                units.forEach(u -> u.fail(unavailable(e)));
                return List.of();
            }
        }

        /// Puts what the units told on the trail, as the last thing before the commit.
        private List<Runnable> number(List<Transaction> done) throws SQLException {
            var afterwards = new ArrayList<Runnable>();
            for (var entry : Commits.byTrail(done).entrySet())
                afterwards.add(entry.getKey().append(transaction(), entry.getValue()));
            return afterwards;
        }

        /// Each unit in a savepoint of its own, so that one that fails does not spoil the others.
        private void attempt(Waiting<?> unit, List<Transaction> done) throws SQLException {
            execute("SAVEPOINT unit");
            var transaction = transaction();
            if (unit.run(transaction)) done.add(transaction);
            else execute("ROLLBACK TO unit");
            execute("RELEASE unit");
        }

        private Transaction transaction() {
            return new Transaction(new Batch(connection, prepared, dialect, false));
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
            try {
                for (var statement : prepared.values()) statement.close();
                connection.close();
            } catch (SQLException e) {
                log.warn("The store did not close cleanly; the next start recovers it.", e);
            }
        }
    }

    /// One unit of work and the caller who waits for it. It may be run more than once; only the
    /// last run counts.
    static final class Waiting<R> {
        private final Optional<Batch.Key> row;
        private final Database.Unit<R> unit;
        private final boolean last;
        private final CountDownLatch told = new CountDownLatch(1);
        private List<Runnable> afterCommit = List.of();
        private @Nullable R result;
        private @Nullable Throwable failure;
        private @Nullable SQLException trouble;

        /// @param last nothing comes behind it
        Waiting(Optional<Batch.Key> row, Database.Unit<R> unit, boolean last) {
            this.row = row;
            this.unit = unit;
            this.last = last;
        }

        boolean isLast() {
            return last;
        }

        Optional<Batch.Key> row() {
            return row;
        }

        boolean run(Transaction transaction) {
            afterCommit = List.of();
            result = null;
            failure = null;
            trouble = null;
            try {
                result = unit.run(transaction);
                afterCommit = transaction.afterCommit();
                return true;
            } catch (SQLException e) {
                trouble = e;
                failure = unavailable(e);
            } catch (RuntimeException | Error e) {
                failure = e;
            }
            return false;
        }

        /// What the database had against the last run.
        Optional<SQLException> trouble() {
            return Optional.ofNullable(trouble);
        }

        void fail(Throwable e) {
            if (failure == null) failure = e;
            afterCommit = List.of();
        }

        /// In place of what the last run ended with.
        void failAs(Problem e) {
            failure = e;
            afterCommit = List.of();
        }

        void settle() {
            for (var step : afterCommit) {
                try {
                    step.run();
                } catch (RuntimeException e) {
                    log.warn("A listener to a committed change failed; the change stands.", e);
                }
            }
        }

        void tell() {
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
            return Objects.requireNonNull(result);
        }
    }
}
