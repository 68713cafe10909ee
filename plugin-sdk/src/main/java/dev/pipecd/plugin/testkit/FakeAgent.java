// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.testkit;

import com.google.protobuf.ByteString;
import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.plugin.stage.StageCommand;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.plugin.common.DeploymentSource;
import dev.pipecd.wire.plugin.control.StageControlGrpc;
import dev.pipecd.wire.plugin.control.StopRequest;
import dev.pipecd.wire.plugin.deployment.BuildPipelineSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.ExecutePluginInput;
import dev.pipecd.wire.plugin.deployment.ExecuteStageRequest;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesRequest;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// An agent for tests of a whole plugin process: it speaks the real protocol, hears logs and
/// metadata, and orders stages to run and to stop.
public final class FakeAgent implements AutoCloseable {
    private final String token;
    private final Heard heard = new Heard();
    private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
    private final Server server;

    private FakeAgent(String token) throws IOException {
        this.token = token;
        var builder =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .executor(Executors.newVirtualThreadPerTaskExecutor())
                        .addService(new FakePluginService(heard));
        if (!token.isEmpty())
            builder.addService(new FakeSupervision(heard)).intercept(new FakePluginService.Seen());
        server = builder.build().start();
    }

    /// @param token empty for an agent as the public one: it has none, and minds no signs of life
    public static FakeAgent open(String token) throws IOException {
        return new FakeAgent(token);
    }

    /// How a call ended: a status of the protocol, or the name of a gRPC error.
    public record Answer(String status, String message) {}

    /// A stage as the plugin planned it.
    public record Planned(
            String name, int index, boolean rollback, String operation, List<String> operators) {}

    public String address() {
        return "localhost:" + server.getPort();
    }

    /// What plugins have said so far.
    public Heard heard() {
        return heard;
    }

    /// For a plugin that does not report where it listens.
    public void dialsItself(String plugin, int port) {
        heard.ready(plugin, port, List.of());
    }

    /// What plugins get that ask for this tool, instead of the one on the PATH.
    public void tool(String name, Path program) {
        heard.tool(name, program);
    }

    public void command(String stage, StageCommand command) {
        heard.command(stage, command);
    }

    public List<String> stages(String plugin) throws InterruptedException {
        return with(
                plugin,
                headers(true, false),
                channel ->
                        DeploymentServiceGrpc.newBlockingStub(channel)
                                .fetchDefinedStages(FetchDefinedStagesRequest.getDefaultInstance())
                                .getStagesList());
    }

    /// Plans a pipeline of this one stage.
    public List<Planned> plan(StageOrder order) throws InterruptedException {
        var stage =
                BuildPipelineSyncStagesRequest.StageConfig.newBuilder()
                        .setName(order.name())
                        .setIndex(order.index())
                        .setConfig(ByteString.copyFromUtf8(order.with()))
                        .build();
        var request =
                BuildPipelineSyncStagesRequest.newBuilder()
                        .setRollback(true)
                        .addStages(stage)
                        .build();
        return with(
                order.plugin(),
                headers(true, false),
                channel ->
                        DeploymentServiceGrpc.newBlockingStub(channel)
                                .buildPipelineSyncStages(request)
                                .getStagesList()
                                .stream()
                                .map(planned ->
                                        new Planned(
                                                planned.getName(),
                                                planned.getIndex(),
                                                planned.getRollback(),
                                                planned.getAvailableOperation().name(),
                                                planned.getAuthorizedOperatorsList()))
                                .toList());
    }

    /// Runs a stage as our agent does; the call is broken off when the future is cancelled.
    public Future<Answer> execute(StageOrder order) {
        return execute(order, headers(true, true));
    }

    /// As an agent that stops stages by cancelling the call.
    public Future<Answer> executeAsPublicAgent(StageOrder order) {
        return execute(order, headers(true, false));
    }

    public Future<Answer> executeWithoutToken(StageOrder order) {
        return execute(order, headers(false, true));
    }

    private Future<Answer> execute(StageOrder order, Metadata headers) {
        Callable<Answer> call =
                () ->
                        with(
                                order.plugin(),
                                headers,
                                channel -> {
                                    try {
                                        var answer =
                                                DeploymentServiceGrpc.newBlockingStub(channel)
                                                        .executeStage(request(order));
                                        return new Answer(
                                                answer.getStatus().name(), answer.getMessage());
                                    } catch (StatusRuntimeException e) {
                                        return new Answer(
                                                e.getStatus().getCode().name(),
                                                String.valueOf(e.getStatus().getDescription()));
                                    }
                                });
        return calls.submit(call);
    }

    /// Comes back when the plugin says that the stage has ended.
    public void stop(String plugin, String stage, String reason) throws InterruptedException {
        var request =
                StopRequest.newBuilder()
                        .setDeploymentId(StageOrder.DEPLOYMENT)
                        .setStageId(stage)
                        .setReason(reason)
                        .build();
        with(
                plugin,
                headers(true, false),
                channel -> StageControlGrpc.newBlockingStub(channel).stop(request));
    }

    private interface Use<T> {
        T of(ManagedChannel channel);
    }

    private <T> T with(String plugin, Metadata headers, Use<T> use) throws InterruptedException {
        var channel =
                NettyChannelBuilder.forAddress(
                                new InetSocketAddress(
                                        InetAddress.getLoopbackAddress(), heard.awaitPort(plugin)))
                        .usePlaintext()
                        .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .build();
        try {
            return use.of(channel);
        } finally {
            channel.shutdownNow();
            var _ = channel.awaitTermination(5, TimeUnit.SECONDS);
        }
    }

    private Metadata headers(boolean withToken, boolean explicitStop) {
        var headers = new Metadata();
        if (withToken) headers.put(key("authorization"), "PLUGIN-TOKEN " + token);
        if (explicitStop) headers.put(key("pipecd-explicit-stop"), "true");
        return headers;
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    private ExecuteStageRequest request(StageOrder order) {
        var stage =
                PipelineStage.newBuilder()
                        .setId(order.stage())
                        .setName(order.name())
                        .setIndex(order.index())
                        .putMetadata("pipecd/started-at", StageOrder.STARTED_AT.toString())
                        .setCreatedAt(StageOrder.STARTED_AT.getEpochSecond())
                        .setUpdatedAt(StageOrder.STARTED_AT.getEpochSecond());
        return ExecuteStageRequest.newBuilder()
                .setInput(
                        ExecutePluginInput.newBuilder()
                                .setDeployment(deployment())
                                .setStage(stage)
                                .setStageConfig(ByteString.copyFromUtf8(order.with()))
                                .setTargetDeploymentSource(source(order)))
                .build();
    }

    /// With the application's file, if there is one; with its folder where the stage reads it.
    private DeploymentSource source(StageOrder order) {
        var reads = heard.reads(order.plugin()).getOrDefault(order.name(), Reads.EVERYTHING);
        var source = DeploymentSource.newBuilder().setCommitHash("0123abcd");
        if (reads != Reads.NOTHING) source.setApplicationDirectory(order.directory().toString());
        var file = order.directory().resolve("app.pipecd.yaml");
        try {
            if (Files.exists(file))
                source.setApplicationConfigFilename("app.pipecd.yaml")
                        .setApplicationConfig(ByteString.copyFrom(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return source.build();
    }

    private static Deployment deployment() {
        var commit =
                Commit.newBuilder()
                        .setHash("0123abcd")
                        .setMessage("Change the page")
                        .setAuthor("ann")
                        .setBranch("main")
                        .setCreatedAt(1769860000);
        var path =
                ApplicationGitPath.newBuilder()
                        .setRepo(
                                ApplicationGitRepository.newBuilder()
                                        .setId("repository-1")
                                        .setRemote("https://git.example/site.git")
                                        .setBranch("main"))
                        .setPath("site");
        return Deployment.newBuilder()
                .setId(StageOrder.DEPLOYMENT)
                .setApplicationId("application-1")
                .setApplicationName("site")
                .setPipedId("piped-1")
                .setProjectId("project-1")
                .setGitPath(path)
                .putAllLabels(Map.of("env", "test"))
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setCommit(commit)
                                .setCommander("ann")
                                .setTimestamp(1769860800))
                .setSummary("Deploy 0123abcd")
                .setCreatedAt(1769860800)
                .setUpdatedAt(1769860800)
                .build();
    }

    @Override
    public void close() {
        calls.shutdownNow();
        server.shutdownNow();
    }
}
