// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.audit.AuditEntry;
import dev.pipecd.controlplane.audit.AuditFilter;
import dev.pipecd.controlplane.audit.AuditStore;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.domain.ProjectId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Reads the trail backwards, by whatever people look for.
public final class AuditTable implements AuditStore {
    private final Database database;

    public AuditTable(Database database) {
        this.database = database;
    }

    @Override
    public List<AuditEntry> list(AuditFilter filter, long before, int limit) {
        var where = where(filter).and("Seq < ?", before);
        return database.read(connection -> {
            try (var statement =
                    connection.prepareStatement(
                            "SELECT Seq, Kind, SubjectId, PipedId, Actor, What, At, Via, Origin,"
                                    + " Before, After FROM Change WHERE "
                                    + where.sql()
                                    + " ORDER BY Seq DESC LIMIT ?")) {
                var place = 1;
                for (var value : where.values()) statement.setObject(place++, value);
                statement.setInt(place, limit);
                var found = new ArrayList<AuditEntry>();
                try (var rows = statement.executeQuery()) {
                    while (rows.next()) found.add(entry(filter.project(), rows));
                }
                return found;
            }
        });
    }

    private static Where where(AuditFilter filter) {
        var where =
                Where.ALL
                        .and("ProjectId = ?", filter.project().value())
                        .is("Actor", filter.actor())
                        .is("Kind", filter.kind())
                        .is("SubjectId", filter.subject())
                        .in("Via", filter.via().stream().map(Enum::name).toList());
        // repeats what the list says, for the index that leaves agents out
        if (!filter.via().contains(Origin.Via.AGENT)) where = where.and("Via <> 'AGENT'");
        if (filter.from() > 0) where = where.and("At >= ?", filter.from());
        if (filter.to() > 0) where = where.and("At < ?", filter.to());
        return where;
    }

    private static AuditEntry entry(ProjectId project, ResultSet rows) throws SQLException {
        return new AuditEntry(
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
                                Instant.ofEpochSecond(rows.getLong(7)))),
                new Origin(Origin.Via.valueOf(rows.getString(8)), rows.getString(9)),
                rows.getString(10),
                rows.getString(11));
    }
}
