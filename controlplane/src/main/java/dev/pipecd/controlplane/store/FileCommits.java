// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Commits to a file that is ours alone: nobody else is ever in the way.
final class FileCommits implements Writer.Commits {
    private static final Logger log = LoggerFactory.getLogger(FileCommits.class);

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    FileCommits(Connection connection) {
        this.connection = connection;
    }

    @Override
    public List<Runnable> commit(List<Writer.Waiting<?>> units) {
        try {
            execute("BEGIN IMMEDIATE");
            var done = new ArrayList<Transaction>();
            for (var unit : units) attempt(unit, done);
            var afterwards = Writer.Commits.number(new Transaction(connection, prepared), done);
            execute("COMMIT");
            return afterwards;
        } catch (SQLException e) {
            log.warn("A commit failed; free space and health of the disk decide what is next.", e);
            rollBack();
            units.forEach(u -> u.fail(Writer.unavailable(e)));
            return List.of();
        }
    }

    /// Each unit in a savepoint of its own, so that one that fails does not spoil the others.
    private void attempt(Writer.Waiting<?> unit, List<Transaction> done) throws SQLException {
        execute("SAVEPOINT unit");
        var transaction = new Transaction(connection, prepared);
        if (unit.run(transaction)) done.add(transaction);
        else execute("ROLLBACK TO unit");
        execute("RELEASE unit");
    }

    private void rollBack() {
        try {
            execute("ROLLBACK");
        } catch (SQLException e) {
            log.debug("Nothing to roll back", e); // SQLite has already done it by itself
        }
    }

    private void execute(String sql) throws SQLException {
        var statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        statement.execute();
    }

    @Override
    public void close() {
        try {
            for (var statement : prepared.values()) statement.close();
            connection.close();
        } catch (SQLException e) {
            log.warn("The store did not close cleanly; the next start recovers it.", e);
        }
    }
}
