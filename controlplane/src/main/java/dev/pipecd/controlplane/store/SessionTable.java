// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.access.SessionStore;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.controlplane.change.Trace;
import dev.pipecd.domain.ProjectId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Keeps which sessions were ended, as long as their tokens would be good otherwise. It is asked
/// anew each time, so that a session ended at one server is ended at all.
public final class SessionTable implements SessionStore {
    private final Database database;
    private final Trail trail;
    private final InstantSource clock;

    public SessionTable(Database database, Trail trail, InstantSource clock) {
        this.database = database;
        this.trail = trail;
        this.clock = clock;
    }

    @Override
    public void opened(ProjectId project, String person, String how) {
        var trace = Trace.by(Origin.current());
        var _ =
                database.write(transaction -> {
                    trail.append(transaction, change(project, person, how), trace, () -> {});
                    return true;
                });
    }

    @Override
    public void end(ProjectId project, String person, End end) {
        var trace = Trace.by(Origin.current());
        var _ =
                database.write(transaction -> {
                    transaction
                            .prepare(
                                    "DELETE FROM RevokedSession WHERE ExpiresAt < ? OR Id = ?",
                                    clock.instant().getEpochSecond(),
                                    end.id())
                            .executeUpdate();
                    transaction
                            .prepare(
                                    "INSERT INTO RevokedSession (Id, ExpiresAt) VALUES (?, ?)",
                                    end.id(),
                                    end.expires().getEpochSecond())
                            .executeUpdate();
                    if (!end.how().isEmpty())
                        trail.append(
                                transaction, change(project, person, end.how()), trace, () -> {});
                    return true;
                });
    }

    private Change change(ProjectId project, String person, String what) {
        return new Change(
                0,
                project,
                Change.Kind.SESSION,
                person,
                "",
                "",
                new Change.Deed(person, what, clock.instant()));
    }

    @Override
    public Map<String, Instant> ended(List<String> ids) {
        var places = String.join(", ", Collections.nCopies(ids.size(), "?"));
        return database.read(connection -> {
            try (var statement =
                    connection.prepareStatement(
                            "SELECT Id, ExpiresAt FROM RevokedSession WHERE Id IN ("
                                    + places
                                    + ")")) {
                for (var i = 0; i < ids.size(); i++) statement.setString(i + 1, ids.get(i));
                var found = new HashMap<String, Instant>();
                try (var rows = statement.executeQuery()) {
                    while (rows.next())
                        found.put(rows.getString(1), Instant.ofEpochSecond(rows.getLong(2)));
                }
                return found;
            }
        });
    }
}
