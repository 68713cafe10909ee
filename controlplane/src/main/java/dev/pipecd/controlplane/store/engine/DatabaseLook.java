// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/// What a database tells who only looks: nothing is made or changed.
///
/// @param what for people: product, version, place
/// @param schema 0 when there is none of ours
/// @param known the newest schema of this version
/// @param foreign whether the public server's tables are there
/// @param inUse whether a server of ours owns it now
/// @param missing rights that the next start needs to bring the schema up to date
/// @param ahead by how much its clock is ahead of ours, when it has one of its own
public record DatabaseLook(
        String what,
        int schema,
        int known,
        boolean foreign,
        boolean inUse,
        List<String> missing,
        Optional<Duration> ahead) {
    public DatabaseLook {
        missing = List.copyOf(missing);
    }

    public static DatabaseLook at(Dsn dsn, String type, InstantSource clock) {
        try (var connection = DatabaseServer.source(dsn).getConnection()) {
            var dialect = DatabaseServer.dialect(connection, type);
            var tables =
                    number(
                            connection,
                            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA ="
                                    + " DATABASE() AND TABLE_NAME IN ('Application', 'Piped')");
            var schema = Migrations.version(connection);
            return new DatabaseLook(
                    "%s at %s".formatted(DatabaseServer.version(connection), dsn.place()),
                    schema,
                    dialect.migrations().size(),
                    tables == 2,
                    false,
                    Rights.missing(connection, Migrations.pending(dialect, schema)),
                    Optional.of(ahead(connection, clock)));
        } catch (SQLException e) {
            throw DatabaseServer.failed(dsn, e);
        }
    }

    /// @param known the newest migration under `db/sqlite`
    public static DatabaseLook at(Path file, int known) {
        if (!Files.exists(file)) return absent(file, known);
        var config = new SQLiteConfig();
        config.setReadOnly(true);
        var source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file.toAbsolutePath());
        try (var connection = source.getConnection()) {
            var schema = number(connection, "PRAGMA user_version");
            return new DatabaseLook(
                    "SQLite file " + file,
                    (int) schema,
                    known,
                    false,
                    owned(file),
                    List.of(),
                    Optional.empty());
        } catch (SQLException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "datastore: %s (expected: a SQLite file this process may read and write)"
                            .formatted(file),
                    "Check path, owner and mode, or restore it from a backup; it says: "
                            + e.getMessage(),
                    e);
        }
    }

    private static DatabaseLook absent(Path file, int known) {
        var folder = file.toAbsolutePath().getParent();
        while (folder != null && !Files.exists(folder)) folder = folder.getParent();
        if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder))
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "datastore: %s (expected: a file in a folder this process may write)"
                            .formatted(file),
                    "Create its folder and give it to the user the server runs as.");
        return new DatabaseLook(
                "SQLite file " + file + ", not there yet",
                0,
                known,
                false,
                false,
                List.of(),
                Optional.empty());
    }

    private static boolean owned(Path file) {
        var lockFile = Path.of(file + ".lock");
        if (!Files.exists(lockFile)) return false;
        try (var channel = FileChannel.open(lockFile, StandardOpenOption.WRITE);
                var lock = channel.tryLock()) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// Half of the way there and back is the way back; the quickest of a few answers knows best.
    private static Duration ahead(Connection connection, InstantSource clock) throws SQLException {
        var quickest = Duration.ofDays(1);
        var ahead = Duration.ZERO;
        for (var i = 0; i < 3; i++) {
            var before = clock.instant();
            var theirs = number(connection, "SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)");
            var took = Duration.between(before, clock.instant());
            if (took.compareTo(quickest) >= 0) continue;
            quickest = took;
            ahead = Duration.ofMillis(theirs - before.plus(took.dividedBy(2)).toEpochMilli());
        }
        return ahead;
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }
}
