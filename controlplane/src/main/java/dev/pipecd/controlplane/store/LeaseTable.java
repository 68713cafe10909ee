// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.ops.LeaseStore;
import java.sql.ResultSet;
import java.sql.SQLException;

/// Keeps whose turn it is.
public final class LeaseTable implements LeaseStore {
    private static final String SELECT = "SELECT Holder, Term FROM Lease WHERE Name = ?";

    private final Database database;

    public LeaseTable(Database database) {
        this.database = database;
    }

    @Override
    public Hold find(String name) {
        return database.read(connection -> {
            try (var statement = connection.prepareStatement(SELECT)) {
                statement.setString(1, name);
                try (var rows = statement.executeQuery()) {
                    return hold(rows);
                }
            }
        });
    }

    @Override
    public boolean replace(String name, Hold seen, Hold next) {
        return database.write(transaction -> {
            var statement =
                    transaction.prepare(SELECT + (database.shared() ? " FOR UPDATE" : ""), name);
            try (var rows = statement.executeQuery()) {
                if (!hold(rows).equals(seen)) return false;
            }
            var sql =
                    seen.equals(Hold.NOBODYS)
                            ? "INSERT INTO Lease (Holder, Term, Name) VALUES (?, ?, ?)"
                            : "UPDATE Lease SET Holder = ?, Term = ? WHERE Name = ?";
            transaction.prepare(sql, next.holder(), next.term(), name).executeUpdate();
            return true;
        });
    }

    private static Hold hold(ResultSet rows) throws SQLException {
        return rows.next() ? new Hold(rows.getString(1), rows.getLong(2)) : Hold.NOBODYS;
    }
}
