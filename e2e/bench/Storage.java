// SPDX-License-Identifier: Apache-2.0
package bench;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// What a server keeps its things in: its own disk, or real servers started for it here and ended with it.
///
/// @param name for people
/// @param url of the database for JDBC
/// @param yaml `datastore` and `filestore` of the configuration
/// @param cache `--cache-address`, or empty
record Storage(String name, String url, String yaml, String cache, List<Process> servers) implements AutoCloseable {
    static Storage of(String engine, Path folder) throws Exception {
        return switch (engine) {
            case "sqlite" -> new Storage("SQLite", "jdbc:sqlite:" + folder.resolve("data/pipecd.db"), "", "", List.of());
            case "mysql" -> database("MySQL", engine, folder);
            case "mariadb" -> database("MariaDB", engine, folder);
            default -> throw new IllegalArgumentException("engine: %s (expected: sqlite, mysql or mariadb)".formatted(engine));
        };
    }

    /// Redis and S3 beside it.
    private static Storage database(String name, String engine, Path folder) throws Exception {
        var servers = new ArrayList<Process>();
        var port = Running.freePort();
        servers.add(
                start(folder, engine, "scripts/test-database", engine, folder.resolve(engine).toString(), "" + port, "--innodb-buffer-pool-size=2G",
                        "--innodb-stats-auto-recalc=ON", "--innodb-flush-log-at-trx-commit=1", // as an operator's; tests want plans that stay
                        engine.equals("mysql") ? "--innodb-redo-log-capacity=1G" : "--innodb-log-file-size=1G"));
        await(port, servers.getLast(), folder.resolve(engine + ".out"));
        var root = "jdbc:mariadb://127.0.0.1:%d/%s?user=root&allowPublicKeyRetrieval=true&sslMode=disable&jdbcCompliantTruncation=false";
        try (var connection = DriverManager.getConnection(root.formatted(port, "")); var statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE bench");
        }
        var redis = Running.freePort();
        servers.add(start(folder, "redis", redis(folder), "--port", "" + redis, "--bind", "127.0.0.1", "--save", "", "--dir", folder.toString()));
        await(redis, servers.getLast(), folder.resolve("redis.out"));
        var s3 = Running.freePort();
        servers.add(
                start(
                        folder, "s3", Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:+UseSerialGC", "-Xmx512m", "-jar",
                        found("com/adobe/testing/s3mock", "-exec.jar"), "--server.address=127.0.0.1", "--server.port=" + Running.freePort(),
                        "--http.port=" + s3, "--com.adobe.testing.s3mock.store.root=" + Files.createDirectory(folder.resolve("s3"))));
        await(s3, servers.getLast(), folder.resolve("s3.out"));
        Files.writeString(folder.resolve("access"), "access");
        Files.writeString(folder.resolve("secret"), "secret-secret");
        var yaml =
                """
                  datastore: {type: %s, config: {url: "root:@tcp(127.0.0.1:%d)", database: bench}}
                  filestore:
                    type: MINIO
                    config: {endpoint: "http://127.0.0.1:%d", bucket: bench, accessKeyFile: %s, secretKeyFile: %s, autoCreateBucket: true}
                """
                        .formatted(name.toUpperCase(java.util.Locale.ROOT), port, s3, folder.resolve("access"), folder.resolve("secret"));
        return new Storage(name + " + Redis + S3", root.formatted(port, "bench"), yaml, "127.0.0.1:" + redis, servers);
    }

    private static Process start(Path folder, String name, String... command) throws IOException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(folder.resolve(name + ".out").toFile()).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        return process;
    }

    private static void await(int port, Process process, Path output) throws Exception {
        while (true) {
            try (var socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", port));
                return;
            } catch (ConnectException e) {
                if (process.waitFor(100, TimeUnit.MILLISECONDS)) throw new IOException(Files.readString(output));
            }
        }
    }

    /// The program that the tests start too.
    private static String redis(Path folder) throws Exception {
        var jar = found("com/github/codemonstur/embedded-redis", ".jar");
        var program = folder.resolve("redis-server");
        try (var zip = new java.util.zip.ZipFile(jar)) {
            var entry = zip.stream().filter(e -> e.getName().endsWith("-linux-amd64")).findFirst().orElseThrow();
            Files.copy(zip.getInputStream(entry), program);
        }
        program.toFile().setExecutable(true);
        return program.toString();
    }

    private static String found(String artifact, String ending) throws IOException {
        var given = System.getenv("MAVEN_REPOSITORY");
        var repository = given == null ? Path.of(System.getProperty("user.home"), ".m2/repository") : Path.of(given);
        try (var files = Files.walk(repository.resolve(artifact))) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(ending))
                    .findFirst()
                    .orElseThrow(() -> new IOException(artifact + " is not in " + repository + ": run `make test` once, which fetches it"));
        }
    }

    /// A disk of its own, and a server that hears of pushes.
    static Storage withWebhook(Path folder, String secret) {
        return new Storage("SQLite", "jdbc:sqlite:" + folder.resolve("data/pipecd.db"), "  webhook: {secret: %s}".formatted(secret), "", List.of());
    }

    Connection connect() throws Exception {
        return DriverManager.getConnection(url);
    }

    boolean sqlite() {
        return servers.isEmpty();
    }

    @Override
    public void close() throws InterruptedException {
        for (var server : servers) {
            server.destroy();
            server.waitFor();
        }
    }
}
