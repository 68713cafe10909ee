// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.controlplane.paging.Cursor;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives the documents that were there before there were rows of labels theirs, in steps that go on
/// where a broken-off run stopped; and where others may write the database (the public server, or
/// an older one of ours), looks now and then for what they wrote without them. Until both are done
/// once, lists do without.
public final class LabelKeeper implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LabelKeeper.class);
    private static final int AT_ONCE = 200;
    private static final Duration PACE = Duration.ofMinutes(5);
    private static final Duration PACE_WHEN_FAILING = Duration.ofSeconds(5);

    /// So far apart may the clocks of two servers be.
    private static final Duration CLOCKS_APART = Duration.ofMinutes(10);

    private final Database database;
    private final List<LabelIndex> kinds;
    private final InstantSource clock;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private LabelKeeper(Database database, List<LabelIndex> kinds, InstantSource clock) {
        this.database = database;
        this.kinds = kinds;
        this.clock = clock;
        this.thread = Thread.ofVirtual().name("label-keeper").unstarted(this::run);
    }

    static LabelKeeper of(
            InstantSource clock,
            ApplicationTable applications,
            DeploymentTable deployments,
            EventTable events) {
        return new LabelKeeper(
                applications.documents().database(),
                List.of(
                        applications.documents().labels(),
                        deployments.documents().labels(),
                        events.documents().labels()),
                clock);
    }

    public static LabelKeeper start(
            InstantSource clock,
            ApplicationTable applications,
            DeploymentTable deployments,
            EventTable events) {
        var keeper = of(clock, applications, deployments, events);
        keeper.thread.start();
        return keeper;
    }

    private void run() {
        var failing = false;
        try {
            do {
                try {
                    keep();
                    failing = false;
                    if (!database.shared()) return; // nobody else writes it
                } catch (RuntimeException e) {
                    if (!failing && !closing())
                        log.warn("Lists by label are slow until the database is well again.", e);
                    failing = true;
                }
            } while (!closed.await(
                    (failing ? PACE_WHEN_FAILING : PACE).toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            log.debug("interrupted", e); // nobody does that
        }
    }

    /// One round over all kinds.
    void keep() {
        for (var kind : kinds) {
            while (!filled(kind)) if (closing()) return;
            if (database.shared()) check(kind);
            if (closing()) return;
            if (!kind.isComplete()) log.debug("Labels of {} lead lists from now on.", kind.kind());
            kind.complete();
        }
    }

    private boolean closing() {
        return closed.getCount() == 0;
    }

    /// A step of the first reading. Documents are locked while their rows are made, so that these
    /// are what the documents say.
    private boolean filled(LabelIndex kind) {
        return database.write(transaction -> {
            var mark = mark(transaction, kind);
            if (mark.checkedAt() > 0) return true;
            var began = mark.beganAt() > 0 ? mark.beganAt() : now();
            var found = behind(transaction, kind, mark.reached());
            if (!found.isEmpty()) replace(transaction, kind, found);
            var done = found.size() < AT_ONCE;
            transaction
                    .prepare(
                            "UPDATE LabelMark SET Reached = ?, BeganAt = ?, CheckedAt = ? WHERE"
                                    + " Kind = ?",
                            found.isEmpty() ? mark.reached() : found.sequencedKeySet().getLast(),
                            began,
                            done ? began : 0,
                            kind.kind())
                    .executeUpdate();
            return done;
        });
    }

    private Mark mark(Transaction transaction, LabelIndex kind) throws SQLException {
        var statement =
                transaction.prepare(
                        "SELECT Reached, BeganAt, CheckedAt FROM LabelMark WHERE Kind = ?"
                                + locking(),
                        kind.kind());
        try (var rows = statement.executeQuery()) {
            if (!rows.next()) throw new IllegalStateException("LabelMark: none of " + kind.kind());
            return new Mark(rows.getString(1), rows.getLong(2), rows.getLong(3));
        }
    }

    private String locking() {
        return database.shared() ? " FOR UPDATE" : "";
    }

    private SequencedMap<String, ObjectNode> behind(
            Transaction transaction, LabelIndex kind, String reached) throws SQLException {
        var where = reached.isEmpty() ? Where.ALL : Where.ALL.and("Id > ?", reached);
        var condition = where.in(database.engine().dialect());
        var statement =
                transaction.prepare(
                        "SELECT Data FROM %s WHERE %s ORDER BY Id LIMIT %d%s"
                                .formatted(kind.kind(), condition.sql(), AT_ONCE, locking()),
                        condition.values().toArray());
        try (var rows = statement.executeQuery()) {
            return documents(rows);
        }
    }

    private static SequencedMap<String, ObjectNode> documents(ResultSet rows) throws SQLException {
        var found = new LinkedHashMap<String, ObjectNode>();
        while (rows.next()) {
            var document = GoJson.parse(rows.getString(1));
            found.put(document.path("id").asText(), document);
        }
        return found;
    }

    private void replace(
            Transaction transaction, LabelIndex kind, SequencedMap<String, ObjectNode> documents)
            throws SQLException {
        var dialect = database.engine().dialect();
        transaction
                .prepare(
                        "DELETE FROM %s WHERE Document >= ? AND Document <= ?"
                                .formatted(kind.table()),
                        dialect.id(documents.sequencedKeySet().getFirst()),
                        dialect.id(documents.sequencedKeySet().getLast()))
                .executeUpdate();
        kind.insert(transaction, documents);
    }

    /// What others updated since the last look and did not give its rows.
    private void check(LabelIndex kind) {
        var from = database.write(transaction -> mark(transaction, kind)).checkedAt();
        var began = now();
        for (var project : projects(kind)) mend(kind, project, from - CLOCKS_APART.toSeconds());
        database.write(transaction ->
                transaction
                        .prepare(
                                "UPDATE LabelMark SET CheckedAt = ? WHERE Kind = ? AND"
                                        + " CheckedAt < ?",
                                began,
                                kind.kind(),
                                began)
                        .executeUpdate());
    }

    private List<String> projects(LabelIndex kind) {
        return database.read(connection -> {
            try (var statement =
                            connection.prepareStatement(
                                    "SELECT DISTINCT ProjectId FROM " + kind.kind());
                    var rows = statement.executeQuery()) {
                var found = new ArrayList<String>();
                while (rows.next()) found.add(rows.getString(1));
                return found;
            }
        });
    }

    private void mend(LabelIndex kind, String project, long since) {
        var after = Cursor.START;
        while (!closing()) {
            var found = without(kind, project, since, after);
            for (var id : found.keySet()) mend(kind, id);
            if (found.size() < AT_ONCE) return;
            var last = found.sequencedValues().getLast();
            after = new Cursor(last.path("updated_at").asLong(), last.path("id").asText());
        }
    }

    private SequencedMap<String, ObjectNode> without(
            LabelIndex kind, String project, long since, Cursor after) {
        // a list of one: projects that differ in case only are looked at together
        var where =
                Where.ALL
                        .in("ProjectId", List.of(project))
                        .since(since)
                        .and(
                                "NOT EXISTS (SELECT 1 FROM %s WHERE Document = Id AND At = UpdatedAt)"
                                        .formatted(kind.table()))
                        .and("JSON_LENGTH(Data, '$.labels') > 0")
                        .after(after);
        var select =
                Documents.select(
                        database.engine(), kind.kind(), where, Where.NEWEST_FIRST, AT_ONCE);
        return database.read(connection -> {
            try (var statement = connection.prepareStatement(select.sql())) {
                Documents.bind(statement, select);
                try (var rows = statement.executeQuery()) {
                    return documents(rows);
                }
            }
        });
    }

    private void mend(LabelIndex kind, String id) {
        var _ =
                database.write(
                        id,
                        transaction -> {
                            var statement =
                                    transaction.prepare(
                                            "SELECT Data FROM %s WHERE Id = ? FOR UPDATE"
                                                    .formatted(kind.kind()),
                                            database.engine().dialect().id(id));
                            Map<String, ObjectNode> found;
                            try (var rows = statement.executeQuery()) {
                                found = documents(rows);
                            }
                            for (var document : found.entrySet())
                                kind.rewrite(transaction, document.getKey(), document.getValue());
                            return found.size();
                        });
    }

    private long now() {
        return clock.instant().getEpochSecond();
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            if (thread.isAlive()) thread.join(Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private record Mark(String reached, long beganAt, long checkedAt) {}
}
