// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.store.engine.Batch;
import dev.pipecd.controlplane.store.engine.Dialect;
import dev.pipecd.controlplane.store.engine.Engine;
import dev.pipecd.controlplane.store.engine.Patience;
import dev.pipecd.controlplane.store.engine.Trouble;
import dev.pipecd.domain.Problem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Commits to a server that others write too and that may go away at any moment. What is certainly
/// undone is done again for a while. A commit whose answer never came is not: each commit leaves
/// its number in a row of this writer's own, and that row says whether it happened.
final class ServerCommits implements Writer.Commits {
    private static final Logger log = LoggerFactory.getLogger(ServerCommits.class);
    private static final long FORGOTTEN_AFTER_DAYS = 30;
    private static final String MARK =
            "INSERT INTO WriterMark (Writer, Number, At) VALUES (?, ?, UNIX_TIMESTAMP())"
                    + " ON DUPLICATE KEY UPDATE Number = ?, At = UNIX_TIMESTAMP()";

    private final Engine engine;
    private final Duration patience;
    private @Nullable Session session;
    private String writer = "";
    private long number;

    ServerCommits(Engine engine, Patience patience) throws SQLException {
        this.engine = engine;
        this.patience = patience.writing();
        open();
    }

    @Override
    public List<Runnable> commit(List<Writer.Waiting<?>> units) {
        var open = new ArrayList<>(units);
        var taken = new HashSet<Writer.Waiting<?>>();
        var end = System.nanoTime() + patience.toNanos();
        var together = true;
        for (var attempt = 1; ; attempt++) {
            switch (attempt(open, taken, together)) {
                case Outcome.Committed(var afterwards) -> {
                    return afterwards;
                }
                case Outcome.Spoiled() -> attempt--; // one unit less: this ends by itself
                case Outcome.Refused() -> together = false; // then it is known whose it was
                case Outcome.Undone(var e) -> {
                    var lasting =
                            engine.trouble(e) != Trouble.LOST && engine.trouble(e) != Trouble.AGAIN;
                    if (lasting || System.nanoTime() - end > 0) return fail(open, e);
                    LockSupport.parkNanos(Math.min(attempt, 20) * 10_000_000L);
                }
                case Outcome.Unknown(var e) -> {
                    return fail(open, e);
                }
            }
        }
    }

    private static List<Runnable> fail(List<Writer.Waiting<?>> units, SQLException e) {
        log.warn("The database does not take what is written; callers are told to try again.", e);
        units.forEach(u -> u.failAs(Writer.unavailable(e)));
        return List.of();
    }

    private Outcome attempt(
            List<Writer.Waiting<?>> open, Set<Writer.Waiting<?>> taken, boolean together) {
        try {
            var now = session();
            var batch = now.batch(together, engine.dialect());
            batch.lock(open.stream().flatMap(u -> u.row().stream()).toList());
            var done = new ArrayList<Transaction>();
            for (var unit : List.copyOf(open)) {
                var transaction = new Transaction(batch);
                var ran = unit.run(transaction);
                if (batch.refusal().isPresent()) return refused(batch.refusal().get());
                if (ran) done.add(transaction);
                else if (spoils(unit, transaction)) {
                    // Whose key was taken by somebody else looks once more; anybody else is out.
                    if (!isTaken(unit) || !taken.add(unit)) open.remove(unit);
                    now.connection().rollback();
                    return new Outcome.Spoiled();
                }
            }
            if (done.stream().noneMatch(Transaction::wrote)) {
                now.connection().rollback(); // lets go of what was locked to be looked at
                return new Outcome.Committed(List.of());
            }
            number++;
            return commit(batch, done, together);
        } catch (SQLException e) {
            undo(e);
            return new Outcome.Undone(e);
        } catch (RuntimeException e) {
            close(); // and with the connection goes whatever was begun on it
            throw e;
        }
    }

    private boolean isTaken(Writer.Waiting<?> unit) {
        return unit.trouble().filter(e -> engine.trouble(e) == Trouble.TAKEN).isPresent();
    }

    /// Whether the unit failed after it had written, so that the whole must be done again without
    /// it. What the database will do next time is thrown.
    private boolean spoils(Writer.Waiting<?> unit, Transaction transaction) throws SQLException {
        var trouble = unit.trouble();
        if (trouble.isEmpty()) return transaction.wrote();
        switch (engine.trouble(trouble.get())) {
            case LOST, AGAIN -> throw trouble.get();
            case UNFIT -> unit.failAs(unfit(trouble.get()));
            case FORBIDDEN -> unit.failAs(forbidden(trouble.get()));
            case TAKEN -> log.debug("Another one was first", trouble.get());
            case LASTING -> log.warn("The database refuses a statement of ours.", trouble.get());
        }
        return transaction.wrote();
    }

    private static Problem unfit(SQLException e) {
        return new Problem(
                Problem.Code.REQUEST_INVALID,
                "document: does not fit its table (expected: names and ids of the usual length)",
                "Shorten or add what it names: " + e.getMessage(),
                e);
    }

    /// In the words of the trigger, without those of the driver.
    private static Problem forbidden(SQLException e) {
        return new Problem(
                Problem.Code.PRECONDITION_FAILED,
                "database: %s"
                        .formatted(
                                String.valueOf(e.getMessage())
                                        .replaceFirst("^[(]conn=\\d+[)] ", "")),
                "A trigger in the database forbids this; ask who operates it.",
                e);
    }

    /// Somebody's statement among many, or the server's trouble.
    private Outcome refused(SQLException e) throws SQLException {
        if (engine.trouble(e) == Trouble.LOST || engine.trouble(e) == Trouble.AGAIN) throw e;
        undo(e);
        return new Outcome.Refused();
    }

    /// The trail's counter, which everybody who writes must pass, is locked for one trip only: what
    /// the units wrote, what goes on the trail, the writer's mark and the commit are sent together.
    private Outcome commit(Batch batch, List<Transaction> done, boolean together)
            throws SQLException {
        var byTrail = Writer.Commits.byTrail(done);
        var untold = done.stream().flatMap(t -> t.afterTrail().stream()).toList();
        var statements = new ArrayList<Batch.Sent>();
        var afterwards = new ArrayList<Runnable>();
        byTrail.forEach((trail, told) -> trail.append(told, statements, afterwards));
        statements.add(Batch.Sent.write(MARK, writer, number, number));
        try {
            batch.commit(statements);
            return new Outcome.Committed(both(afterwards, untold));
        } catch (SQLException e) {
            if (engine.trouble(e) == Trouble.AGAIN) throw e;
            // Which numbers they have, nobody told us: the trails look.
            var looks = byTrail.keySet().stream().map(t -> (Runnable) t::look).toList();
            var outcome = settle(e, both(looks, untold));
            var refused = engine.trouble(e) != Trouble.LOST && outcome instanceof Outcome.Undone;
            return together && refused ? new Outcome.Refused() : outcome;
        }
    }

    private static List<Runnable> both(List<Runnable> first, List<Runnable> then) {
        return Stream.concat(first.stream(), then.stream()).toList();
    }

    /// Asks the writer's own row, once the server is back, whether the commit happened. The row is
    /// locked by that commit for as long as it is under way.
    private Outcome settle(SQLException lost, List<Runnable> afterwards) {
        var end = System.nanoTime() + patience.toNanos();
        while (true) {
            close();
            try {
                var now = session();
                var committed = marked(now.transaction(engine.dialect()));
                now.connection().rollback();
                log.info(
                        "A commit was not confirmed; it {}.",
                        committed == number ? "had happened" : "is done again");
                return committed == number
                        ? new Outcome.Committed(afterwards)
                        : new Outcome.Undone(lost);
            } catch (SQLException e) {
                if (System.nanoTime() - end > 0) return new Outcome.Unknown(e);
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            }
        }
    }

    private void undo(SQLException e) {
        if (engine.trouble(e) == Trouble.LOST) {
            close();
            return;
        }
        try {
            if (session != null) session.connection().rollback();
        } catch (SQLException again) {
            log.debug("Nothing to roll back", again); // the server has done it with the connection
            close();
        }
    }

    private Session session() throws SQLException {
        return session == null ? open() : session;
    }

    private Session open() throws SQLException {
        var opened = new Session(engine.connect(), new HashMap<>());
        session = opened;
        if (!writer.isEmpty()) return opened;
        var row = opened.transaction(engine.dialect());
        try (var rows = row.prepare("SELECT UUID()").executeQuery()) {
            rows.next();
            writer = rows.getString(1);
        }
        row.prepare(
                        "DELETE FROM WriterMark WHERE At < UNIX_TIMESTAMP() - ?",
                        Duration.ofDays(FORGOTTEN_AFTER_DAYS).toSeconds())
                .executeUpdate();
        row.prepare(MARK, writer, 0, 0).executeUpdate();
        opened.connection().commit();
        return opened;
    }

    private long marked(Transaction transaction) throws SQLException {
        var statement =
                transaction.prepare(
                        "SELECT Number FROM WriterMark WHERE Writer = ? FOR UPDATE", writer);
        try (var rows = statement.executeQuery()) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    @Override
    public void close() {
        if (session == null) return;
        try {
            session.connection().close();
        } catch (SQLException e) {
            log.debug("A lost connection did not close", e); // nothing of it is left to use
        }
        session = null;
    }

    private record Session(Connection connection, Map<String, PreparedStatement> prepared) {
        Batch batch(boolean together, Dialect dialect) {
            return new Batch(connection, prepared, dialect, together);
        }

        /// For what is the writer's own.
        Transaction transaction(Dialect dialect) {
            return new Transaction(batch(false, dialect));
        }
    }

    /// What came of one attempt.
    private sealed interface Outcome {
        record Committed(List<Runnable> afterwards) implements Outcome {}

        /// A unit failed for good and left writes behind; it is out, the others begin again.
        record Spoiled() implements Outcome {}

        /// One statement of many was refused and all is undone; whose it was, nobody can say.
        record Refused() implements Outcome {}

        /// Nothing of it happened.
        record Undone(SQLException e) implements Outcome {}

        /// It may have happened; nobody can say.
        record Unknown(SQLException e) implements Outcome {}
    }
}
