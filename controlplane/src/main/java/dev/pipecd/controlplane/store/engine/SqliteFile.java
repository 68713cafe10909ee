// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

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
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/// The SQLite file that one process owns.
public final class SqliteFile implements Engine {
    private static final int READERS = 4;

    private final Dialect dialect = new SqliteDialect();
    private final FileChannel owner;
    private final SQLiteDataSource source;
    private final HikariDataSource readers;

    private SqliteFile(FileChannel owner, SQLiteDataSource source, HikariDataSource readers) {
        this.owner = owner;
        this.source = source;
        this.readers = readers;
    }

    /// @param schema the newest migration under `db/sqlite`
    public static SqliteFile open(Path file, int schema) throws SQLException {
        try {
            var folder = file.toAbsolutePath().getParent();
            if (folder != null) Files.createDirectories(folder);
            var owner = own(file);
            var source = source(file);
            migrate(source, file, schema);
            return new SqliteFile(owner, source, readers(file));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot open the store " + file, e);
        }
    }

    /// Flyway is asked only when the file says it is older: loading it costs half a second at each
    /// start.
    private static void migrate(SQLiteDataSource source, Path file, int schema)
            throws SQLException {
        var version = schema(source);
        if (version > schema)
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "datastore: %s has schema %d (expected: at most %d)"
                            .formatted(file, version, schema),
                    "It was written by a newer server; start that one.");
        if (version == schema) return;
        Flyway.configure(SqliteFile.class.getClassLoader())
                .dataSource(source)
                .locations("classpath:db/sqlite")
                .loggers("slf4j")
                .load()
                .migrate();
        try (var connection = source.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("PRAGMA user_version = " + schema);
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

    @Override
    public Dialect dialect() {
        return dialect;
    }

    @Override
    public boolean shared() {
        return false;
    }

    @Override
    public String source(String table) {
        return table;
    }

    @Override
    public DataSource readers() {
        return readers;
    }

    @Override
    public Connection connect() throws SQLException {
        return source.getConnection();
    }

    @Override
    public Trouble trouble(SQLException e) {
        return Trouble.LASTING;
    }

    @Override
    public void close() {
        readers.close();
        try {
            owner.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
