// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.cache.RedisProcess;
import dev.pipecd.controlplane.filestore.S3Server;
import dev.pipecd.controlplane.store.TestDatabases;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The task definitions of a public guide to the control plane on ECS, run as they stand: shell
/// command lines, environment and configuration file. Only Terraform's variables are filled in.
final class TaskDefinitionsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final List<Integer> PORTS = List.of(9080, 9081, 9082, 9083, 9085, 9086, 9090);

    /// The commands name ports 3306 and 6379 of other machines; here both are this address.
    private static final String OTHERS =
            "127.%d.%d.2"
                    .formatted(
                            64 + ProcessHandle.current().pid() / 250 % 64,
                            1 + ProcessHandle.current().pid() % 250);

    @TempDir private static Path folder;
    private static RedisProcess redis;
    private static List<Forward> forwards = List.of();
    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeAll
    static void start() {
        redis = new RedisProcess();
        forwards =
                List.of(
                        new Forward(OTHERS, 6379, redis.port()),
                        new Forward(
                                OTHERS, 3306, TestDatabases.mySql("sample", "test", "quickstart")));
        S3Server.make("example-pipecd-control-plane-filestore");
    }

    @AfterAll
    static void stop() throws Exception {
        for (var forward : forwards) forward.close();
        redis.close();
    }

    @Test
    void bothOfThemRunVerbatim() throws Exception {
        try (var ops = new Task("ops")) {
            ops.await(9085, "/healthz");
            assertThat(ops.get(9085, "/metrics")).contains("pipecd_component=\"ops\"");
        }
        try (var server = new Task("server")) {
            server.await(9085, "/healthz");
            server.await(9090, "/"); // the last port to be opened

            var cookie = login();

            assertThat(cookie).startsWith("token=").contains("HttpOnly").doesNotContain("Secure");
            assertThat(server.get(9085, "/metrics")).contains("http_requests_total{code=\"302\"");
            server.awaitLog("cache: connected");
            assertThat(server.log())
                    .contains("The store is MySQL")
                    .contains("piped API listens on 0.0.0.0:9080")
                    .contains("gateway listens on 0.0.0.0:9090")
                    .doesNotContain("sample:test");
        }
    }

    /// The first task holds an Envoy too, which has 9090 and passes calls on to the other ports.
    @Test
    void theServerComesUpBesideTheGatewayOfItsTask() throws Exception {
        try (var server = new Task("server", 9090)) {
            server.awaitLog("--gateway-port: 9090 is taken");
            server.await(9090, "/");

            assertThat(login()).startsWith("token=");
            assertThat(server.log()).doesNotContain("gateway listens");
        }
    }

    @Test
    void theFileThatIsNoYamlIsToldWithItsPlace() throws Exception {
        var file = Files.writeString(folder.resolve("step-4.yaml"), resource("step-4.yaml"));

        var checked =
                Shell.call(folder, List.of(Dist.bin("pipecd"), "check-config", file.toString()));

        assertThat(checked.output())
                .contains("step-4.yaml:16:20: ")
                .contains("1 mistake(s)")
                .doesNotContain("at dev.pipecd");
        assertThat(checked.code()).isEqualTo(1);
    }

    private String login() throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:9082/auth/login/static"))
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "project=quickstart&username=hello-pipecd&password=hello-pipecd"))
                        .build();
        var answer = http.send(request, HttpResponse.BodyHandlers.discarding());
        assertThat(answer.statusCode()).isEqualTo(302);
        return answer.headers().firstValue("set-cookie").orElseThrow();
    }

    private static String resource(String name) throws IOException {
        try (var in = TaskDefinitionsTest.class.getResourceAsStream("/ecs/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), UTF_8);
        }
    }

    /// One container: an empty folder, the environment its secrets make, and the command line.
    private final class Task implements AutoCloseable {
        private final Path log;
        private final Process process;
        private final List<Forward> besides;

        Task(String name, int... besides) throws IOException {
            Awaitility.await("ports %s of this machine to be free".formatted(PORTS))
                    .atMost(PATIENCE)
                    .until(() -> PORTS.stream().allMatch(this::isFree));
            this.besides =
                    IntStream.of(besides).mapToObj(p -> new Forward("0.0.0.0", p, 9082)).toList();
            var home = Files.createTempDirectory(folder, name);
            log = folder.resolve(home.getFileName() + ".log");
            var command =
                    resource(name + "-command.txt")
                            .strip()
                            .replace("${var.db_instance_address}", OTHERS)
                            .replace("${var.redis_host}", OTHERS);
            var builder =
                    new ProcessBuilder("sh", "-c", command)
                            .directory(home.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile());
            var encoder = Base64.getEncoder();
            builder.environment()
                    .putAll(
                            Map.of(
                                    "PATH",
                                    Dist.home().resolve("bin") + ":" + System.getenv("PATH"),
                                    "HOME",
                                    home.toString(),
                                    "CONTROL_PLANE_CONFIG",
                                    encoder.encodeToString(resource("step-5.yaml").getBytes(UTF_8)),
                                    "ENCRYPTION_KEY",
                                    encoder.encodeToString("k".repeat(64).getBytes(UTF_8)),
                                    "AWS_ACCESS_KEY_ID",
                                    "access",
                                    "AWS_SECRET_ACCESS_KEY",
                                    "secret-secret",
                                    "AWS_ENDPOINT_URL_S3",
                                    S3Server.address().toString()));
            process = builder.start();
        }

        private boolean isFree(int port) {
            try (var socket = new ServerSocket(port)) {
                return socket.isBound();
            } catch (IOException e) {
                return false;
            }
        }

        void await(int port, String path) {
            Awaitility.await(path + " on " + port)
                    .atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> {
                        assertThat(process.isAlive()).as(log()).isTrue();
                        return answer(port, path).statusCode() < 500;
                    });
        }

        void awaitLog(String text) {
            Awaitility.await(text).atMost(PATIENCE).until(() -> log().contains(text));
        }

        String get(int port, String path) throws Exception {
            return answer(port, path).body();
        }

        private HttpResponse<String> answer(int port, String path)
                throws IOException, InterruptedException {
            var request =
                    HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:%d%s".formatted(port, path)));
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }

        /// What the program said; the shell says what its variables hold before.
        String log() throws IOException {
            return Files.readString(log).replaceFirst("(?s)^.*?\n", "");
        }

        @Override
        public void close() throws Exception {
            var all = process.descendants().toList();
            all.forEach(ProcessHandle::destroy);
            if (!process.waitFor(Duration.ofMinutes(1)))
                all.forEach(ProcessHandle::destroyForcibly);
            for (var beside : besides) beside.close();
        }
    }
}
