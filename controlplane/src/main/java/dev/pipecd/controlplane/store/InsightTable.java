// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.controlplane.insight.Day;
import dev.pipecd.controlplane.insight.Delivery;
import dev.pipecd.controlplane.insight.InsightStore;
import dev.pipecd.controlplane.insight.Question;
import dev.pipecd.controlplane.insight.Tally;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.store.engine.Dialect;
import dev.pipecd.controlplane.store.figures.Counted;
import dev.pipecd.controlplane.store.figures.Figures;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;

/// Keeps a row for each completed deployment, and beside it the sums of each day, from which the
/// figures of any time are told.
public final class InsightTable implements InsightStore {
    private static final int SUCCESS = 4;
    private static final int SUMS_AT_ONCE = 50;

    private final Database database;
    private final Figures figures;

    public InsightTable(Database database) {
        this.database = database;
        this.figures = new Figures(database.engine());
    }

    @Override
    public Mark mark() {
        return database.read(connection -> {
            try (var statement =
                            connection.prepareStatement(
                                    "SELECT AfterId, Seq FROM InsightMark WHERE Id = 1");
                    var rows = statement.executeQuery()) {
                if (!rows.next()) return new Mark(State.NEVER_BEGUN, "", 0);
                var behind = rows.getString(1);
                return new Mark(
                        behind.isEmpty() ? State.FOLLOWING : State.FIRST_READING,
                        behind,
                        rows.getLong(2));
            }
        });
    }

    @Override
    public List<Deployment> completedBehind(String id, int limit) {
        return database.read(connection ->
                deployments(
                        connection,
                        id.isEmpty()
                                ? Where.ALL.and("Status >= ?", SUCCESS)
                                : Where.ALL
                                        .and("Status >= ?", SUCCESS)
                                        .and("Id > ?", dialect().id(id)),
                        limit));
    }

    @Override
    public News after(long place, int limit) {
        return database.read(connection -> {
            var ids = new LinkedHashSet<String>();
            var last = place;
            try (var statement =
                    connection.prepareStatement(
                            "SELECT Seq, Kind, SubjectId FROM `Change` WHERE Seq > ?"
                                    + " ORDER BY Seq LIMIT ?")) {
                statement.setLong(1, place);
                statement.setInt(2, limit);
                try (var rows = statement.executeQuery()) {
                    while (rows.next()) {
                        last = rows.getLong(1);
                        if (rows.getString(2).equals("DEPLOYMENT")) ids.add(rows.getString(3));
                    }
                }
            }
            if (ids.isEmpty()) return new News(List.of(), last);
            var completed =
                    Where.ALL
                            .and("Status >= ?", SUCCESS)
                            .in("Id", ids.stream().map(dialect()::id).toList());
            return new News(deployments(connection, completed, limit), last);
        });
    }

    @Override
    public OptionalLong reachedAt(long place) {
        if (dialect().versioned()) return OptionalLong.empty(); // nobody but us writes this schema
        return database.read(connection -> {
            try (var statement =
                    connection.prepareStatement(
                            "SELECT At FROM `Change` WHERE Seq <= ? ORDER BY Seq DESC LIMIT 1")) {
                statement.setLong(1, place);
                try (var rows = statement.executeQuery()) {
                    return OptionalLong.of(rows.next() ? rows.getLong(1) : 0);
                }
            }
        });
    }

    @Override
    public List<Deployment> writtenSince(
            long second, DeploymentStatus status, Cursor last, int limit) {
        var wanted =
                Where.ALL
                        .and("Status = ?", status.getNumber())
                        .since(second)
                        .behind("UpdatedAt", last);
        return database.read(connection -> deployments(connection, wanted, "UpdatedAt, Id", limit));
    }

    private List<Deployment> deployments(Connection connection, Where wanted, int limit)
            throws SQLException {
        return deployments(connection, wanted, "Id", limit);
    }

    private List<Deployment> deployments(
            Connection connection, Where wanted, String order, int limit) throws SQLException {
        var select = Documents.select(database.engine(), "Deployment", wanted, order, limit);
        try (var statement = connection.prepareStatement(select.sql())) {
            Documents.bind(statement, select);
            var found = new ArrayList<Deployment>();
            try (var rows = statement.executeQuery()) {
                while (rows.next())
                    found.add(GoJson.read(Deployment.getDefaultInstance(), rows.getString(1)));
            }
            return found;
        }
    }

    private Dialect dialect() {
        return database.engine().dialect();
    }

    @Override
    public void count(List<Delivery> deliveries, Mark mark) {
        var _ =
                database.write(transaction -> {
                    var _ = sumMark(transaction);
                    var tally = new Tally();
                    for (var delivery : deliveries) put(transaction, delivery, tally);
                    add(transaction, tally);
                    transaction.prepare("DELETE FROM InsightMark WHERE Id = 1").executeUpdate();
                    transaction
                            .prepare(
                                    "INSERT INTO InsightMark (Id, AfterId, Seq) VALUES (1, ?, ?)",
                                    mark.behind(),
                                    mark.place())
                            .executeUpdate();
                    return true;
                });
    }

    private static void put(Transaction transaction, Delivery delivery, Tally tally)
            throws SQLException {
        var before = counted(transaction, "Id = ?", delivery.deployment());
        for (var row : before) {
            if (row.summed()) row.take(tally);
            transaction.prepare("DELETE FROM Delivery WHERE Id = ?", row.id()).executeUpdate();
        }
        var row = Counted.of(delivery);
        transaction
                .prepare(
                        "INSERT INTO Delivery (Id, ProjectId, ApplicationId, Labels, CompletedAt,"
                                + " Status, LeadTime, RestoreTime, Summed)"
                                + " VALUES (?, ?, ?, ?, ?, ?, ?, -1, 2)",
                        row.id(),
                        row.project(),
                        delivery.application(),
                        row.labels(),
                        row.at(),
                        delivery.status().getNumber(),
                        delivery.leadTime())
                .executeUpdate();
        row.add(tally);
        restored(transaction, delivery.application(), row.at(), tally);
        // A correction may also take a failure, or a success, away from before another success.
        for (var gone : before)
            if (gone.at() != row.at())
                restored(transaction, delivery.application(), gone.at(), tally);
    }

    /// A success ends the failures before it; a late report may stand before one already counted.
    private static void restored(Transaction transaction, String application, long at, Tally tally)
            throws SQLException {
        restored(transaction, application, at, "=", tally);
        restored(transaction, application, at, ">", tally);
    }

    private static void restored(
            Transaction transaction, String application, long at, String which, Tally tally)
            throws SQLException {
        var success =
                number(
                        transaction,
                        "SELECT min(CompletedAt) FROM Delivery WHERE ApplicationId = ?"
                                + " AND Status = 4 AND CompletedAt "
                                + which
                                + " ?",
                        application,
                        at);
        if (success <= 0) return;
        var before =
                number(
                        transaction,
                        "SELECT max(CompletedAt) FROM Delivery WHERE ApplicationId = ?"
                                + " AND Status = 4 AND CompletedAt < ?",
                        application,
                        success);
        var broken =
                number(
                        transaction,
                        "SELECT min(CompletedAt) FROM Delivery WHERE ApplicationId = ?"
                                + " AND Status = 5 AND CompletedAt > ? AND CompletedAt <= ?",
                        application,
                        before,
                        success);
        restored(transaction, application, success, broken <= 0 ? -1 : success - broken, tally);
    }

    private static void restored(
            Transaction transaction, String application, long at, long time, Tally tally)
            throws SQLException {
        for (var row :
                counted(
                        transaction,
                        "ApplicationId = ? AND Status = 4 AND CompletedAt = ?",
                        application,
                        at)) {
            if (row.restoreTime() == time) continue;
            if (row.summed()) {
                row.take(tally);
                row.restored(time).add(tally);
            }
            transaction
                    .prepare("UPDATE Delivery SET RestoreTime = ? WHERE Id = ?", time, row.id())
                    .executeUpdate();
        }
    }

    private static List<Counted> counted(Transaction transaction, String where, Object... values)
            throws SQLException {
        var statement =
                transaction.prepare(
                        "SELECT Id, ProjectId, Labels, CompletedAt, Status, LeadTime, RestoreTime,"
                                + " Summed FROM Delivery WHERE "
                                + where,
                        values);
        var found = new ArrayList<Counted>();
        try (var rows = statement.executeQuery()) {
            while (rows.next()) found.add(Counted.of(rows));
        }
        return found;
    }

    /// One after the other, of all servers: what a unit reads of deliveries is what it changes.
    private SumMark sumMark(Transaction transaction) throws SQLException {
        var statement =
                transaction.prepare(
                        "SELECT Reached, Complete FROM DeliverySumMark WHERE Id = 1"
                                + (database.shared() ? " FOR UPDATE" : ""));
        try (var rows = statement.executeQuery()) {
            if (!rows.next()) throw new IllegalStateException("DeliverySumMark: empty");
            return new SumMark(rows.getString(1), rows.getBoolean(2));
        }
    }

    @Override
    public boolean sumUp(int limit) {
        return database.write(transaction -> {
            var mark = sumMark(transaction);
            if (mark.complete()) return true;
            var found = counted(transaction, "Id > ? ORDER BY Id LIMIT ?", mark.reached(), limit);
            var last = found.isEmpty() ? mark.reached() : found.getLast().id();
            var tally = new Tally();
            for (var row : found) if (!row.summed()) row.add(tally);
            add(transaction, tally);
            transaction
                    .prepare(
                            "UPDATE Delivery SET Summed = 2 WHERE Id > ? AND Id <= ?",
                            mark.reached(),
                            last)
                    .executeUpdate();
            var complete = found.size() < limit;
            transaction
                    .prepare(
                            "UPDATE DeliverySumMark SET Reached = ?, Complete = ? WHERE Id = 1",
                            last,
                            complete ? 1 : 0)
                    .executeUpdate();
            return complete;
        });
    }

    private void add(Transaction transaction, Tally tally) throws SQLException {
        var values = new ArrayList<Object>();
        for (var change : tally.changes().entrySet()) {
            var sums = change.getValue();
            Collections.addAll(
                    values,
                    change.getKey().scope().digest(),
                    change.getKey().day(),
                    sums.completed(),
                    sums.failed(),
                    sums.lead().count(),
                    sums.lead().seconds(),
                    sums.restore().count(),
                    sums.restore().seconds());
            if (values.size() == 8 * SUMS_AT_ONCE) add(transaction, values);
        }
        if (!values.isEmpty()) add(transaction, values);
    }

    private void add(Transaction transaction, List<Object> values) throws SQLException {
        var row = "(?, ?, ?, ?, ?, ?, ?, ?)";
        transaction.later(
                "INSERT INTO DeliverySum (Scope, Day, %s) VALUES %s %s"
                        .formatted(
                                String.join(", ", Figures.SUMS),
                                String.join(", ", Collections.nCopies(values.size() / 8, row)),
                                dialect().adding("Scope, Day", Figures.SUMS)),
                values.toArray());
        values.clear();
    }

    private static long number(Transaction transaction, String sql, Object... values)
            throws SQLException {
        try (var rows = transaction.prepare(sql, values).executeQuery()) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    @Override
    public List<Day> days(Question question) {
        return database.read(connection -> figures.days(connection, question));
    }

    @Override
    public List<ApplicationCount> applications(ProjectId project) {
        return database.read(connection -> figures.applications(connection, project));
    }

    private record SumMark(String reached, boolean complete) {}
}
