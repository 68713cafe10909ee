// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.awaitility.Awaitility.await;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// `pipecd server` as a process of its own, with nothing open but the gateway and the admin port.
final class ServerProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final Pattern LISTENS =
            Pattern.compile("(?m)^([\\w ]+) listens on [\\d.]+:(\\d+)\\s");

    private final Process process;
    private final Map<String, Integer> ports;
    private final ManagedChannel channel;
    private final HttpClient http = HttpClient.newHttpClient();

    ServerProcess(String name, Path folder, String... flags) throws IOException {
        this(name, folder, List.of(), flags);
    }

    /// @param machine flags of its JVM
    ServerProcess(String name, Path folder, List<String> machine, String... flags)
            throws IOException {
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
                                "--gateway-port=0",
                                "--admin-port=0"));
        command.addAll(1, machine);
        command.addAll(List.of(flags));
        for (var port : List.of("piped-api", "web-api", "http", "api", "envoy-authz"))
            if (command.stream().noneMatch(c -> c.startsWith("--" + port + "-port=")))
                command.add("--" + port + "-port=-1");
        var log = folder.resolve(name + ".log");
        process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        var open = command.stream().filter(c -> c.endsWith("-port=0")).count();
        ports =
                await("server " + name + ", see its log in " + folder)
                        .atMost(PATIENCE)
                        .failFast(() -> !process.isAlive())
                        .ignoreExceptions()
                        .until(
                                () -> listening(log),
                                found -> found.size() == open && login(found).statusCode() < 400);
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port("gateway")).usePlaintext().build();
    }

    private static Map<String, Integer> listening(Path log) throws IOException {
        var found = new LinkedHashMap<String, Integer>();
        var told = LISTENS.matcher(Files.readString(log));
        while (told.find()) found.put(told.group(1), Integer.parseInt(told.group(2)));
        return found;
    }

    /// By the names it tells them by.
    Map<String, Integer> ports() {
        return ports;
    }

    private int port(String name) {
        return ports.getOrDefault(name, 0);
    }

    long pid() {
        return process.pid();
    }

    /// Without credentials.
    Channel nobody() {
        return channel;
    }

    private HttpResponse<String> login(Map<String, Integer> ports) {
        return login(ports, "quickstart");
    }

    private HttpResponse<String> login(Map<String, Integer> ports, String project) {
        var request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://127.0.0.1:%d/auth/login/static"
                                                .formatted(ports.get("gateway"))))
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "project=%s&username=hello-pipecd&password=hello-pipecd"
                                                .formatted(project)))
                        .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// As the static admin.
    Channel person() {
        return RunningServer.withHeaders(channel, "cookie", session());
    }

    /// The cookie of a session of the static admin.
    String session() {
        return session("quickstart");
    }

    String session(String project) {
        return login(ports, project)
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

    /// SIGTERM, and its exit code.
    int terminate() throws InterruptedException {
        process.destroy();
        return process.waitFor();
    }

    @Override
    public void close() {
        channel.shutdownNow();
        http.close();
        process.destroyForcibly();
    }
}
