// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/// The SQLite file that one process owns: one writer that flushes to disk before it answers, and a
/// few readers beside it.
public final class Database implements AutoCloseable {
    /// The newest migration under `db/sqlite`.
    static final int SCHEMA = 3;

    private static final int READERS = 4;

    private final FileChannel owner;
    private final HikariDataSource readers;
    private final Writer writer;

    private Database(FileChannel owner, HikariDataSource readers, Writer writer) {
        this.owner = owner;
        this.readers = readers;
        this.writer = writer;
    }

    public static Database open(Path file) {
        try {
            var folder = file.toAbsolutePath().getParent();
            if (folder != null) Files.createDirectories(folder);
            var owner = own(file);
            var source = source(file);
            migrate(source, file);
            var writer = new Writer(source.getConnection());
            return new Database(owner, readers(file), writer);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot open the store " + file, e);
        } catch (SQLException e) {
            throw Writer.unavailable(e);
        }
    }

    /// Flyway is asked only when the file says it is older: loading it costs half a second at each
    /// start.
    private static void migrate(SQLiteDataSource source, Path file) throws SQLException {
        var version = schema(source);
        if (version > SCHEMA)
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "datastore: %s has schema %d (expected: at most %d)"
                            .formatted(file, version, SCHEMA),
                    "It was written by a newer server; start that one.");
        if (version == SCHEMA) return;
        Flyway.configure(Database.class.getClassLoader())
                .dataSource(source)
                .locations("classpath:db/sqlite")
                .loggers("slf4j")
                .load()
                .migrate();
        try (var connection = source.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("PRAGMA user_version = " + SCHEMA);
        }
    }

    private static int schema(SQLiteDataSource source) throws SQLException {
        try (var connection = source.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("PRAGMA user_version")) {
            return rows.getInt(1);
        }
    }

    /// A second process would see caches that are not its own; it is refused.
    private static FileChannel own(Path file) throws IOException {
        var lockFile = Path.of(file + ".lock");
        var channel =
                FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) return channel;
        } catch (OverlappingFileLockException _) {
            // held by this very process
        }
        channel.close();
        throw new Problem(
                Problem.Code.SETTING_INVALID,
                "datastore: %s is in use (expected: a file no other server owns)".formatted(file),
                "Stop the other server, or give this one a data folder of its own.");
    }

    private static SQLiteDataSource source(Path file) {
        var config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setBusyTimeout(10_000);
        config.enforceForeignKeys(true);
        var source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file.toAbsolutePath());
        return source;
    }

    private static HikariDataSource readers(Path file) {
        var config = new HikariConfig();
        config.setPoolName("store-readers");
        config.setDataSource(source(file));
        config.setConnectionInitSql("PRAGMA query_only = 1");
        config.setMaximumPoolSize(READERS);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    /// Work that changes nothing.
    public <R> R read(Query<R> query) {
        try (var connection = readers.getConnection()) {
            return query.run(connection);
        } catch (SQLException e) {
            throw Writer.unavailable(e);
        }
    }

    /// Work that is durable when this returns, and has left nothing behind when it throws. Units
    /// run one at a time, so what a unit reads is what it writes upon.
    <R> R write(Unit<R> unit) {
        return writer.write(unit);
    }

    @Override
    public void close() {
        writer.close();
        readers.close();
        try {
            owner.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Reads.
    @FunctionalInterface
    public interface Query<R> {
        R run(Connection connection) throws SQLException;
    }

    /// Reads and writes; quick, and never waits for anything else.
    @FunctionalInterface
    interface Unit<R> {
        R run(Transaction transaction) throws SQLException;
    }
}
