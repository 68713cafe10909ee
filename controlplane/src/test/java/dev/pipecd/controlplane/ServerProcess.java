// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.awaitility.Awaitility.await;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// `pipecd server` as a process of its own, with nothing open but the gateway and the admin port.
final class ServerProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final int gateway = free();
    private final int admin = free();
    private final Process process;
    private final ManagedChannel channel;
    private final HttpClient http = HttpClient.newHttpClient();

    ServerProcess(String name, Path folder, String... flags) throws IOException {
        var command =
                new ArrayList<String>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Pipecd.class.getName(),
                                "server",
                                "--config-file=" + folder.resolve("control-plane.yaml"),
                                "--encryption-key-file=" + folder.resolve("key"),
                                "--data-dir=" + folder.resolve(name),
                                "--host=127.0.0.1",
                                "--insecure-cookie=true",
                                "--gateway-port=" + gateway,
                                "--admin-port=" + admin));
        command.addAll(List.of(flags));
        for (var port : List.of("piped-api", "web-api", "http", "api", "envoy-authz"))
            if (command.stream().noneMatch(c -> c.startsWith("--" + port + "-port=")))
                command.add("--" + port + "-port=-1");
        process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve(name + ".log").toFile())
                        .start();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", gateway).usePlaintext().build();
        await("server " + name + ", see its log in " + folder)
                .atMost(PATIENCE)
                .failFast(() -> !process.isAlive())
                .ignoreExceptions()
                .until(() -> login("hello-pipecd").statusCode() < 400);
    }

    int gateway() {
        return gateway;
    }

    int admin() {
        return admin;
    }

    long pid() {
        return process.pid();
    }

    /// Without credentials.
    Channel nobody() {
        return channel;
    }

    static int free() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpResponse<String> login(String password) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://127.0.0.1:%d/auth/login/static".formatted(gateway)))
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "project=quickstart&username=hello-pipecd&password="
                                                + password))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /// As the static admin.
    Channel person() throws IOException, InterruptedException {
        return RunningServer.withHeaders(channel, "cookie", session());
    }

    /// The cookie of a session of the static admin.
    String session() throws IOException, InterruptedException {
        return login("hello-pipecd")
                .headers()
                .firstValue("set-cookie")
                .orElseThrow()
                .replaceFirst(";.*", "");
    }

    Channel keyHolder(String key) {
        return RunningServer.withHeaders(channel, "authorization", "API-KEY " + key);
    }

    Channel agent(String id, String key) {
        return RunningServer.withHeaders(
                channel, "authorization", "PIPED-TOKEN quickstart,%s,%s".formatted(id, key));
    }

    /// `kill -9`.
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        channel.shutdownNow();
        http.close();
        process.destroyForcibly();
    }
}
