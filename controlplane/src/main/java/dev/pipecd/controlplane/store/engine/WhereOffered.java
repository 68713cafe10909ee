// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// Connections that are encrypted where the server offers it, and plain where it does not. It is
/// asked each time: after a fail-over it may be another one.
record WhereOffered(DataSource encrypted, DataSource plain) implements DataSource {
    @Override
    public Connection getConnection() throws SQLException {
        try {
            return encrypted.getConnection();
        } catch (SQLException e) {
            if (!Tls.notOffered(e)) throw e;
            return plain.getConnection();
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the user is given with the address");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return encrypted.getLogWriter();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        encrypted.setLogWriter(out);
        plain.setLogWriter(out);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return encrypted.getLoginTimeout();
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        encrypted.setLoginTimeout(seconds);
        plain.setLoginTimeout(seconds);
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return encrypted.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return encrypted.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return encrypted.isWrapperFor(type);
    }
}
