// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.access.SessionStore;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.controlplane.change.Trace;
import dev.pipecd.domain.ProjectId;
import java.time.Instant;
import java.time.InstantSource;

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
    public void end(ProjectId project, String person, String id, Instant expires) {
        var trace = Trace.by(Origin.current());
        var _ =
                database.write(transaction -> {
                    transaction
                            .prepare(
                                    "DELETE FROM RevokedSession WHERE ExpiresAt < ? OR Id = ?",
                                    clock.instant().getEpochSecond(),
                                    id)
                            .executeUpdate();
                    transaction
                            .prepare(
                                    "INSERT INTO RevokedSession (Id, ExpiresAt) VALUES (?, ?)",
                                    id,
                                    expires.getEpochSecond())
                            .executeUpdate();
                    trail.append(
                            transaction, change(project, person, "logged out"), trace, () -> {});
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
    public boolean ended(String id) {
        return database.read(connection -> {
            try (var statement =
                    connection.prepareStatement("SELECT 1 FROM RevokedSession WHERE Id = ?")) {
                statement.setString(1, id);
                try (var rows = statement.executeQuery()) {
                    return rows.next();
                }
            }
        });
    }
}
