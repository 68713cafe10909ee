// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Real databases, for tests of whole servers.
public final class TestDatabases {
    private TestDatabases() {}

    private static final class Template {
        static final Path FILE = made();

        private static Path made() {
            try {
                var folder = Files.createTempDirectory("pipecd-template");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> TestServer.delete(folder)));
                var file = folder.resolve("pipecd.db");
                Database.open(file).close();
                return file;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public static void delete(Path folder) {
        TestServer.delete(folder);
    }

    /// A SQLite file with its schema, which is made once.
    public static Database.Place.File sqlite(Path file) {
        try {
            if (!Files.exists(file)) Files.copy(Template.FILE, file);
            return new Database.Place.File(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The port of a MySQL in which that user owns that database, empty.
    public static int mySql(String user, String password, String database) {
        var server = TestServer.start("mysql");
        server.execute(
                "",
                "CREATE DATABASE " + database,
                "CREATE USER '%s'@'%%' IDENTIFIED BY '%s'".formatted(user, password),
                "GRANT ALL ON %s.* TO '%s'@'%%'".formatted(database, user));
        return server.port();
    }

    /// The same for a user with that password, who is made for it.
    public static String mariaDb(String password) {
        var dsn = ((Database.Place.Server) TestEngine.MARIADB.fresh()).dsn();
        TestEngine.MARIADB
                .server()
                .execute(
                        "",
                        "GRANT ALL ON %1$s.* TO '%1$s'@'%%' IDENTIFIED BY '%2$s'"
                                .formatted(dsn.database(), password));
        return "{type: MARIADB, config: {url: \"%s:%s@tcp(%s)\", database: %1$s}}"
                .formatted(dsn.database(), password, dsn.address());
    }

    /// The `datastore` of a configuration file: an empty MariaDB that nobody else has seen.
    public static String mariaDb() {
        return shared("MARIADB");
    }

    /// The same.
    ///
    /// @param engine `MYSQL` or `MARIADB`
    public static String shared(String engine) {
        var dsn = ((Database.Place.Server) TestEngine.valueOf(engine).fresh()).dsn();
        return "{type: %s, config: {url: \"%s:%s@tcp(%s)\", database: %s}}"
                .formatted(engine, dsn.user(), dsn.password(), dsn.address(), dsn.database());
    }
}
