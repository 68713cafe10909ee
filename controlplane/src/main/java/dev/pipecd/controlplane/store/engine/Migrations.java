// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings the schema of a server up to date. These engines commit each statement that makes a table
/// by itself, so every statement may meet its own work done by a run that was broken off, or by the
/// public system: what is there already is passed over.
final class Migrations {
    private static final Logger log = LoggerFactory.getLogger(Migrations.class);
    private static final int SECONDS_FOR_THE_LOCK = 120;

    /// Table, column, key name there already.
    private static final Set<Integer> DONE = Set.of(1050, 1060, 1061);

    private Migrations() {}

    static void run(Connection connection, Dialect dialect) throws SQLException {
        var files = dialect.migrations();
        if (version(connection) == files.size()) return;
        lock(connection);
        try {
            var version = version(connection);
            if (version > files.size()) throw tooNew(version, files.size());
            for (var next = version; next < files.size(); next++) {
                log.info("The schema gets {}.", files.get(next));
                for (var statement : statements(files.get(next))) execute(connection, statement);
                execute(connection, "DELETE FROM PipecdSchema");
                execute(
                        connection,
                        "INSERT INTO PipecdSchema (Version) VALUES (" + (next + 1) + ")");
            }
        } finally {
            execute(connection, "DO RELEASE_LOCK(CONCAT('pipecd.schema.', DATABASE()))");
        }
    }

    private static Problem tooNew(int found, int known) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "datastore: the database has schema %d (expected: at most %d)"
                        .formatted(found, known),
                "It was written by a newer server; start that one.");
    }

    /// Replicas that start together do it once.
    private static void lock(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                "SELECT GET_LOCK(CONCAT('pipecd.schema.', DATABASE()), %d)"
                                        .formatted(SECONDS_FOR_THE_LOCK))) {
            if (rows.next() && rows.getInt(1) == 1) return;
        }
        throw new Problem(
                Problem.Code.STORE_BUSY,
                "datastore: another process has been changing the schema for two minutes",
                "Wait until it is done, then start again.");
    }

    private static int version(Connection connection) throws SQLException {
        execute(
                connection,
                "CREATE TABLE IF NOT EXISTS PipecdSchema (Version INT NOT NULL PRIMARY KEY)");
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT MAX(Version) FROM PipecdSchema")) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            if (!DONE.contains(e.getErrorCode())) throw e;
        }
    }

    /// The files hold no semicolon but those between statements.
    private static List<String> statements(String file) {
        try (var stream = Migrations.class.getResourceAsStream("/db/" + file)) {
            var text =
                    new String(
                            Objects.requireNonNull(stream, file).readAllBytes(),
                            StandardCharsets.UTF_8);
            return text
                    .replaceAll("(?m)^\\s*--.*$", "")
                    .lines()
                    .collect(java.util.stream.Collectors.joining("\n"))
                    .transform(t -> List.of(t.split(";")))
                    .stream()
                    .map(String::strip)
                    .filter(s -> !s.isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
