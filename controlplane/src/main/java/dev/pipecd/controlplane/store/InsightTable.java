// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.controlplane.insight.Day;
import dev.pipecd.controlplane.insight.Delivery;
import dev.pipecd.controlplane.insight.InsightStore;
import dev.pipecd.controlplane.insight.Question;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.store.engine.Dialect;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/// Keeps a row for each completed deployment, from which the figures of any time are summed up.
public final class InsightTable implements InsightStore {
    private static final int SUCCESS = 4;
    private static final long DAY = 86_400;

    private final Database database;

    public InsightTable(Database database) {
        this.database = database;
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
                    for (var delivery : deliveries) put(transaction, delivery);
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

    private static void put(Transaction transaction, Delivery delivery) throws SQLException {
        transaction
                .prepare("DELETE FROM Delivery WHERE Id = ?", delivery.deployment())
                .executeUpdate();
        transaction
                .prepare(
                        "INSERT INTO Delivery (Id, ProjectId, ApplicationId, Labels, CompletedAt,"
                                + " Status, LeadTime, RestoreTime) VALUES (?, ?, ?, ?, ?, ?, ?, -1)",
                        delivery.deployment(),
                        delivery.project(),
                        delivery.application(),
                        labels(delivery.labels()),
                        delivery.completedAt(),
                        delivery.status().getNumber(),
                        delivery.leadTime())
                .executeUpdate();
        // A success ends the failures before it; a late report may stand before one already
        // counted.
        restored(transaction, delivery.application(), delivery.completedAt(), "=");
        restored(transaction, delivery.application(), delivery.completedAt(), ">");
    }

    private static void restored(Transaction transaction, String application, long at, String which)
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
        transaction
                .prepare(
                        "UPDATE Delivery SET RestoreTime = ? WHERE ApplicationId = ?"
                                + " AND Status = 4 AND CompletedAt = ?",
                        broken <= 0 ? -1 : success - broken,
                        application,
                        success)
                .executeUpdate();
    }

    private static long number(Transaction transaction, String sql, Object... values)
            throws SQLException {
        try (var rows = transaction.prepare(sql, values).executeQuery()) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    private static String labels(Map<String, String> labels) {
        var tree = JsonNodeFactory.instance.objectNode();
        new TreeMap<>(labels).forEach(tree::put);
        return tree.toString();
    }

    @Override
    public List<Day> days(Question question) {
        var where =
                Where.ALL
                        .and("ProjectId = ?", question.project().value())
                        .is("ApplicationId", question.application())
                        .and("CompletedAt >= ?", question.first().toEpochDay() * DAY)
                        .and("CompletedAt < ?", (question.last().toEpochDay() + 1) * DAY)
                        .in(dialect());
        // Labels are compared here, since they are the same in few rows; sums need no labels.
        var labels = question.labels().isEmpty() ? "''" : "Labels";
        var sql =
                """
                SELECT CompletedAt - CompletedAt %% 86400, %s, count(*),
                    sum(CASE WHEN Status = 5 THEN 1 ELSE 0 END),
                    sum(CASE WHEN LeadTime >= 0 THEN 1 ELSE 0 END),
                    sum(CASE WHEN LeadTime >= 0 THEN LeadTime ELSE 0 END),
                    sum(CASE WHEN RestoreTime >= 0 THEN 1 ELSE 0 END),
                    sum(CASE WHEN RestoreTime >= 0 THEN RestoreTime ELSE 0 END)
                FROM Delivery WHERE %s GROUP BY 1, 2 ORDER BY 1
                """
                        .formatted(labels, where.sql());
        return database.read(connection -> {
            try (var statement = connection.prepareStatement(sql)) {
                var place = 1;
                for (var value : where.values()) statement.setObject(place++, value);
                var found = new ArrayList<Day>();
                try (var rows = statement.executeQuery()) {
                    while (rows.next())
                        if (carries(rows.getString(2), question.labels())) found.add(day(rows));
                }
                return found;
            }
        });
    }

    private static boolean carries(String labels, Map<String, String> wanted) {
        if (wanted.isEmpty()) return true;
        var tree = GoJson.parse(labels);
        return wanted.entrySet().stream()
                .allMatch(e -> tree.path(e.getKey()).asText("").equals(e.getValue()));
    }

    private static Day day(ResultSet rows) throws SQLException {
        return new Day(
                LocalDate.ofEpochDay(rows.getLong(1) / DAY),
                new Day.Sums(
                        rows.getLong(3),
                        rows.getLong(4),
                        new Day.Span(rows.getLong(5), rows.getLong(6)),
                        new Day.Span(rows.getLong(7), rows.getLong(8))));
    }

    @Override
    public List<ApplicationCount> applications(ProjectId project) {
        var where =
                Where.ALL.and("ProjectId = ?", project.value()).and("Deleted = 0").in(dialect());
        return database.read(connection -> {
            try (var statement =
                    connection.prepareStatement(
                            "SELECT Kind, Disabled, count(*) FROM %s WHERE %s GROUP BY Kind, Disabled"
                                            .formatted(
                                                    database.engine().source("Application"),
                                                    where.sql())
                                    + " ORDER BY Kind, Disabled")) {
                var place = 1;
                for (var value : where.values()) statement.setObject(place++, value);
                var found = new ArrayList<ApplicationCount>();
                try (var rows = statement.executeQuery()) {
                    while (rows.next()) found.add(count(rows));
                }
                return found;
            }
        });
    }

    private static ApplicationCount count(ResultSet rows) throws SQLException {
        var kind = ApplicationKind.forNumber(rows.getInt(1));
        return new ApplicationCount(
                kind == null ? ApplicationKind.UNRECOGNIZED : kind,
                !rows.getBoolean(2),
                rows.getInt(3));
    }
}
