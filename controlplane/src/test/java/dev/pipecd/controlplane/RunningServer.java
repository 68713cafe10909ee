// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.pipecd.controlplane.access.Accounts;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.agentapi.LinkDoor;
import dev.pipecd.controlplane.audit.AuditLog;
import dev.pipecd.controlplane.cache.CacheReads;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.http.Webhook;
import dev.pipecd.controlplane.piped.PipedHealth;
import dev.pipecd.controlplane.piped.PipedLeases;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc;
import dev.pipecd.wire.delivery.GetEventRequest;
import dev.pipecd.wire.delivery.GetEventResponse;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.CreateDeploymentResponse;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsResponse;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import dev.pipecd.wire.piped.ReportCommandHandledResponse;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.piped.ReportStatResponse;
import dev.pipecd.wire.web.GetMeRequest;
import dev.pipecd.wire.web.GetMeResponse;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/// The real ports on free numbers, with a few handlers behind them that tests can name.
final class RunningServer implements AutoCloseable {
    static final ProjectId PROJECT = new ProjectId("quickstart");
    static final byte[] KEY = "0123456789012345678901234567890123456789\n".getBytes(UTF_8);
    private static final String HASH =
            BCrypt.withDefaults().hashToString(4, "hello-pipecd".toCharArray());

    final InMemoryTrail trail = new InMemoryTrail();
    final Changes changes = new Changes(trail);
    final FakeKeyring keys = new FakeKeyring();
    final InMemorySessions sessions = new InMemorySessions();
    final List<Command> orders = new CopyOnWriteArrayList<>();
    final List<PipedHealth.Part> health = new CopyOnWriteArrayList<>();
    final TestClock clock = new TestClock(Instant.parse("2026-11-15T12:00:00Z"));
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch leave = new CountDownLatch(1);
    final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    final AtomicInteger times = new AtomicInteger(1);
    volatile boolean adminEnabled = true;
    volatile Webhook.Watching watching = _ -> List.of();
    volatile String webhookSecret = "topsecret";
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final Outside outside;

    private RunningServer(Choices choices) {
        var options =
                new ServerOptions(
                        new ServerOptions.Numbers(
                                0, 0, 0, 0, 0, 0, ServerOptions.Gateway.at(choices.gateway())),
                        new Ports.Settings(
                                Optional.of("127.0.0.1"),
                                choices.tls(),
                                choices.grace(),
                                choices.patience()),
                        new ServerOptions.Places(
                                new GivenFile("--config-file", "unused"),
                                new GivenFile("--encryption-key-file", "unused"),
                                Path.of("unused"),
                                Optional.of(choices.webApplication()),
                                ""),
                        choices.trust(),
                        true,
                        choices.reflection(),
                        Optional.empty());
        var inside =
                new Inside(
                        changes,
                        keys,
                        new Inside.People(
                                this::admin,
                                sessions,
                                _ -> Optional.empty(),
                                "",
                                () -> "",
                                new AuditLog((_, _, _) -> List.of())),
                        new LinkDoor.Behind(
                                _ -> List.copyOf(orders),
                                new PipedLeases(new InMemoryLeases()),
                                (_, parts) -> health.addAll(parts)),
                        pushed -> watching.of(pushed),
                        () -> webhookSecret,
                        new Inside.Handlers(
                                new Agents(),
                                new People(),
                                List.of(new Holders(), new Followers()),
                                List.of()));
        var beat = new Outside.Beat(Duration.ofMillis(300), Duration.ofMillis(300));
        var metrics = new Metrics(new CacheReads());
        outside = Outside.open(options, inside, KEY, beat, clock, metrics, metrics::text);
    }

    static RunningServer start() {
        return new RunningServer(Choices.usual());
    }

    static RunningServer start(Choices choices) {
        return new RunningServer(choices);
    }

    private Optional<Accounts.StaticAdmin> admin(ProjectId project) {
        return adminEnabled && project.equals(PROJECT)
                ? Optional.of(new Accounts.StaticAdmin("hello-pipecd", HASH))
                : Optional.empty();
    }

    int port(String name) {
        return outside.port(name).orElseThrow();
    }

    String session() {
        return session("Admin");
    }

    String session(String role) {
        return new Sessions(KEY, this::admin, sessions, clock)
                .open(new Caller.Person(PROJECT, "hello-pipecd", Set.of(role)));
    }

    Channel channel(String port, String... headers) {
        var channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port(port)).usePlaintext().build();
        channels.add(channel);
        return withHeaders(channel, headers);
    }

    static Channel withHeaders(Channel channel, String... headers) {
        var metadata = new Metadata();
        for (var i = 0; i < headers.length; i += 2)
            metadata.put(
                    Metadata.Key.of(headers[i], Metadata.ASCII_STRING_MARSHALLER), headers[i + 1]);
        return ClientInterceptors.intercept(
                channel, MetadataUtils.newAttachHeadersInterceptor(metadata));
    }

    PipedServiceGrpc.PipedServiceBlockingStub agent(String port) {
        return PipedServiceGrpc.newBlockingStub(channel(port, "authorization", token("piped-1")));
    }

    static String token(String piped) {
        return "PIPED-TOKEN quickstart," + piped + ",secret";
    }

    URI uri(String port, String path) {
        return URI.create("http://127.0.0.1:" + port(port) + path);
    }

    HttpResponse<String> get(String port, String path, String... headers) throws Exception {
        return http.send(
                request(port, path, headers).build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> post(String port, String path, String body, String... headers)
            throws Exception {
        return http.send(
                request(port, path, headers)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    HttpRequest.Builder request(String port, String path, String... headers) {
        var request = HttpRequest.newBuilder(uri(port, path));
        for (var i = 0; i < headers.length; i += 2) request.header(headers[i], headers[i + 1]);
        return request;
    }

    @Override
    public void close() {
        leave.countDown();
        channels.forEach(ManagedChannel::shutdownNow);
        outside.close();
        http.shutdownNow();
    }

    /// Stops as a signal would, while clients are still there.
    void stop() {
        outside.close();
    }

    record Choices(
            int gateway,
            Optional<Ports.Tls> tls,
            Path webApplication,
            ServerOptions.Trust trust,
            boolean reflection,
            Duration patience,
            Duration grace) {
        static Choices usual() {
            return new Choices(
                    0,
                    Optional.empty(),
                    Path.of("no-such-folder"),
                    new ServerOptions.Trust(false, false),
                    false,
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(10));
        }

        Choices with(Ports.Tls certificate) {
            return new Choices(
                    gateway,
                    Optional.of(certificate),
                    webApplication,
                    trust,
                    reflection,
                    patience,
                    grace);
        }

        Choices with(Path application) {
            return new Choices(gateway, tls, application, trust, reflection, patience, grace);
        }

        Choices onGateway(int port) {
            return new Choices(port, tls, webApplication, trust, reflection, patience, grace);
        }

        Choices withInsecureCookie() {
            return with(new ServerOptions.Trust(true, trust.forwardedFor()));
        }

        Choices withForwardedFor() {
            return with(new ServerOptions.Trust(trust.insecureCookie(), true));
        }

        private Choices with(ServerOptions.Trust trust) {
            return new Choices(gateway, tls, webApplication, trust, reflection, patience, grace);
        }

        Choices withReflection() {
            return new Choices(gateway, tls, webApplication, trust, true, patience, grace);
        }

        Choices with(Duration patience) {
            return new Choices(gateway, tls, webApplication, trust, reflection, patience, grace);
        }

        /// Stops no sooner than all is answered.
        Choices calm() {
            return new Choices(
                    gateway,
                    tls,
                    webApplication,
                    trust,
                    reflection,
                    patience,
                    Duration.ofMinutes(2));
        }
    }

    /// Answers who called; one method throws, one gives a problem, one waits.
    private final class Agents extends PipedServiceGrpc.PipedServiceImplBase {
        @Override
        public void listUnhandledCommands(
                ListUnhandledCommandsRequest request,
                StreamObserver<ListUnhandledCommandsResponse> answer) {
            answer.onNext(
                    ListUnhandledCommandsResponse.newBuilder()
                            .addCommands(
                                    Command.newBuilder()
                                            .setPipedId(Caller.currentAgent().piped().value()))
                            .build());
            answer.onCompleted();
        }

        @Override
        public void reportStat(
                ReportStatRequest request, StreamObserver<ReportStatResponse> answer) {
            switch (request.getPipedStats().toStringUtf8()) {
                case "throw" -> throw new IllegalStateException("jdbc:sqlite:/secret/place");
                case "overflow" -> throw new StackOverflowError("deep");
                case "error" -> {
                    answer.onError(new IllegalStateException("/secret/place"));
                    return;
                }
                case "problem" ->
                        throw new Problem(
                                Problem.Code.NOT_FOUND,
                                "application: a1 (expected: one of yours)",
                                "List them.");
                case "wait" -> waited();
                default -> {}
            }
            answer.onNext(
                    ReportStatResponse.newBuilder()
                            .setReportInterval(
                                    Thread.currentThread().getName().endsWith("handler") ? 1 : 0)
                            .build());
            answer.onCompleted();
        }

        @Override
        public void createDeployment(
                CreateDeploymentRequest request, StreamObserver<CreateDeploymentResponse> answer) {
            answer.onNext(CreateDeploymentResponse.getDefaultInstance());
            answer.onCompleted();
        }

        private void waited() {
            entered.countDown();
            try {
                leave.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void reportCommandHandled(
                ReportCommandHandledRequest request,
                StreamObserver<ReportCommandHandledResponse> answer) {
            throw new IllegalStateException("the rules should have refused it");
        }
    }

    private static final class People extends WebServiceGrpc.WebServiceImplBase {
        @Override
        public void getMe(GetMeRequest request, StreamObserver<GetMeResponse> answer) {
            answer.onNext(
                    GetMeResponse.newBuilder()
                            .setSubject(Caller.current().name())
                            .setProjectId(Caller.current().project().value())
                            .build());
            answer.onCompleted();
        }
    }

    private final class Holders extends APIServiceGrpc.APIServiceImplBase {
        @Override
        public void getCommand(
                dev.pipecd.wire.api.GetCommandRequest request,
                StreamObserver<dev.pipecd.wire.api.GetCommandResponse> answer) {
            answer.onNext(
                    dev.pipecd.wire.api.GetCommandResponse.newBuilder()
                            .setCommand(
                                    Command.newBuilder()
                                            .setId(request.getCommandId().repeat(times.get()))
                                            .setCommander(Caller.current().name()))
                            .build());
            answer.onCompleted();
        }
    }

    /// Of our own service beside the public one.
    private static final class Followers extends DeliveryServiceGrpc.DeliveryServiceImplBase {
        @Override
        public void getEvent(GetEventRequest request, StreamObserver<GetEventResponse> answer) {
            answer.onNext(
                    GetEventResponse.newBuilder()
                            .setEvent(Event.newBuilder().setName(Caller.current().name()))
                            .build());
            answer.onCompleted();
        }
    }
}
