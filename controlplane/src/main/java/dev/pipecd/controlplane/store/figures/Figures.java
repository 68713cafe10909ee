// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.figures;

import dev.pipecd.controlplane.insight.Day;
import dev.pipecd.controlplane.insight.InsightStore.ApplicationCount;
import dev.pipecd.controlplane.insight.Question;
import dev.pipecd.controlplane.insight.Scope;
import dev.pipecd.controlplane.store.engine.Condition;
import dev.pipecd.controlplane.store.engine.Engine;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Answers questions for figures: by the sums of days where there are any, whatever the history;
/// otherwise by the deliveries themselves.
public final class Figures {
    /// The columns of sums.
    public static final List<String> SUMS =
            List.of("Completed", "Failed", "Leads", "LeadTime", "Restores", "RestoreTime");

    private static final long DAY = 86_400;

    private final Engine engine;
    private volatile boolean complete;

    public Figures(Engine engine) {
        this.engine = engine;
    }

    public List<Day> days(Connection connection, Question question) throws SQLException {
        complete = complete || isComplete(connection);
        var select = select(question, complete);
        try (var statement = prepared(connection, select);
                var rows = statement.executeQuery()) {
            var found = new ArrayList<Day>();
            while (rows.next())
                if (carries(rows.getString(2), question.labels())) found.add(day(rows));
            return found;
        }
    }

    /// Sums are asked for by label already.
    private static boolean carries(@Nullable String labels, Map<String, String> wanted) {
        return labels == null || Counted.carries(labels, wanted);
    }

    private static boolean isComplete(Connection connection) throws SQLException {
        try (var statement =
                        connection.prepareStatement(
                                "SELECT Complete FROM DeliverySumMark WHERE Id = 1");
                var rows = statement.executeQuery()) {
            return rows.next() && rows.getBoolean(1);
        }
    }

    /// @param summed whether the sums hold all that was counted
    public Condition select(Question question, boolean summed) {
        return Scope.of(question)
                .filter(_ -> summed)
                .map(scope -> sums(scope, question))
                .orElseGet(() -> deliveries(question));
    }

    /// What has sums carries the label that was asked for.
    private static Condition sums(Scope scope, Question question) {
        return Condition.of(
                "SELECT Day * 86400, NULL, %s FROM DeliverySum".formatted(String.join(", ", SUMS))
                        + " WHERE Scope = ? AND Day >= ? AND Day <= ? AND Completed > 0"
                        + " ORDER BY Day",
                scope.digest(),
                question.first().toEpochDay(),
                question.last().toEpochDay());
    }

    private Condition deliveries(Question question) {
        var where = new ArrayList<Condition>();
        where.add(engine.dialect().same("ProjectId", question.project().value()));
        if (!question.application().isEmpty())
            where.add(engine.dialect().same("ApplicationId", question.application()));
        where.add(Condition.of("CompletedAt >= ?", question.first().toEpochDay() * DAY));
        where.add(Condition.of("CompletedAt < ?", (question.last().toEpochDay() + 1) * DAY));
        // Labels are compared exactly here; what cannot carry them is left out there.
        question.labels()
                .forEach((name, value) ->
                        where.add(
                                Condition.of(
                                        "instr(Labels, ?) > 0", Counted.written(name, value))));
        var sql =
                """
                SELECT CompletedAt - CompletedAt %% 86400, %s, count(*),
                    sum(CASE WHEN Status = 5 THEN 1 ELSE 0 END),
                    sum(CASE WHEN LeadTime >= 0 THEN 1 ELSE 0 END),
                    sum(CASE WHEN LeadTime >= 0 THEN LeadTime ELSE 0 END),
                    sum(CASE WHEN RestoreTime >= 0 THEN 1 ELSE 0 END),
                    sum(CASE WHEN RestoreTime >= 0 THEN RestoreTime ELSE 0 END)
                FROM Delivery WHERE %s GROUP BY 1, 2 ORDER BY 1
                """;
        return all(sql.formatted(question.labels().isEmpty() ? "NULL" : "Labels", "%s"), where);
    }

    public List<ApplicationCount> applications(Connection connection, ProjectId project)
            throws SQLException {
        try (var statement = prepared(connection, select(project));
                var rows = statement.executeQuery()) {
            var found = new ArrayList<ApplicationCount>();
            while (rows.next()) found.add(count(rows));
            return found;
        }
    }

    public Condition select(ProjectId project) {
        return all(
                "SELECT Kind, Disabled, count(*) FROM %s WHERE %%s GROUP BY Kind, Disabled ORDER BY Kind, Disabled"
                        .formatted(engine.source("Application")),
                List.of(
                        engine.dialect().same("ProjectId", project.value()),
                        Condition.of("Deleted = 0")));
    }

    private static Condition all(String sql, List<Condition> where) {
        return new Condition(
                sql.replace(
                        "%s",
                        where.stream().map(Condition::sql).collect(Collectors.joining(" AND "))),
                where.stream().flatMap(c -> c.values().stream()).toList());
    }

    private static PreparedStatement prepared(Connection connection, Condition select)
            throws SQLException {
        var statement = connection.prepareStatement(select.sql());
        var place = 1;
        for (var value : select.values()) statement.setObject(place++, value);
        return statement;
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

    private static ApplicationCount count(ResultSet rows) throws SQLException {
        var kind = ApplicationKind.forNumber(rows.getInt(1));
        return new ApplicationCount(
                kind == null ? ApplicationKind.UNRECOGNIZED : kind,
                !rows.getBoolean(2),
                rows.getInt(3));
    }
}
