// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.store.engine.Condition;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// How a database finds what it is asked for, in its own words, and what that costs.
final class Plan {
    private Plan() {}

    /// Its steps.
    static List<String> of(Database database, Condition select) {
        return database.read(connection -> {
            var explain = database.shared() ? "EXPLAIN " : "EXPLAIN QUERY PLAN ";
            try (var statement = connection.prepareStatement(explain + select.sql())) {
                Documents.bind(statement, select);
                try (var rows = statement.executeQuery()) {
                    return steps(rows);
                }
            }
        });
    }

    private static List<String> steps(ResultSet rows) throws SQLException {
        var steps = new ArrayList<String>();
        var columns = rows.getMetaData();
        while (rows.next()) {
            var step = new ArrayList<String>();
            for (var i = 1; i <= columns.getColumnCount(); i++)
                step.add(
                        columns.getColumnLabel(i).toLowerCase(Locale.ROOT)
                                + "="
                                + rows.getString(i));
            steps.add(String.join(" | ", step));
        }
        return steps;
    }

    /// SQLite says it in words: `SEARCH … USING INDEX`; servers in columns, where `type=ALL` is the
    /// whole table. What a step before has found is gone through as a whole.
    static boolean byIndex(String step) {
        if (step.contains("detail="))
            return step.contains("USING INDEX")
                    || step.contains("USING COVERING INDEX")
                    || step.contains("PRIMARY KEY")
                    || step.contains("TEMP B-TREE")
                    || step.matches(".*detail=(CO-ROUTINE|MATERIALIZE|SCAN) (Page|Led|[(].*)")
                    || step.matches(".*detail=(MERGE [(]UNION[)]|LEFT|RIGHT)")
                    || step.contains("CORRELATED")
                    || step.contains("VIRTUAL TABLE");
        if (step.startsWith("explain=")) // as MySQL says it
        return !Pattern.compile("Table scan on (?!<|Page|Led)").matcher(step).find();
        return step.contains("table=<")
                || !step.contains("type=ALL") && !step.contains(" key=null");
    }

    /// Rows that the server looked at, in tables and indexes.
    static long reads(Database database, Condition select) {
        return database.read(connection -> {
            var before = counted(connection);
            try (var statement = connection.prepareStatement(select.sql())) {
                Documents.bind(statement, select);
                statement.executeQuery().close();
            }
            return counted(connection) - before;
        });
    }

    /// As of one connection, since it was opened.
    static long counted(Connection connection) throws SQLException {
        var reads = 0L;
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("SHOW SESSION STATUS LIKE 'Handler_read%'")) {
            while (rows.next()) reads += rows.getLong(2);
        }
        return reads;
    }
}
