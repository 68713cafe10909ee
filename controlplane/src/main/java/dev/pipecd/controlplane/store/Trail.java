// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.audit.AuditEntry;
import dev.pipecd.controlplane.audit.AuditFilter;
import dev.pipecd.controlplane.audit.AuditStore;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.change.Glance;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.controlplane.change.Question;
import dev.pipecd.controlplane.change.Trace;
import dev.pipecd.controlplane.store.engine.Batch;
import dev.pipecd.controlplane.store.engine.Condition;
import dev.pipecd.controlplane.store.engine.Dialect;
import dev.pipecd.domain.ProjectId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// The append-only trail of what changed, and the order in which it is passed on. Numbers are given
/// under a lock that is held until the commit: whoever sees a number sees all that are smaller,
/// also with several processes writing.
public final class Trail implements Changes.ChangeStore, AuditStore {
    private static final int MOST_AT_ONCE = 1_000;

    /// A key that was disabled elsewhere is good for at most a second.
    private static final Duration LATELY = Duration.ofMillis(500);

    private static final String COLUMNS =
            "Seq, ProjectId, Kind, SubjectId, PipedId, Actor, What, At";
    private static final String TRACE = "Via, Origin, RequestId, `Before`, `After`";

    private final Database database;
    private final List<Consumer<Change>> followers = new CopyOnWriteArrayList<>();
    private final List<Consumer<Change>> receivers = new CopyOnWriteArrayList<>();
    private volatile Runnable grown = () -> {};
    private final Glance confirmation = new Glance(this::look);
    private volatile long latest;
    private volatile long lookedAt = System.nanoTime() - LATELY.toNanos();

    public Trail(Database database) {
        this.database = database;
        this.latest =
                database.read(connection -> {
                    try (var statement =
                                    connection.prepareStatement(
                                            "SELECT COALESCE(MAX(Seq), 0) FROM `Change`");
                            var rows = statement.executeQuery()) {
                        rows.next();
                        return rows.getLong(1);
                    }
                });
    }

    /// `receiver` gets every change after it is committed, in the order of the trail.
    public void passOnTo(Consumer<Change> receiver) {
        receivers.add(receiver);
    }

    /// `follower` gets them before everybody else, so that whoever hears of a change finds it.
    void follow(Consumer<Change> follower) {
        followers.add(follower);
    }

    /// `told` hears of every commit of this process; it must not block.
    public void whenGrown(Runnable told) {
        grown = told;
    }

    /// @param heard what is done when its turn on the trail has come, behind the followers
    void append(Transaction transaction, Change change, Trace trace, Runnable heard) {
        transaction.tell(new Transaction.Told(this, change, trace, heard));
    }

    /// Answers what is to be done once they are committed to a file that is ours alone.
    Runnable append(Transaction transaction, List<Transaction.Told> told) throws SQLException {
        long before;
        try (var rows =
                transaction.prepare("SELECT COALESCE(MAX(Seq), 0) FROM `Change`").executeQuery()) {
            rows.next();
            before = rows.getLong(1);
        }
        var values = new ArrayList<Object>();
        for (var i = 0; i < told.size(); i++) {
            values.add(before + i + 1);
            add(values, told.get(i));
        }
        transaction.prepare(insert("?", told.size()), values.toArray()).executeUpdate();
        return () -> committed(before, told);
    }

    /// The same for a server, which counts itself.
    ///
    /// @param statements to be sent with the commit
    void append(
            List<Transaction.Told> told, List<Batch.Sent> statements, List<Runnable> afterwards) {
        var before = new AtomicLong();
        statements.add(
                Batch.Sent.write(
                        "UPDATE Counter SET Value = LAST_INSERT_ID(Value) + ? WHERE Name = 'Change'",
                        told.size()));
        statements.add(
                Batch.Sent.query(
                        "SELECT LAST_INSERT_ID()",
                        found -> {
                            found.next();
                            before.set(found.getLong(1));
                        }));
        var values = new ArrayList<Object>();
        for (var i = 0; i < told.size(); i++) {
            values.add(i + 1);
            add(values, told.get(i));
        }
        statements.add(
                Batch.Sent.write(insert("LAST_INSERT_ID() + ?", told.size()), values.toArray()));
        afterwards.add(() -> committed(before.get(), told));
    }

    private static String insert(String number, int count) {
        var row = "(" + number + ", ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        return "INSERT INTO `Change` (%s, %s) VALUES %s"
                .formatted(COLUMNS, TRACE, String.join(", ", Collections.nCopies(count, row)));
    }

    private static void add(List<Object> values, Transaction.Told told) {
        var change = told.change();
        var trace = told.trace();
        Collections.addAll(
                values,
                change.project().value(),
                change.kind().name(),
                change.id(),
                change.piped(),
                change.actor(),
                change.what(),
                change.at().getEpochSecond(),
                trace.origin().via().name(),
                trace.origin().address(),
                trace.origin().request(),
                trace.before(),
                trace.after());
    }

    /// Directly, unless another process has put something between.
    private void committed(long before, List<Transaction.Told> told) {
        grown.run();
        var numbered = new ArrayList<News>();
        for (var one : told)
            numbered.add(new News(at(before + numbered.size() + 1, one.change()), one.heard()));
        if (!passedOn(numbered, false)) look();
    }

    /// Passes on what was committed by anybody since the last time.
    public void look() {
        var now = System.nanoTime();
        List<Change> found;
        do {
            found = read("Seq > ?", latest, MOST_AT_ONCE);
            var _ = passedOn(found.stream().map(c -> new News(c, () -> {})).toList(), true);
        } while (found.size() == MOST_AT_ONCE);
        lookedAt = now;
    }

    /// Whether that was done a moment ago.
    boolean lookedLately() {
        return System.nanoTime() - lookedAt < LATELY.toNanos();
    }

    /// The same for all who ask while one looks: when this returns, whatever was committed before
    /// it was called has been passed on.
    void confirm() {
        if (Thread.holdsLock(this)) return; // called by one who is being told of the newest
        Question.once(confirmation::now);
    }

    /// Those that were not yet passed on; false when some before them are missing.
    ///
    /// @param read from the table, and so all there are
    private synchronized boolean passedOn(List<News> changes, boolean read) {
        for (var news : changes) {
            var change = news.change();
            if (change.cursor() <= latest) continue;
            if (!read && change.cursor() != latest + 1) return false;
            followers.forEach(f -> f.accept(change));
            news.heard().run();
            receivers.forEach(r -> r.accept(change));
            latest = change.cursor(); // only now: a hint must not carry a place not yet told of
        }
        return true;
    }

    private static Change at(long cursor, Change change) {
        return new Change(
                cursor,
                change.project(),
                change.kind(),
                change.id(),
                change.stage(),
                change.piped(),
                new Change.Deed(change.actor(), change.what(), change.at()));
    }

    @Override
    public List<Change> since(ProjectId project, long cursor, int limit) {
        return read("ProjectId = ? AND Seq > ?", project.value(), cursor, limit);
    }

    private List<Change> read(String condition, Object... values) {
        return database.read(connection -> {
            try (var statement =
                    connection.prepareStatement(
                            "SELECT %s FROM `Change` WHERE %s ORDER BY Seq LIMIT ?"
                                    .formatted(COLUMNS, condition))) {
                for (var i = 0; i < values.length; i++) statement.setObject(i + 1, values[i]);
                var found = new ArrayList<Change>();
                try (var rows = statement.executeQuery()) {
                    while (rows.next()) found.add(change(rows));
                }
                return found;
            }
        });
    }

    private static Change change(ResultSet row) throws SQLException {
        return new Change(
                row.getLong(1),
                new ProjectId(row.getString(2)),
                Change.Kind.valueOf(row.getString(3)),
                row.getString(4),
                "",
                row.getString(5),
                new Change.Deed(
                        row.getString(6), row.getString(7), Instant.ofEpochSecond(row.getLong(8))));
    }

    @Override
    public List<AuditEntry> list(AuditFilter filter, long before, int limit) {
        var select = select(filter, before, limit);
        return database.read(connection -> {
            try (var statement = connection.prepareStatement(select.sql())) {
                Documents.bind(statement, select);
                var found = new ArrayList<AuditEntry>();
                try (var rows = statement.executeQuery()) {
                    while (rows.next()) found.add(entry(rows));
                }
                return found;
            }
        });
    }

    Condition select(AuditFilter filter, long before, int limit) {
        var dialect = database.engine().dialect();
        var where = where(filter, dialect).and("Seq < ?", before).in(dialect);
        var values = new ArrayList<>(where.values());
        values.add(limit);
        return new Condition(
                "SELECT %s, %s FROM `Change` WHERE %s ORDER BY Seq DESC LIMIT ?"
                        .formatted(COLUMNS, TRACE, where.sql()),
                values);
    }

    private static Where where(AuditFilter filter, Dialect dialect) {
        var where =
                Where.ALL
                        .and("ProjectId = ?", filter.project().value())
                        .is("Actor", filter.actor())
                        .is("Kind", filter.kind())
                        .is("SubjectId", filter.subject())
                        .in("Via", filter.via().stream().map(Enum::name).toList());
        // repeats what the list says, for the index that leaves agents out
        if (!filter.via().contains(Origin.Via.AGENT)) where = where.and(dialect.notByAgents());
        if (filter.from() > 0) where = where.and("At >= ?", filter.from());
        if (filter.to() > 0) where = where.and("At < ?", filter.to());
        return where;
    }

    private static AuditEntry entry(ResultSet row) throws SQLException {
        return new AuditEntry(
                change(row),
                new Origin(
                        Origin.Via.valueOf(row.getString(9)), row.getString(10), row.getString(11)),
                row.getString(12),
                row.getString(13));
    }

    @Override
    public long latest() {
        return latest;
    }

    /// A change, and what is done when followers have heard of it.
    private record News(Change change, Runnable heard) {}
}
