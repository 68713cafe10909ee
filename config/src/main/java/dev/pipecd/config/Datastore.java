// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

/// Which database the control plane keeps its documents in.
public sealed interface Datastore {

    /// Not written: SQLite in the server's own data folder.
    record Unset() implements Datastore {}

    record Sqlite(String path) implements Datastore {}

    /// A MySQL or MariaDB server, which says itself what it is.
    record MySql(Server server) implements Datastore {}

    /// A MariaDB server and no other.
    record MariaDb(Server server) implements Datastore {}

    /// `url` is a Go MySQL DSN and may hold user and password; beside the other two it is only
    /// `host:port`.
    record Server(Secret url, String database, Secret username, Secret password) {}
}
