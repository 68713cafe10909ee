// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.store.engine.Dsn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.MariaDbDataSource;

/// A real database server, started on a free port by `scripts/test-database` and stopped with this
/// JVM; or the one that the environment names.
final class TestServer {
    private final String engine;
    private final Path folder;
    private final String url;
    private @Nullable Process process;

    private TestServer(String engine, Path folder, String url) {
        this.engine = engine;
        this.folder = folder;
        this.url = url;
    }

    static TestServer start(String engine) {
        var given = System.getenv("PIPECD_TEST_" + engine.toUpperCase(Locale.ROOT));
        return given == null ? own(engine) : new TestServer(engine, Path.of(""), given);
    }

    /// One that may be killed.
    static TestServer own(String engine) {
        try {
            for (var attempt = 1; ; attempt++) {
                var folder = Files.createTempDirectory("pipecd-" + engine);
                var server =
                        new TestServer(engine, folder, "root:@tcp(127.0.0.1:%d)".formatted(free()));
                Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
                try {
                    server.run();
                    return server;
                } catch (AssertionError e) {
                    if (attempt == 3) throw e; // else somebody else may have taken the port
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int free() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void run() throws IOException {
        var log = folder.resolve("log").toFile();
        var started =
                new ProcessBuilder(
                                "../scripts/test-database",
                                engine,
                                folder.resolve("data").toString(),
                                "" + port())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                        .start();
        process = started;
        Awaitility.await(engine)
                .atMost(Duration.ofMinutes(6)) // the first time it is fetched
                .pollInterval(Duration.ofMillis(100))
                .dontCatchUncaughtExceptions()
                .until(() -> answers() || !started.isAlive());
        if (!started.isAlive()) throw new AssertionError(Files.readString(log.toPath()));
    }

    int port() {
        var address = dsn("mysql").address();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private boolean answers() {
        try (var connection = connect("")) {
            return connection.isValid(1);
        } catch (SQLException e) {
            if (e.getErrorCode() == 1045) throw new AssertionError(engine + " refuses us", e);
            return false;
        }
    }

    Dsn dsn(String database) {
        return Dsn.parse(url, database);
    }

    Connection connect(String database) throws SQLException {
        var dsn = dsn("mysql");
        var source =
                new MariaDbDataSource(
                        "jdbc:mariadb://%s/%s?sslMode=disable&allowPublicKeyRetrieval=true"
                                .formatted(dsn.address(), database));
        source.setUser(dsn.user());
        source.setPassword(dsn.password());
        return source.getConnection();
    }

    void execute(String database, String... statements) {
        try (var connection = connect(database);
                var statement = connection.createStatement()) {
            for (var sql : statements) statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /// `kill -9`, and nothing of it is left when this comes back.
    void kill() {
        var running = process;
        if (running == null) throw new IllegalStateException(engine + " is not ours to kill");
        running.descendants().forEach(ProcessHandle::destroyForcibly);
        running.destroy();
        try {
            if (!running.waitFor(2, TimeUnit.MINUTES))
                throw new AssertionError(engine + " did not end");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void restart() throws IOException {
        run();
    }

    private void stop() {
        kill();
        delete(folder);
    }

    static void delete(Path folder) {
        try (var files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(f -> f.delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
