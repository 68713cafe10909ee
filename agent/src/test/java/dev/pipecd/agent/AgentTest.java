// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.config.read.Documents;
import dev.pipecd.wire.link.EventsChanged;
import dev.pipecd.wire.link.KeepAlive;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.Signal;
import dev.pipecd.wire.link.WatchRequest;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.piped.ListApplicationsRequest;
import dev.pipecd.wire.piped.ListApplicationsResponse;
import dev.pipecd.wire.piped.ListEventsRequest;
import dev.pipecd.wire.piped.ListEventsResponse;
import dev.pipecd.wire.piped.ListNotCompletedDeploymentsRequest;
import dev.pipecd.wire.piped.ListNotCompletedDeploymentsResponse;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsResponse;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.piped.ReportPipedMetaResponse;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.piped.ReportStatResponse;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The agent as a whole, before control planes that know little.
final class AgentTest {
    private static final String PIPED =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: p
              pipedID: i
              pipedKeyData: a2V5
              apiAddress: 127.0.0.1:%d
              eventWatcher: {checkInterval: 1h}
              notifications:
                routes: [{name: all, receiver: hook}]
                receivers: [{name: hook, webhook: {url: "http://127.0.0.1:%d"}}]
            """;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir Path directory;

    private final List<Integer> notified = new CopyOnWriteArrayList<>();
    private HttpServer hook;
    private final List<Server> servers = new CopyOnWriteArrayList<>();

    @BeforeEach
    void serve() throws IOException {
        hook = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        hook.createContext(
                "/",
                exchange -> {
                    var body = new ObjectMapper().readTree(exchange.getRequestBody());
                    notified.add(body.get("Type").asInt());
                    exchange.sendResponseHeaders(200, -1);
                    exchange.close();
                });
        hook.start();
    }

    private void serve(BindableService... services) throws IOException {
        servers.add(
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addServices(Stream.of(services).map(BindableService::bindService).toList())
                        .build()
                        .start());
    }

    private Agent agent() throws IOException {
        var config = PIPED.formatted(servers.getLast().getPort(), hook.getAddress().getPort());
        return new Agent(
                new AgentSettings(
                        Documents.piped("piped.yaml", config.getBytes(StandardCharsets.UTF_8)),
                        new ControlPlaneClient.Security.Plaintext(),
                        directory,
                        0,
                        true,
                        new AgentSettings.ForPlugins(
                                List.of("sleep", "600"),
                                0,
                                directory.resolve("tools"),
                                false,
                                Duration.ofSeconds(5)),
                        ""));
    }

    @AfterEach
    void end() {
        servers.forEach(Server::shutdownNow);
        hook.stop(0);
    }

    @Test
    void itTellsOfItsStartAndItsStopAndLeavesWhenARestartIsOrdered() throws Exception {
        serve(new OrderingRestart());

        try (var agent = agent()) {
            assertThat(agent.awaitLoss()).isFalse();
        }

        assertThat(notified).startsWith(300).endsWith(301);
    }

    @Test
    void itIntroducesItselfAgainWhenNobodyHeardAndLooksForEventsWhenToldOfThem() throws Exception {
        var young = new Young();
        var link = new Pushing();
        serve(young, link);

        try (var _ = agent()) {
            await().atMost(PATIENCE)
                    .until(() -> young.looks.get() == 1 && young.introductions.get() == 1);
            await().atMost(PATIENCE).until(() -> !link.open.isEmpty());
            assertThat(young.stats).isEmpty();

            link.push(
                    Signal.newBuilder()
                            .setEventsChanged(EventsChanged.getDefaultInstance())
                            .build());
            await().atMost(PATIENCE).until(() -> young.looks.get() == 2);
            link.push(Signal.newBuilder().setKeepAlive(KeepAlive.getDefaultInstance()).build());
            await().atMost(PATIENCE).until(() -> !young.stats.isEmpty());
        }

        assertThat(young.introductions).hasValue(2);
        // Its plugins cannot be started here.
        assertThat(young.stats.getFirst())
                .containsPattern(
                        "piped_plugin_ready\\{[^}]*pipecd_component=\"piped\"[^}]*plugin=\"wait\"[^}]*} 0.0")
                .contains("piped_plugin_ends_total{", "piped_plugin_stages_waiting{");
    }

    @Test
    void aControlPlaneThatTakesNoMetricsDoesNotKeepItFromItsWork() throws Exception {
        var refusing = new Refusing();
        serve(refusing);

        try (var _ = agent()) {
            await().atMost(PATIENCE).until(() -> refusing.listings.get() > 0);
        }

        assertThat(refusing.stats).hasPositiveValue();
    }

    @Test
    void newApplicationsAreAskedForAlsoWhileNobodyTellsWhatGoesOn() throws Exception {
        var forgetful = new Forgetful();
        serve(forgetful);

        try (var _ = agent()) {
            await().atMost(PATIENCE).until(() -> forgetful.applications.get() > 0);
        }
    }

    @Test
    void ordersAreAskedForOftenWhileNobodyPushesThemOrAPreviewMayBeWithdrawn() {
        assertThat(Outlook.untilAsked(true, false)).isEqualTo(Duration.ofMinutes(1));
        assertThat(Outlook.untilAsked(true, true)).isEqualTo(Duration.ofSeconds(5));
        assertThat(Outlook.untilAsked(false, false)).isEqualTo(Duration.ofSeconds(5));
    }

    /// It is not ready yet for whom comes first.
    private static final class Young extends PipedServiceGrpc.PipedServiceImplBase {
        private final AtomicInteger introductions = new AtomicInteger();
        private final AtomicInteger looks = new AtomicInteger();
        private final List<String> stats = new CopyOnWriteArrayList<>();

        @Override
        public void reportPipedMeta(
                ReportPipedMetaRequest request, StreamObserver<ReportPipedMetaResponse> answer) {
            if (introductions.incrementAndGet() == 1)
                answer.onError(Status.UNAVAILABLE.asRuntimeException());
            else reply(answer, ReportPipedMetaResponse.newBuilder().setName("dev").build());
        }

        @Override
        public void listUnhandledCommands(
                ListUnhandledCommandsRequest request,
                StreamObserver<ListUnhandledCommandsResponse> answer) {
            reply(answer, ListUnhandledCommandsResponse.getDefaultInstance());
        }

        @Override
        public void reportStat(
                ReportStatRequest request, StreamObserver<ReportStatResponse> answer) {
            stats.add(request.getPipedStats().toStringUtf8());
            reply(answer, ReportStatResponse.getDefaultInstance());
        }

        @Override
        public void listEvents(
                ListEventsRequest request, StreamObserver<ListEventsResponse> answer) {
            looks.incrementAndGet();
            reply(answer, ListEventsResponse.getDefaultInstance());
        }

        private static <T> void reply(StreamObserver<T> answer, T message) {
            answer.onNext(message);
            answer.onCompleted();
        }
    }

    /// It answers all but the agent's metrics.
    private static final class Refusing extends PipedServiceGrpc.PipedServiceImplBase {
        private final AtomicInteger stats = new AtomicInteger();
        private final AtomicInteger listings = new AtomicInteger();

        @Override
        public void listUnhandledCommands(
                ListUnhandledCommandsRequest request,
                StreamObserver<ListUnhandledCommandsResponse> answer) {
            Young.reply(answer, ListUnhandledCommandsResponse.getDefaultInstance());
        }

        @Override
        public void reportPipedMeta(
                ReportPipedMetaRequest request, StreamObserver<ReportPipedMetaResponse> answer) {
            Young.reply(answer, ReportPipedMetaResponse.newBuilder().setName("dev").build());
        }

        @Override
        public void reportStat(
                ReportStatRequest request, StreamObserver<ReportStatResponse> answer) {
            stats.incrementAndGet();
            answer.onError(Status.RESOURCE_EXHAUSTED.asRuntimeException());
        }

        @Override
        public void listApplications(
                ListApplicationsRequest request, StreamObserver<ListApplicationsResponse> answer) {
            Young.reply(answer, ListApplicationsResponse.getDefaultInstance());
        }

        @Override
        public void listNotCompletedDeployments(
                ListNotCompletedDeploymentsRequest request,
                StreamObserver<ListNotCompletedDeploymentsResponse> answer) {
            listings.incrementAndGet();
            Young.reply(answer, ListNotCompletedDeploymentsResponse.getDefaultInstance());
        }
    }

    /// It knows applications and orders, and not what goes on.
    private static final class Forgetful extends PipedServiceGrpc.PipedServiceImplBase {
        private final AtomicInteger applications = new AtomicInteger();

        @Override
        public void listUnhandledCommands(
                ListUnhandledCommandsRequest request,
                StreamObserver<ListUnhandledCommandsResponse> answer) {
            Young.reply(answer, ListUnhandledCommandsResponse.getDefaultInstance());
        }

        @Override
        public void reportPipedMeta(
                ReportPipedMetaRequest request, StreamObserver<ReportPipedMetaResponse> answer) {
            Young.reply(answer, ReportPipedMetaResponse.newBuilder().setName("dev").build());
        }

        @Override
        public void listApplications(
                ListApplicationsRequest request, StreamObserver<ListApplicationsResponse> answer) {
            applications.incrementAndGet();
            Young.reply(answer, ListApplicationsResponse.getDefaultInstance());
        }
    }

    private static final class Pushing extends LinkServiceGrpc.LinkServiceImplBase {
        private final List<StreamObserver<Signal>> open = new CopyOnWriteArrayList<>();

        void push(Signal signal) {
            open.getLast().onNext(signal);
        }

        @Override
        public void watch(WatchRequest request, StreamObserver<Signal> signals) {
            open.add(signals);
        }
    }

    /// Knows neither leases nor anything else, as a public one that is just being started.
    private static final class OrderingRestart extends PipedServiceGrpc.PipedServiceImplBase {
        @Override
        public void listUnhandledCommands(
                ListUnhandledCommandsRequest request,
                StreamObserver<ListUnhandledCommandsResponse> answer) {
            answer.onNext(
                    ListUnhandledCommandsResponse.newBuilder()
                            .addCommands(
                                    Command.newBuilder()
                                            .setId("c1")
                                            .setType(Command.Type.RESTART_PIPED)
                                            .setCommander("ann")
                                            .setCreatedAt(Integer.MAX_VALUE))
                            .build());
            answer.onCompleted();
        }
    }
}
