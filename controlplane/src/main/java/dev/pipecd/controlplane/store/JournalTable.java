// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.filestore.FileJournal;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.LogJournal;
import dev.pipecd.wire.model.LogBlock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// Keeps lines of stage logs, and files that are written again and again, until the bucket has
/// them.
///
/// Who adds lines inserts first and then looks for the end; who ends inserts the end first and then
/// waits for all inserts under way. So one of the two always sees the other.
public final class JournalTable implements LogJournal, FileJournal {
    private static final int MOST_BYTES = 1024 * 1024;
    private static final int MOST_ROWS = 500;
    private static final int MOST_PATHS = 10_000;
    private static final int MOST_COUNTED = 100_000;

    /// As long as the column. A log with a longer one goes to the bucket line by line.
    private static final int LONGEST_NAME = 400;

    private final Database database;

    /// One clock for all servers: the database's.
    private final String now;

    /// The row that was inserted last.
    private final String added;

    public JournalTable(Database database) {
        this.database = database;
        this.now = database.shared() ? "UNIX_TIMESTAMP()" : "unixepoch()";
        this.added = database.shared() ? "LAST_INSERT_ID()" : "last_insert_rowid()";
    }

    @Override
    public boolean add(FilePath log, List<LogBlock> blocks) {
        var name = log.plain();
        if (name.length() > LONGEST_NAME) return false;
        var lines = bytes(blocks);
        // In this order: whether the end was there is asked when the lines are.
        var taken =
                database.write(
                        name,
                        transaction -> {
                            transaction.later(
                                    "INSERT INTO LogJournal (Log, At, `Lines`) VALUES (?, %s, ?)"
                                            .formatted(now),
                                    name,
                                    lines);
                            return transaction.later(
                                    "DELETE FROM LogJournal WHERE Seq = %s AND EXISTS"
                                                    .formatted(added)
                                            + " (SELECT 1 FROM LogEnd WHERE Log = ?)",
                                    name);
                        });
        return taken.count() == 0;
    }

    @Override
    public void end(FilePath log) {
        var name = log.plain();
        if (name.length() > LONGEST_NAME) return;
        var _ =
                database.write(
                        name,
                        transaction -> {
                            var known =
                                    transaction.prepare("SELECT 1 FROM LogEnd WHERE Log = ?", name);
                            try (var rows = known.executeQuery()) {
                                if (rows.next()) return true;
                            }
                            return transaction
                                            .prepare(
                                                    "INSERT INTO LogEnd (Log, At) VALUES (?, %s)"
                                                            .formatted(now),
                                                    name)
                                            .executeUpdate()
                                    == 1;
                        });
        if (!database.shared()) return; // there, one writes at a time
        var _ =
                database.write(
                        name,
                        transaction -> {
                            var underWay =
                                    transaction.prepare(
                                            "SELECT Seq FROM LogJournal WHERE Log = ?"
                                                    + " LOCK IN SHARE MODE",
                                            name);
                            try (var rows = underWay.executeQuery()) {
                                return rows.next();
                            }
                        });
    }

    /// What waits for the bucket.
    public Backlog backlog() {
        return database.read(connection -> {
            var sql =
                    "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM LogJournal LIMIT %d) AS counted),"
                                    .formatted(MOST_COUNTED)
                            + " COALESCE(%s - (SELECT At FROM LogJournal ORDER BY Seq LIMIT 1), 0)"
                                    .formatted(now);
            try (var statement = connection.prepareStatement(sql);
                    var rows = statement.executeQuery()) {
                rows.next();
                return new Backlog(
                        rows.getInt(1), Duration.ofSeconds(Math.max(0, rows.getLong(2))));
            }
        });
    }

    @Override
    public Entries first(FilePath log) {
        return database.read(connection -> {
            try (var statement =
                    connection.prepareStatement(
                            "SELECT Seq, `Lines` FROM LogJournal WHERE Log = ? ORDER BY Seq"
                                    + " LIMIT "
                                    + MOST_ROWS)) {
                statement.setString(1, log.plain());
                statement.setFetchSize(16); // or a server's driver keeps all of them
                var found = new ArrayList<Entry>();
                var bytes = 0L;
                try (var rows = statement.executeQuery()) {
                    while (bytes < MOST_BYTES && rows.next()) {
                        var lines = rows.getBytes(2);
                        bytes += lines.length;
                        found.add(new Entry(rows.getLong(1), blocks(lines)));
                    }
                }
                return new Entries(found, bytes >= MOST_BYTES || found.size() == MOST_ROWS);
            }
        });
    }

    /// Each by its number: a smaller one may become visible later than a larger one.
    @Override
    public void remove(FilePath log, List<Entry> entries) {
        if (entries.isEmpty()) return;
        var numbers = entries.stream().map(Entry::number).toArray();
        var marks = String.join(", ", Collections.nCopies(numbers.length, "?"));
        var _ =
                database.write(
                        log.plain(),
                        transaction ->
                                transaction.later(
                                        "DELETE FROM LogJournal WHERE Seq IN (%s)".formatted(marks),
                                        numbers));
    }

    @Override
    public List<FilePath> left(Duration age) {
        return paths(
                "SELECT DISTINCT Log FROM LogJournal WHERE At <= %s - ? LIMIT %d"
                        .formatted(now, MOST_PATHS),
                age);
    }

    private List<FilePath> paths(String sql, Duration age) {
        return database.read(connection -> {
            try (var statement = connection.prepareStatement(sql)) {
                statement.setLong(1, age.toSeconds());
                var found = new ArrayList<FilePath>();
                try (var rows = statement.executeQuery()) {
                    while (rows.next()) found.add(FilePath.ofPlain(rows.getString(1)));
                }
                return found;
            }
        });
    }

    @Override
    public void forgetEnds(Duration age) {
        var _ =
                database.write(transaction ->
                        transaction
                                .prepare(
                                        "DELETE FROM LogEnd WHERE At <= %s - ?".formatted(now),
                                        age.toSeconds())
                                .executeUpdate());
    }

    @Override
    public void put(FilePath file, byte[] content) {
        var name = file.plain();
        var sql =
                "INSERT INTO FileJournal (File, Number, At, Content) VALUES (?, 1, %s, ?) %s"
                                .formatted(
                                        now,
                                        database.shared()
                                                ? "ON DUPLICATE KEY UPDATE"
                                                : "ON CONFLICT (File) DO UPDATE SET")
                        + " Number = Number + 1, At = COALESCE(At, %s), Content = ?".formatted(now);
        var _ = database.write(name, transaction -> transaction.later(sql, name, content, content));
    }

    @Override
    public boolean replace(FilePath file, long known, Optional<byte[]> content) {
        var name = file.plain();
        var at = content.isPresent() ? "COALESCE(At, %s)".formatted(now) : "NULL";
        var sql =
                "UPDATE FileJournal SET Number = Number + 1, At = %s, Content = %s"
                                .formatted(at, content.isPresent() ? "?" : "NULL")
                        + " WHERE File = ? AND Number = ?";
        var values = new ArrayList<Object>();
        content.ifPresent(values::add);
        Collections.addAll(values, name, known);
        return database.write(
                name,
                transaction -> {
                    // so that whoever is first finds a row to be first at
                    if (known == 0)
                        transaction
                                .prepare(
                                        "INSERT %s INTO FileJournal (File, Number) VALUES (?, 0)"
                                                .formatted(
                                                        database.shared() ? "IGNORE" : "OR IGNORE"),
                                        name)
                                .executeUpdate();
                    return transaction.prepare(sql, values.toArray()).executeUpdate() == 1;
                });
    }

    @Override
    public Waiting find(FilePath file) {
        return database.read(connection -> {
            try (var statement =
                    connection.prepareStatement(
                            "SELECT Number, Content FROM FileJournal WHERE File = ?")) {
                statement.setString(1, file.plain());
                try (var rows = statement.executeQuery()) {
                    return rows.next()
                            ? new Waiting(rows.getLong(1), Optional.ofNullable(rows.getBytes(2)))
                            : new Waiting(0, Optional.empty());
                }
            }
        });
    }

    @Override
    public List<FilePath> waiting(Duration age) {
        return paths(
                "SELECT File FROM FileJournal WHERE At <= %s - ? LIMIT %d"
                        .formatted(now, MOST_PATHS),
                age);
    }

    private static byte[] bytes(List<LogBlock> blocks) {
        var bytes = new ByteArrayOutputStream();
        try {
            for (var block : blocks) block.writeDelimitedTo(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static List<LogBlock> blocks(byte[] bytes) throws SQLException {
        var in = new ByteArrayInputStream(bytes);
        var blocks = new ArrayList<LogBlock>();
        try {
            while (in.available() > 0) blocks.add(LogBlock.parseDelimitedFrom(in));
        } catch (IOException e) {
            throw new SQLException("a row of LogJournal is not ours", e);
        }
        return blocks;
    }

    /// @param rows counted up to 100,000
    /// @param oldest how long the first of them waits
    public record Backlog(int rows, Duration oldest) {}
}
