// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/// A database that is open and has our schema.
public interface Engine extends AutoCloseable {
    Dialect dialect();

    /// Whether other processes may write it too.
    boolean shared();

    /// What a kind is read from: its table, or a view that shows more of it.
    String source(String table);

    /// Pooled connections that only read.
    DataSource readers();

    /// A connection of its own for one who writes.
    Connection connect() throws SQLException;

    Trouble trouble(SQLException e);

    @Override
    void close();
}
