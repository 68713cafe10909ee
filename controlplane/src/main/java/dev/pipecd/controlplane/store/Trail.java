// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.domain.ProjectId;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/// The append-only trail of what changed, and the order in which it is passed on.
public final class Trail implements Changes.ChangeStore {
    private final Database database;
    private final List<Consumer<Change>> receivers = new CopyOnWriteArrayList<>();
    private volatile long latest;

    public Trail(Database database) {
        this.database = database;
        this.latest =
                database.read(connection -> {
                    try (var statement =
                                    connection.prepareStatement(
                                            "SELECT ifnull(max(Seq), 0) FROM Change");
                            var rows = statement.executeQuery()) {
                        return rows.getLong(1);
                    }
                });
    }

    /// `receiver` gets every change after it is committed, in the order of the trail.
    public void passOnTo(Consumer<Change> receiver) {
        receivers.add(receiver);
    }

    void append(Transaction transaction, Change change, Told told) throws SQLException {
        var statement =
                transaction.prepare(
                        "INSERT INTO Change"
                                + " (ProjectId, Kind, SubjectId, PipedId, Actor, What, At,"
                                + " Via, Origin, Before, After)"
                                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING Seq",
                        change.project().value(),
                        change.kind().name(),
                        change.id(),
                        change.piped(),
                        change.actor(),
                        change.what(),
                        change.at().getEpochSecond(),
                        told.origin().via().name(),
                        told.origin().address(),
                        told.before(),
                        told.after());
        try (var rows = statement.executeQuery()) {
            var kept = at(rows.getLong(1), change);
            transaction.afterCommit(() -> {
                receivers.forEach(r -> r.accept(kept));
                latest = kept.cursor(); // only now: a hint must not carry a place not yet told of
            });
        }
    }

    private static Change at(long cursor, Change change) {
        return new Change(
                cursor,
                change.project(),
                change.kind(),
                change.id(),
                change.stage(),
                change.piped(),
                new Change.Deed(change.actor(), change.what(), change.at()));
    }

    @Override
    public List<Change> since(ProjectId project, long cursor, int limit) {
        return database.read(connection -> {
            try (var statement =
                    connection.prepareStatement(
                            "SELECT Seq, Kind, SubjectId, PipedId, Actor, What, At FROM Change"
                                    + " WHERE ProjectId = ? AND Seq > ? ORDER BY Seq LIMIT ?")) {
                statement.setString(1, project.value());
                statement.setLong(2, cursor);
                statement.setInt(3, limit);
                var found = new ArrayList<Change>();
                try (var rows = statement.executeQuery()) {
                    while (rows.next())
                        found.add(
                                new Change(
                                        rows.getLong(1),
                                        project,
                                        Change.Kind.valueOf(rows.getString(2)),
                                        rows.getString(3),
                                        "",
                                        rows.getString(4),
                                        new Change.Deed(
                                                rows.getString(5),
                                                rows.getString(6),
                                                Instant.ofEpochSecond(rows.getLong(7)))));
                }
                return found;
            }
        });
    }

    @Override
    public long latest() {
        return latest;
    }
}
