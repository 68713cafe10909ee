// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.controlplane.store.CommandTable;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.DeploymentTable;
import dev.pipecd.controlplane.store.Trail;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.Signal;
import dev.pipecd.wire.link.WatchRequest;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.InsightMetricsKind;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.web.DisablePipedRequest;
import dev.pipecd.wire.web.GetCommandRequest;
import dev.pipecd.wire.web.GetInsightDataRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The whole control plane, with its real stores, as its command starts it.
final class ControlPlaneTest {
    private static final String CONFIG =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: ControlPlane
            spec:
              projects:
                - id: quickstart
                  staticAdmin:
                    username: hello-pipecd
                    passwordHash: "%s"
              webhook:
                secret: topsecret
            """
                    .formatted(BCrypt.withDefaults().hashToString(4, "hello-pipecd".toCharArray()));
    private static final String PUSH =
            "{\"ref\":\"refs/heads/main\",\"project\":{\"git_http_url\":\"https://git.example.com/demo.git\"}}";

    @TempDir private Path folder;
    private final HttpClient http = HttpClient.newHttpClient();
    private Optional<ControlPlane> running = Optional.empty();
    private Optional<ManagedChannel> channel = Optional.empty();

    @BeforeEach
    void start() throws Exception {
        Files.writeString(folder.resolve("control-plane.yaml"), CONFIG);
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        running = Optional.of(ControlPlane.start(options(folder)));
    }

    @AfterEach
    void stop() {
        channel.ifPresent(ManagedChannel::shutdownNow);
        running.ifPresent(ControlPlane::close);
        http.close();
    }

    @Test
    void aPushReachesTheAgentThatReportedTheRepositoryAndDisablingItCutsTheStream()
            throws Exception {
        var people = WebServiceGrpc.newBlockingStub(as("cookie", login()));
        var registered =
                people.registerPiped(RegisterPipedRequest.newBuilder().setName("dev").build());
        var agent = agent(registered.getId(), registered.getKey());
        var _ =
                PipedServiceGrpc.newBlockingStub(agent)
                        .reportPipedMeta(
                                ReportPipedMetaRequest.newBuilder()
                                        .setVersion("v1")
                                        .addRepositories(
                                                ApplicationGitRepository.newBuilder()
                                                        .setId("demo")
                                                        .setRemote("git@git.example.com:demo.git")
                                                        .setBranch("main"))
                                        .build());
        var link = LinkServiceGrpc.newBlockingStub(agent).watch(WatchRequest.getDefaultInstance());
        assertThat(link.next().hasKeepAlive()).isTrue();

        assertThat(push().body()).isEqualTo("{\"agents\":1}");

        assertThat(news(link).getRepositoryChanged().getRepositoryId()).isEqualTo("demo");
        var _ =
                people.disablePiped(
                        DisablePipedRequest.newBuilder().setPipedId(registered.getId()).build());
        assertThatThrownBy(() -> news(link)).hasMessage("UNAUTHENTICATED: Unauthenticated");
    }

    @Test
    void whatWasDoneIsThereAfterARestart() throws Exception {
        var registered =
                WebServiceGrpc.newBlockingStub(as("cookie", login()))
                        .registerPiped(RegisterPipedRequest.newBuilder().setName("dev").build());
        stop();

        running = Optional.of(ControlPlane.start(options(folder)));
        channel = Optional.empty();

        var answer =
                PipedServiceGrpc.newBlockingStub(agent(registered.getId(), registered.getKey()))
                        .reportPipedMeta(
                                ReportPipedMetaRequest.newBuilder().setVersion("v1").build());
        assertThat(answer.getName()).isEqualTo("dev");
    }

    @Test
    void onSqliteTheServerItselfDoesTheChoresAndCounts() throws Exception {
        running.ifPresent(ControlPlane::close);
        var now = Instant.now();
        try (var database = Database.open(folder.resolve("data/pipecd.db"))) {
            var trail = new Trail(database);
            new CommandTable(database, trail, InstantSource.system())
                    .add(
                            Command.newBuilder()
                                    .setId("c1")
                                    .setPipedId("p1")
                                    .setProjectId("quickstart")
                                    .setCreatedAt(1)
                                    .build(),
                            "ann");
            new DeploymentTable(database, trail, InstantSource.system())
                    .add(
                            Deployment.newBuilder()
                                    .setId("d1")
                                    .setApplicationId("a1")
                                    .setPipedId("p1")
                                    .setProjectId("quickstart")
                                    .setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                                    .setCompletedAt(now.getEpochSecond())
                                    .build(),
                            "ann");
        }

        running = Optional.of(ControlPlane.start(options(folder)));
        channel = Optional.empty();

        var people = WebServiceGrpc.newBlockingStub(as("cookie", login()));
        await().atMost(Duration.ofMinutes(1))
                .until(() ->
                        people.getCommand(GetCommandRequest.newBuilder().setCommandId("c1").build())
                                        .getCommand()
                                        .getStatus()
                                == CommandStatus.COMMAND_TIMEOUT);
        var today =
                GetInsightDataRequest.newBuilder()
                        .setMetricsKind(InsightMetricsKind.DEPLOYMENT_FREQUENCY)
                        .setRangeFrom(now.getEpochSecond())
                        .setRangeTo(now.getEpochSecond())
                        .build();
        await().atMost(Duration.ofMinutes(1))
                .until(() ->
                        people.getInsightData(today).getMatrix(0).getDataPoints(0).getValue()
                                == 1f);
    }

    @Test
    void theOwnersPagesHaveAPortOfTheirOwnBesideTheOthers() throws Exception {
        running.ifPresent(ControlPlane::close);
        running = Optional.empty();
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Files.writeString(
                    folder.resolve("control-plane.yaml"),
                    CONFIG
                            + "  ops: {port: %d, owner: {username: o, passwordHash: h}}\n"
                                    .formatted(other.getLocalPort()));

            assertThatThrownBy(() -> ControlPlane.start(options(folder)))
                    .isInstanceOf(Problem.class)
                    .hasMessageStartingWith("ops.port: " + other.getLocalPort());
        }
    }

    @Test
    void aKeyThatIsTooShortStopsTheStart() throws Exception {
        Files.writeString(folder.resolve("key"), "short");

        assertThatThrownBy(() -> ControlPlane.start(options(folder)))
                .isInstanceOf(Problem.class)
                .hasMessage("--encryption-key-file: 5 bytes (expected: at least 32)");
    }

    @Test
    void aBrokenConfigurationStopsTheStart() throws Exception {
        Files.writeString(folder.resolve("control-plane.yaml"), "kind: [");

        assertThatThrownBy(() -> ControlPlane.start(options(folder))).isInstanceOf(Problem.class);
    }

    /// Of a server in that folder, with nothing open but the gateway.
    static ServerOptions options(Path folder) {
        return options(folder, false);
    }

    /// @param reflection whether it tells of its services
    static ServerOptions options(Path folder, boolean reflection) {
        return new ServerOptions(
                new ServerOptions.Numbers(-1, -1, -1, -1, -1, -1, ServerOptions.Gateway.at(0)),
                new Ports.Settings(
                        Optional.of("127.0.0.1"), Optional.empty(), Duration.ofSeconds(10)),
                new ServerOptions.Places(
                        new GivenFile(
                                "--config-file", folder.resolve("control-plane.yaml").toString()),
                        new GivenFile("--encryption-key-file", folder.resolve("key").toString()),
                        folder.resolve("data"),
                        Optional.empty(),
                        ""),
                new ServerOptions.Trust(true, false),
                true,
                reflection,
                Optional.empty());
    }

    private int gateway() {
        return running.flatMap(c -> c.port("gateway")).orElseThrow();
    }

    private Channel as(String header, String value) {
        if (channel.isEmpty())
            channel =
                    Optional.of(
                            NettyChannelBuilder.forAddress("127.0.0.1", gateway())
                                    .usePlaintext()
                                    .build());
        return RunningServer.withHeaders(channel.orElseThrow(), header, value);
    }

    private Channel agent(String id, String key) {
        return as("authorization", "PIPED-TOKEN quickstart,%s,%s".formatted(id, key));
    }

    private String login() throws Exception {
        return post(
                        "/auth/login/static",
                        "project=quickstart&username=hello-pipecd&password=hello-pipecd")
                .headers()
                .firstValue("set-cookie")
                .orElseThrow()
                .replaceFirst(";.*", "");
    }

    private HttpResponse<String> push() throws Exception {
        return post(
                "/webhook/gitlab",
                PUSH,
                "x-gitlab-token",
                "topsecret",
                "x-gitlab-event",
                "Push Hook");
    }

    private HttpResponse<String> post(String path, String body, String... headers)
            throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway() + path))
                        .POST(HttpRequest.BodyPublishers.ofString(body, UTF_8));
        for (var i = 0; i < headers.length; i += 2) request.header(headers[i], headers[i + 1]);
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static Signal news(Iterator<Signal> link) {
        var signal = link.next();
        while (signal.hasKeepAlive()) signal = link.next();
        return signal;
    }
}
