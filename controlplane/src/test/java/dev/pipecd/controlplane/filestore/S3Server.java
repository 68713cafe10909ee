// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.config.Filestore;
import dev.pipecd.config.Secret;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/// A real S3 server: one process for all tests of this JVM, ended with it. Each test takes a bucket
/// of its own.
public final class S3Server {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final AtomicInteger BUCKETS = new AtomicInteger();

    private S3Server() {}

    private static final class Running {
        static final URI ADDRESS = start();
    }

    public static URI address() {
        return Running.ADDRESS;
    }

    /// A bucket that nobody else uses; it is made when the store is opened.
    public static Filestore.Minio bucket() {
        return bucket(address(), "bucket-" + BUCKETS.incrementAndGet());
    }

    /// Makes a bucket of that name.
    public static void make(String name) {
        open(bucket(address(), name)).close();
    }

    /// Waits for a slow server, so that only a broken one fails a test.
    public static FileStores open(Filestore bucket) {
        return FileStores.open(
                bucket, Path.of("unused"), new S3Clients.Patience(PATIENCE, PATIENCE));
    }

    static Filestore.Minio bucket(URI server, String name) {
        return new Filestore.Minio(
                server.toString(),
                name,
                Secret.written("key", "access"),
                Secret.written("key", "secret-secret"),
                true);
    }

    private static URI start() {
        var jar = Path.of("..", "controlplane", "target", "test-servers", "s3mock.jar");
        if (!Files.exists(jar))
            throw new IllegalStateException(
                    jar.toAbsolutePath() + " is missing: run `mvn generate-test-resources`");
        try {
            for (var attempt = 1; ; attempt++) {
                var port = freePort();
                var process = started(jar, port);
                var address = URI.create("http://127.0.0.1:" + port);
                if (answers(address, process)) return address;
                if (attempt == 3) // else somebody else may have taken the port
                throw new AssertionError("the S3 server ends, see target/s3-server.log");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Process started(Path jar, int port) throws IOException {
        var folder = Files.createTempDirectory("s3-server");
        var process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-Xmx256m",
                                "-jar",
                                jar.toString(),
                                "--server.address=127.0.0.1",
                                "--server.port=" + freePort(),
                                "--http.port=" + port,
                                "--com.adobe.testing.s3mock.store.root=" + folder)
                        .redirectErrorStream(true)
                        .redirectOutput(new File("target", "s3-server.log"))
                        .start();
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> {
                            process.destroyForcibly();
                            delete(folder);
                        }));
        return process;
    }

    /// False when it has ended.
    private static boolean answers(URI address, Process process) {
        var request = HttpRequest.newBuilder(address).build();
        try (var http = HttpClient.newHttpClient()) {
            Awaitility.await("the S3 server, see target/s3-server.log")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() ->
                            !process.isAlive()
                                    || http.send(request, HttpResponse.BodyHandlers.discarding())
                                                    .statusCode()
                                            == 200);
        }
        return process.isAlive();
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void delete(Path folder) {
        try (var files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            // a left-over in the temporary folder is no reason to fail
        }
    }
}
