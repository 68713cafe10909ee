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

    private static final int NO_SUCH_TABLE = 1146;

    /// A right that the user lacks: on the database, on a table, on a column, of the server.
    private static final Set<Integer> DENIED = Set.of(1044, 1142, 1143, 1227);

    private final Connection connection;
    private final Dsn dsn;

    private Migrations(Connection connection, Dsn dsn) {
        this.connection = connection;
        this.dsn = dsn;
    }

    static void run(Connection connection, Dialect dialect, Dsn dsn) throws SQLException {
        new Migrations(connection, dsn).run(dialect.migrations());
    }

    private void run(List<String> files) throws SQLException {
        if (version(connection) == files.size()) return; // a user who may not make tables can serve
        // Others may be at it, and an index of a large table takes longer than any answer may.
        connection.setNetworkTimeout(Runnable::run, 0);
        lock();
        try {
            var version = version(connection);
            if (version > files.size()) throw tooNew(version, files.size());
            for (var next = version; next < files.size(); next++) {
                log.info("The schema gets {}.", files.get(next));
                run(files.get(next), next + 1);
            }
        } finally {
            release();
        }
    }

    /// What a start would do now.
    static List<String> pending(Dialect dialect, int version) {
        return dialect.migrations().stream()
                .skip(version)
                .flatMap(file -> statements(file).stream())
                .toList();
    }

    private void run(String file, int version) throws SQLException {
        try {
            if (version == 1)
                execute(
                        "CREATE TABLE IF NOT EXISTS PipecdSchema (Version INT NOT NULL PRIMARY KEY)");
            for (var statement : statements(file)) execute(statement);
            execute("DELETE FROM PipecdSchema");
            execute("INSERT INTO PipecdSchema (Version) VALUES (" + version + ")");
        } catch (SQLException e) {
            if (DatabaseServer.lost(e)) throw e;
            throw failed(file, e);
        }
    }

    private Problem failed(String file, SQLException e) {
        var said = "; it says: " + e.getMessage();
        if (!DENIED.contains(e.getErrorCode()))
            return new Problem(
                    Problem.Code.SETTING_INVALID,
                    "datastore: %s does not take %s (expected: a schema it can be added to)"
                            .formatted(dsn.place(), file),
                    "Remove what is in its way and start again: it goes on where it stopped" + said,
                    e);
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "datastore: %s refuses %s to user \"%s\" (expected: a user who may create tables in it)"
                        .formatted(dsn.place(), file, dsn.user()),
                Rights.advice(dsn) + said,
                e);
    }

    private static Problem tooNew(int found, int known) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "datastore: the database has schema %d (expected: at most %d)"
                        .formatted(found, known),
                "It was written by a newer server; start that one.");
    }

    /// Replicas that start together do it once.
    private void lock() throws SQLException {
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

    private void release() throws SQLException {
        if (connection.isValid(1)) execute("DO RELEASE_LOCK(CONCAT('pipecd.schema.', DATABASE()))");
    }

    /// 0 where there is none of ours.
    static int version(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT MAX(Version) FROM PipecdSchema")) {
            return rows.next() ? rows.getInt(1) : 0;
        } catch (SQLException e) {
            if (e.getErrorCode() != NO_SUCH_TABLE) throw e;
            return 0;
        }
    }

    private void execute(String sql) throws SQLException {
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
