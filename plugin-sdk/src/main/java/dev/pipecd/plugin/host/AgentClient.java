// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import com.google.protobuf.ByteString;
import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.plugin.piped.GetApplicationSharedObjectRequest;
import dev.pipecd.wire.plugin.piped.GetDeploymentPluginMetadataRequest;
import dev.pipecd.wire.plugin.piped.GetStageMetadataRequest;
import dev.pipecd.wire.plugin.piped.InstallToolRequest;
import dev.pipecd.wire.plugin.piped.ListStageCommandsRequest;
import dev.pipecd.wire.plugin.piped.PluginServiceGrpc;
import dev.pipecd.wire.plugin.piped.PutApplicationSharedObjectRequest;
import dev.pipecd.wire.plugin.piped.PutDeploymentPluginMetadataRequest;
import dev.pipecd.wire.plugin.piped.PutStageMetadataMultiRequest;
import dev.pipecd.wire.plugin.piped.ReportStageLogsFromLastCheckpointRequest;
import dev.pipecd.wire.plugin.piped.ReportStageLogsRequest;
import dev.pipecd.wire.plugin.supervision.NotOfferedRequest;
import dev.pipecd.wire.plugin.supervision.PingRequest;
import dev.pipecd.wire.plugin.supervision.ReadyRequest;
import dev.pipecd.wire.plugin.supervision.SourceUse;
import dev.pipecd.wire.plugin.supervision.SupervisionServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The way back: what a host asks of the agent that started it.
final class AgentClient implements AutoCloseable {
    static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> SEEN_ORDERS =
            Metadata.Key.of("pipecd-seen-orders", Metadata.ASCII_STRING_MARSHALLER);
    private static final int LONGEST_HEADER = 4096;
    private static final Duration CALL = Duration.ofSeconds(5);

    /// How long our agent keeps who waits for orders waiting, at most.
    private static final Duration HELD = Duration.ofSeconds(20);

    private static final Duration INSTALLATION = Duration.ofMinutes(10);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ManagedChannel channel;
    private final PluginServiceGrpc.PluginServiceBlockingStub agent;
    private final SupervisionServiceGrpc.SupervisionServiceBlockingStub supervision;

    AgentClient(String address, String token) {
        var headers = new Metadata();
        if (!token.isEmpty()) headers.put(AUTHORIZATION, authorization(token));
        channel =
                NettyChannelBuilder.forTarget("dns:///" + address)
                        .usePlaintext()
                        .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .build();
        agent = PluginServiceGrpc.newBlockingStub(channel);
        supervision = SupervisionServiceGrpc.newBlockingStub(channel);
    }

    static String authorization(String token) {
        return "PLUGIN-TOKEN " + token;
    }

    void ready(PluginServer plugin, String version) {
        supervision
                .withDeadlineAfter(CALL)
                .ready(
                        ReadyRequest.newBuilder()
                                .setPluginName(plugin.name())
                                .setPluginVersion(version)
                                .setPort(plugin.port())
                                .addAllMistakes(plugin.mistakes())
                                .putAllSourceUse(
                                        plugin.reads().entrySet().stream()
                                                .collect(
                                                        Collectors.toMap(
                                                                Map.Entry::getKey,
                                                                stage -> use(stage.getValue()))))
                                .build());
    }

    private static SourceUse use(Reads reads) {
        return switch (reads) {
            case EVERYTHING -> SourceUse.SOURCE_USE_EVERYTHING;
            case TARGET -> SourceUse.SOURCE_USE_TARGET;
            case NOTHING -> SourceUse.SOURCE_USE_NOTHING;
        };
    }

    void notOffered(String plugin, String builtin, List<String> offered) {
        supervision
                .withDeadlineAfter(CALL)
                .notOffered(
                        NotOfferedRequest.newBuilder()
                                .setPluginName(plugin)
                                .setBuiltin(builtin)
                                .addAllOffered(offered)
                                .build());
    }

    void ping(String plugin) {
        supervision
                .withDeadlineAfter(Duration.ofSeconds(2))
                .ping(PingRequest.newBuilder().setPluginName(plugin).build());
    }

    void reportLogs(StageKey key, List<LogBlock> blocks) {
        agent.withDeadlineAfter(CALL)
                .reportStageLogs(
                        ReportStageLogsRequest.newBuilder()
                                .setDeploymentId(key.deployment())
                                .setStageId(key.stage())
                                .addAllBlocks(blocks)
                                .build());
    }

    void completeLogs(StageKey key, List<LogBlock> blocks) {
        agent.withDeadlineAfter(CALL)
                .reportStageLogsFromLastCheckpoint(
                        ReportStageLogsFromLastCheckpointRequest.newBuilder()
                                .setDeploymentId(key.deployment())
                                .setStageId(key.stage())
                                .addAllBlocks(blocks)
                                .setCompleted(true)
                                .build());
    }

    Optional<String> stageMetadata(StageKey key, String name) throws InterruptedException {
        var request =
                GetStageMetadataRequest.newBuilder()
                        .setDeploymentId(key.deployment())
                        .setStageId(key.stage())
                        .setKey(name)
                        .build();
        var answer = patiently(() -> agent.withDeadlineAfter(CALL).getStageMetadata(request));
        return answer.getFound() ? Optional.of(answer.getValue()) : Optional.empty();
    }

    void putStageMetadata(StageKey key, Map<String, String> entries) throws InterruptedException {
        var request =
                PutStageMetadataMultiRequest.newBuilder()
                        .setDeploymentId(key.deployment())
                        .setStageId(key.stage())
                        .putAllMetadata(entries)
                        .build();
        patiently(() -> agent.withDeadlineAfter(CALL).putStageMetadataMulti(request));
    }

    Optional<String> pluginMetadata(String deployment, String plugin, String name)
            throws InterruptedException {
        var request =
                GetDeploymentPluginMetadataRequest.newBuilder()
                        .setDeploymentId(deployment)
                        .setPluginName(plugin)
                        .setKey(name)
                        .build();
        var answer =
                patiently(() -> agent.withDeadlineAfter(CALL).getDeploymentPluginMetadata(request));
        return answer.getFound() ? Optional.of(answer.getValue()) : Optional.empty();
    }

    void putPluginMetadata(String deployment, String plugin, String name, String value)
            throws InterruptedException {
        var request =
                PutDeploymentPluginMetadataRequest.newBuilder()
                        .setDeploymentId(deployment)
                        .setPluginName(plugin)
                        .setKey(name)
                        .setValue(value)
                        .build();
        patiently(() -> agent.withDeadlineAfter(CALL).putDeploymentPluginMetadata(request));
    }

    Path tool(String name, String version, String script) throws InterruptedException {
        var request =
                InstallToolRequest.newBuilder()
                        .setName(name)
                        .setVersion(version)
                        .setInstallScript(script)
                        .build();
        return Path.of(
                patiently(() -> agent.withDeadlineAfter(INSTALLATION).installTool(request))
                        .getInstalledPath());
    }

    Optional<byte[]> shared(String application, String plugin, String key)
            throws InterruptedException {
        var request =
                GetApplicationSharedObjectRequest.newBuilder()
                        .setApplicationId(application)
                        .setPluginName(plugin)
                        .setKey(key)
                        .build();
        return patiently(() -> {
            try {
                return Optional.of(
                        agent.withDeadlineAfter(CALL)
                                .getApplicationSharedObject(request)
                                .getObject()
                                .toByteArray());
            } catch (StatusRuntimeException e) {
                if (e.getStatus().getCode() == Status.Code.NOT_FOUND) return Optional.empty();
                throw e;
            }
        });
    }

    void putShared(String application, String plugin, String key, byte[] content)
            throws InterruptedException {
        var request =
                PutApplicationSharedObjectRequest.newBuilder()
                        .setApplicationId(application)
                        .setPluginName(plugin)
                        .setKey(key)
                        .setObject(ByteString.copyFrom(content))
                        .build();
        patiently(() -> agent.withDeadlineAfter(CALL).putApplicationSharedObject(request));
    }

    /// Our agent answers when there is one that was not seen, or after a while; the public one at
    /// once.
    List<Command> stageCommands(StageKey key, Set<String> seen) throws InterruptedException {
        var request =
                ListStageCommandsRequest.newBuilder()
                        .setDeploymentId(key.deployment())
                        .setStageId(key.stage())
                        .build();
        var headers = new Metadata();
        var ids = String.join(",", seen);
        // More than a call can carry is left out: the agent then answers at once.
        if (ids.length() <= LONGEST_HEADER) headers.put(SEEN_ORDERS, ids);
        var waiting = agent.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
        // Counted from the beginning: the time the call was held open is not a time of trouble.
        return patiently(
                        HELD.plus(PATIENCE),
                        () -> waiting.withDeadlineAfter(HELD.plus(CALL)).listStageCommands(request))
                .getCommandsList();
    }

    /// An agent that restarts is back within seconds: what a stage has to know or to save waits for
    /// it.
    private static <T> T patiently(Supplier<T> call) throws InterruptedException {
        return patiently(PATIENCE, call);
    }

    private static <T> T patiently(Duration patience, Supplier<T> call)
            throws InterruptedException {
        var deadline = System.nanoTime() + patience.toNanos();
        for (long pause = 50; ; pause = Math.min(2 * pause, 1000)) {
            try {
                return call.get();
            } catch (StatusRuntimeException e) {
                // The stub answers an interrupt with CANCELLED and leaves the flag up.
                if (Thread.interrupted()) throw new InterruptedException();
                if (!passes(e.getStatus()) || System.nanoTime() > deadline) {
                    throw new Problem(
                            Problem.Code.PLUGIN_UNAVAILABLE,
                            "agent: " + said(e.getStatus()) + " (expected: an answer)",
                            "See the agent's log; the stage can be run again.",
                            e);
                }
            }
            pause(Duration.ofMillis(pause));
        }
    }

    private static String said(Status status) {
        var description = status.getDescription();
        return description == null
                ? status.getCode().toString()
                : status.getCode() + ": " + description;
    }

    /// Whether the same call may be answered later.
    static boolean passes(Status status) {
        return switch (status.getCode()) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED -> true;
            // The connection broke while the call was being written.
            case UNKNOWN -> status.getCause() instanceof java.io.IOException;
            default -> false;
        };
    }

    /// Waits on the host's own time; tests of stages never come here.
    static void pause(Duration length) throws InterruptedException {
        var never = new CountDownLatch(1);
        var _ = never.await(length.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
