// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.proxy.ProxyByEnvironment;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.piped.GetDeploymentRequest;
import dev.pipecd.wire.piped.GetLatestEventRequest;
import dev.pipecd.wire.piped.ListEventsRequest;
import dev.pipecd.wire.piped.ListNotCompletedDeploymentsRequest;
import dev.pipecd.wire.piped.ListNotCompletedDeploymentsResponse;
import dev.pipecd.wire.piped.ListOrder;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.rules.Verdict;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/// Asks the control plane and carries reports to it, over its public protocol.
public final class ControlPlaneClient implements Outbox.Sender, AutoCloseable {
    private static final int LARGEST_LIST = 128 << 20;

    /// Our server tells all at once, and decoded they take about twice as much of the heap.
    private static final int LARGEST_PAGE = 48 << 20;

    private static final Duration LISTED_WITHIN = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final String address;
    private final Duration patience;
    private final ManagedChannel connection;
    private final Channel channel;
    private final Map<String, MethodDescriptor<byte[], byte[]>> calls = new HashMap<>();
    private final Batches batches = new Batches(this);
    private volatile String trouble = "not asked yet";

    public ControlPlaneClient(
            String address,
            Security security,
            ProxyByEnvironment proxies,
            ProjectId project,
            PipedId piped,
            String key) {
        this(new Connecting(address, security, proxies), project, piped, key, PATIENCE);
    }

    /// Without a proxy.
    public ControlPlaneClient(
            String address, Security security, ProjectId project, PipedId piped, String key) {
        this(address, security, project, piped, key, PATIENCE);
    }

    ControlPlaneClient(
            String address,
            Security security,
            ProjectId project,
            PipedId piped,
            String key,
            Duration patience) {
        this(
                new Connecting(address, security, new ProxyByEnvironment(Map.of())),
                project,
                piped,
                key,
                patience);
    }

    private ControlPlaneClient(
            Connecting connecting,
            ProjectId project,
            PipedId piped,
            String key,
            Duration patience) {
        this.address = connecting.address();
        this.patience = patience;
        this.connection = connecting.open();
        var headers = new Metadata();
        headers.put(AUTHORIZATION, "PIPED-TOKEN %s,%s,%s".formatted(project, piped, key.strip()));
        this.channel =
                ClientInterceptors.intercept(
                        connection, MetadataUtils.newAttachHeadersInterceptor(headers));
        for (var method : PipedServiceGrpc.getServiceDescriptor().getMethods())
            calls.put(
                    String.valueOf(method.getBareMethodName()),
                    method.toBuilder(Bytes.INSTANCE, Bytes.INSTANCE).build());
    }

    /// Each as it came over the wire: decoded together, 50,000 would not fit into the heap.
    public List<byte[]> applications() {
        try {
            var told =
                    ClientCalls.blockingUnaryCall(
                            channel,
                            PipedServiceGrpc.getListApplicationsMethod().toBuilder(
                                            Bytes.INSTANCE, Documents.INSTANCE)
                                    .build(),
                            CallOptions.DEFAULT
                                    .withDeadlineAfter(
                                            LISTED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
                                    .withMaxInboundMessageSize(LARGEST_LIST),
                            new byte[0]);
            trouble = "";
            return told;
        } catch (StatusRuntimeException e) {
            throw problem(e);
        }
    }

    public List<Command> commands() {
        return ask(stub ->
                stub.listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance())
                        .getCommandsList());
    }

    /// Events that nobody has handled yet, newest first.
    public List<Event> pendingEvents(Instant since) {
        return ask(stub ->
                stub.listEvents(
                                ListEventsRequest.newBuilder()
                                        .setFrom(since.getEpochSecond())
                                        .setOrder(ListOrder.DESC)
                                        .setStatus(ListEventsRequest.Status.NOT_HANDLED)
                                        .build())
                        .getEventsList());
    }

    /// The newest event of this name with these labels, handled or not.
    public Optional<Event> latestEvent(String name, Map<String, String> labels) {
        return ifFound(() ->
                ask(stub ->
                        stub.getLatestEvent(
                                        GetLatestEventRequest.newBuilder()
                                                .setName(name)
                                                .putAllLabels(labels)
                                                .build())
                                .getEvent()));
    }

    /// Every deployment of this agent that is not over, whatever the size of the server's pages.
    public List<Deployment> unfinished() {
        return ask(stub -> {
            var all = new ArrayList<Deployment>();
            for (var page = unfinished(stub, ""); page.getDeploymentsCount() > 0; ) {
                all.addAll(page.getDeploymentsList());
                if (page.getCursor().isEmpty()) break;
                try {
                    page = unfinished(stub, page.getCursor());
                } catch (StatusRuntimeException e) {
                    // The public server on MySQL puts all on the first page, and breaks when asked
                    // for the one its cursor promises.
                    if (e.getStatus().getCode() == Status.Code.INTERNAL) break;
                    throw e;
                }
            }
            return all;
        });
    }

    private static ListNotCompletedDeploymentsResponse unfinished(
            PipedServiceGrpc.PipedServiceBlockingStub stub, String cursor) {
        return stub.withMaxInboundMessageSize(LARGEST_PAGE)
                .withDeadlineAfter(LISTED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
                .listNotCompletedDeployments(
                        ListNotCompletedDeploymentsRequest.newBuilder().setCursor(cursor).build());
    }

    public Optional<Deployment> deployment(DeploymentId id) {
        return ifFound(() ->
                ask(stub ->
                        stub.getDeployment(
                                        GetDeploymentRequest.newBuilder().setId(id.value()).build())
                                .getDeployment()));
    }

    private static <T> Optional<T> ifFound(Supplier<T> question) {
        try {
            return Optional.of(question.get());
        } catch (Problem problem) {
            if (problem.code() == Problem.Code.NOT_FOUND) return Optional.empty();
            throw problem;
        }
    }

    /// Tells who we are; answers the name people gave this agent.
    public Introduced introduce(
            String version,
            List<ApplicationGitRepository> repositories,
            List<Piped.Plugin> plugins,
            List<Piped.PlatformProvider> providers,
            Piped.SecretEncryption encryption,
            String config) {
        var known =
                ask(stub ->
                        stub.reportPipedMeta(
                                ReportPipedMetaRequest.newBuilder()
                                        .setVersion(version)
                                        .addAllRepositories(repositories)
                                        .addAllPlugins(plugins)
                                        .addAllPlatformProviders(providers)
                                        .setSecretEncryption(encryption)
                                        .setConfig(config)
                                        .build()));
        return new Introduced(known.getName(), known.getWebBaseUrl());
    }

    /// How the control plane knows this agent, and where people find its pages.
    public record Introduced(String name, String webAddress) {}

    /// The heartbeat.
    public void stat(byte[] metrics) {
        ask(stub ->
                stub.reportStat(
                        ReportStatRequest.newBuilder()
                                .setPipedStats(com.google.protobuf.ByteString.copyFrom(metrics))
                                .build()));
    }

    /// Together where the control plane offers that; else the first alone, as every control plane
    /// takes it.
    @Override
    public List<Outbox.Answer> send(List<Queued> reports) {
        var together = reports.size() > 1 ? batches.send(reports) : List.<Outbox.Answer>of();
        return together.isEmpty() ? List.of(send(reports.getFirst())) : together;
    }

    private Outbox.Answer send(Queued report) {
        var method = calls.get(report.call());
        if (method == null)
            return new Outbox.Answer.Refused(
                    "call: " + report.call() + " (expected: one of PipedService)");
        try {
            ClientCalls.blockingUnaryCall(channel, method, options(), report.body());
            return answer(Status.OK, report);
        } catch (StatusRuntimeException e) {
            return answer(e.getStatus(), report);
        }
    }

    /// What the status of a report says, and with it whether the control plane can be reached.
    Outbox.Answer answer(Status status, Queued report) {
        var said = Connecting.said(status);
        var length = report.body().length;
        var verdict = Verdict.of(status.getCode(), length);
        trouble = verdict == Verdict.COME_AGAIN ? said : "";
        return switch (verdict) {
            case TAKEN -> new Outbox.Answer.Taken();
            case REFUSED ->
                    new Outbox.Answer.Refused(
                            status.getCode() == Status.Code.RESOURCE_EXHAUSTED
                                    ? "%s (%d bytes)".formatted(said, length)
                                    : said);
            case COME_AGAIN -> new Outbox.Answer.ComeAgain(said);
        };
    }

    /// Empty when the last call was answered; otherwise what is wrong.
    public String trouble() {
        return trouble;
    }

    void answered() {
        trouble = "";
    }

    public String address() {
        return address;
    }

    Duration patience() {
        return patience;
    }

    Channel channel() {
        return channel;
    }

    <T> T ask(Function<PipedServiceGrpc.PipedServiceBlockingStub, T> question) {
        try {
            var answer =
                    question.apply(
                            PipedServiceGrpc.newBlockingStub(channel)
                                    .withDeadlineAfter(patience.toMillis(), TimeUnit.MILLISECONDS));
            trouble = "";
            return answer;
        } catch (StatusRuntimeException e) {
            throw problem(e);
        }
    }

    Problem problem(StatusRuntimeException e) {
        var problem = Connecting.problem(address, e);
        var unreachable = problem.code() == Problem.Code.CONTROL_PLANE_UNREACHABLE;
        trouble = unreachable ? Connecting.said(e.getStatus()) : "";
        return problem;
    }

    CallOptions options() {
        return CallOptions.DEFAULT.withDeadlineAfter(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        connection.shutdownNow();
    }

    /// How the connection is protected.
    public sealed interface Security {
        record Plaintext() implements Security {}

        record SystemRoots() implements Security {}

        record Certificate(Path file) implements Security {}
    }

    /// Reports travel as the bytes that were recorded.
    private enum Bytes implements MethodDescriptor.Marshaller<byte[]> {
        INSTANCE;

        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private enum Documents implements MethodDescriptor.Marshaller<List<byte[]>> {
        INSTANCE;

        @Override
        public InputStream stream(List<byte[]> value) {
            throw new UnsupportedOperationException("only answers are read");
        }

        @Override
        public List<byte[]> parse(InputStream stream) {
            try {
                return ApplicationsFile.documents(stream);
            } catch (IOException e) {
                throw Status.INTERNAL.withCause(e).asRuntimeException();
            }
        }
    }
}
