// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.store.engine.Batch;
import dev.pipecd.controlplane.store.engine.DatabaseLook;
import dev.pipecd.controlplane.store.engine.DatabaseServer;
import dev.pipecd.controlplane.store.engine.Dsn;
import dev.pipecd.controlplane.store.engine.Engine;
import dev.pipecd.controlplane.store.engine.Patience;
import dev.pipecd.controlplane.store.engine.SqliteFile;
import dev.pipecd.controlplane.store.engine.Trouble;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/// Where everything is kept: writers that flush to disk before they answer, and readers beside
/// them.
public final class Database implements AutoCloseable {
    /// The newest migration under `db/sqlite`.
    static final int SCHEMA = 10;

    /// Writers side by side on a server, so that its distance is waited for only once at a time by
    /// each.
    private static final int WRITERS = 4;

    private final Engine engine;
    private final List<Writer> writers;
    private final Patience patience;

    private Database(Engine engine, List<Writer> writers, Patience patience) {
        this.engine = engine;
        this.writers = List.copyOf(writers);
        this.patience = patience;
    }

    public static Database open(Place place) {
        return open(place, Patience.USUAL);
    }

    static Database open(Place place, Patience patience) {
        return switch (place) {
            case Place.File(var file) -> open(file);
            case Place.Server(var dsn, var type) -> open(dsn, type, patience);
        };
    }

    /// What is there, without making or changing anything.
    public static DatabaseLook look(Place place, InstantSource clock) {
        return switch (place) {
            case Place.File(var file) -> DatabaseLook.at(file, SCHEMA);
            case Place.Server(var dsn, var type) -> DatabaseLook.at(dsn, type, clock);
        };
    }

    public static Database open(Path file) {
        try {
            var engine = SqliteFile.open(file, SCHEMA);
            var writer = new Writer(new Writer.FileCommits(engine.connect(), engine.dialect()));
            return new Database(engine, List.of(writer), Patience.USUAL);
        } catch (SQLException e) {
            throw Writer.unavailable(e);
        }
    }

    private static Database open(Dsn dsn, String type, Patience patience) {
        var engine = DatabaseServer.open(dsn, type, patience);
        try {
            var writers = new ArrayList<Writer>();
            for (var i = 0; i < WRITERS; i++)
                writers.add(new Writer(new ServerCommits(engine, patience)));
            return new Database(engine, writers, patience);
        } catch (SQLException e) {
            engine.close();
            throw DatabaseServer.failed(dsn, e);
        }
    }

    /// Work that changes nothing. A connection that was lost is no reason to fail: the work is done
    /// again on another.
    public <R> R read(Query<R> query) {
        var end = System.nanoTime() + patience.reading().toNanos();
        while (true) {
            try (var connection = engine.readers().getConnection()) {
                return query.run(connection);
            } catch (SQLException e) {
                if (engine.trouble(e) != Trouble.LOST || System.nanoTime() - end > 0)
                    throw Writer.unavailable(e);
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
    }

    /// Work that is durable when this returns, and has left nothing behind when it throws. What a
    /// unit reads of a document is what it writes upon. It may be run more than once until it
    /// succeeds.
    <R> R write(Unit<R> unit) {
        return writers.getFirst().write(Optional.empty(), unit);
    }

    /// The same; units of one key run one after the other.
    <R> R write(String key, Unit<R> unit) {
        return writer(key).write(Optional.empty(), unit);
    }

    /// The same for a unit that begins with looking at this row.
    <R> R write(Batch.Key row, Unit<R> unit) {
        return writer(row.id()).write(Optional.of(row), unit);
    }

    private Writer writer(String key) {
        return writers.get(Math.floorMod(key.hashCode(), writers.size()));
    }

    Engine engine() {
        return engine;
    }

    /// Whether other processes may write it too, so that nothing may be remembered of it.
    public boolean shared() {
        return engine.shared();
    }

    @Override
    public void close() {
        writers.forEach(Writer::close);
        engine.close();
    }

    /// Which database.
    public sealed interface Place {
        record File(Path file) implements Place {}

        /// @param type as in the configuration: `MYSQL` or `MARIADB`
        record Server(Dsn dsn, String type) implements Place {}
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
