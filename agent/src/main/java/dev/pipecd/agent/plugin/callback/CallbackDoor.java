// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.callback;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.plugin.tool.Tools;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.plugin.piped.GetApplicationSharedObjectRequest;
import dev.pipecd.wire.plugin.piped.GetApplicationSharedObjectResponse;
import dev.pipecd.wire.plugin.piped.GetDeploymentPluginMetadataRequest;
import dev.pipecd.wire.plugin.piped.GetDeploymentPluginMetadataResponse;
import dev.pipecd.wire.plugin.piped.GetDeploymentSharedMetadataRequest;
import dev.pipecd.wire.plugin.piped.GetDeploymentSharedMetadataResponse;
import dev.pipecd.wire.plugin.piped.GetStageMetadataRequest;
import dev.pipecd.wire.plugin.piped.GetStageMetadataResponse;
import dev.pipecd.wire.plugin.piped.InstallToolRequest;
import dev.pipecd.wire.plugin.piped.InstallToolResponse;
import dev.pipecd.wire.plugin.piped.ListStageCommandsRequest;
import dev.pipecd.wire.plugin.piped.ListStageCommandsResponse;
import dev.pipecd.wire.plugin.piped.PluginServiceGrpc;
import dev.pipecd.wire.plugin.piped.PutApplicationSharedObjectRequest;
import dev.pipecd.wire.plugin.piped.PutApplicationSharedObjectResponse;
import dev.pipecd.wire.plugin.piped.PutDeploymentPluginMetadataMultiRequest;
import dev.pipecd.wire.plugin.piped.PutDeploymentPluginMetadataMultiResponse;
import dev.pipecd.wire.plugin.piped.PutDeploymentPluginMetadataRequest;
import dev.pipecd.wire.plugin.piped.PutDeploymentPluginMetadataResponse;
import dev.pipecd.wire.plugin.piped.PutStageMetadataMultiRequest;
import dev.pipecd.wire.plugin.piped.PutStageMetadataMultiResponse;
import dev.pipecd.wire.plugin.piped.PutStageMetadataRequest;
import dev.pipecd.wire.plugin.piped.PutStageMetadataResponse;
import dev.pipecd.wire.plugin.piped.ReportStageLogsFromLastCheckpointRequest;
import dev.pipecd.wire.plugin.piped.ReportStageLogsFromLastCheckpointResponse;
import dev.pipecd.wire.plugin.piped.ReportStageLogsRequest;
import dev.pipecd.wire.plugin.piped.ReportStageLogsResponse;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/// Answers what a plugin asks of its agent.
public final class CallbackDoor extends PluginServiceGrpc.PluginServiceImplBase {
    /// Shorter than the patience of those who wait.
    private static final Duration HELD = Duration.ofSeconds(20);

    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Callbacks callbacks;
    private final Tools tools;
    private final LogClosed logClosed;
    private final Waiting waiting;

    public CallbackDoor(Callbacks callbacks, Tools tools, LogClosed logClosed, Waiting waiting) {
        this.callbacks = callbacks;
        this.tools = tools;
        this.logClosed = logClosed;
        this.waiting = waiting;
    }

    /// Hears that a plugin has said its last word on a stage.
    public interface LogClosed {
        void of(DeploymentId deployment, StageId stage);
    }

    /// Hears that a plugin waits for the agent, which may take long.
    public interface Waiting {
        /// @param theirPort from where it asked
        /// @param work what it waits for
        <T> T during(int theirPort, String what, Supplier<T> work);
    }

    @Override
    public void reportStageLogs(
            ReportStageLogsRequest request, StreamObserver<ReportStageLogsResponse> answer) {
        callbacks.stageLogs(
                new DeploymentId(request.getDeploymentId()),
                new StageId(request.getStageId()),
                request.getRetriedCount(),
                request.getBlocksList(),
                false);
        send(answer, ReportStageLogsResponse.getDefaultInstance());
    }

    @Override
    public void reportStageLogsFromLastCheckpoint(
            ReportStageLogsFromLastCheckpointRequest request,
            StreamObserver<ReportStageLogsFromLastCheckpointResponse> answer) {
        var deployment = new DeploymentId(request.getDeploymentId());
        var stage = new StageId(request.getStageId());
        try {
            callbacks.stageLogs(
                    deployment,
                    stage,
                    request.getRetriedCount(),
                    request.getBlocksList(),
                    request.getCompleted());
        } finally {
            // Also when the lines are refused: the stage has ended all the same.
            if (request.getCompleted()) logClosed.of(deployment, stage);
        }
        send(answer, ReportStageLogsFromLastCheckpointResponse.getDefaultInstance());
    }

    @Override
    public void getStageMetadata(
            GetStageMetadataRequest request, StreamObserver<GetStageMetadataResponse> answer) {
        var value =
                callbacks.stageMetadata(
                        new DeploymentId(request.getDeploymentId()),
                        new StageId(request.getStageId()),
                        request.getKey());
        send(
                answer,
                GetStageMetadataResponse.newBuilder()
                        .setValue(value.orElse(""))
                        .setFound(value.isPresent())
                        .build());
    }

    @Override
    public void putStageMetadata(
            PutStageMetadataRequest request, StreamObserver<PutStageMetadataResponse> answer) {
        callbacks.putStageMetadata(
                new DeploymentId(request.getDeploymentId()),
                new StageId(request.getStageId()),
                Map.of(request.getKey(), request.getValue()));
        send(answer, PutStageMetadataResponse.getDefaultInstance());
    }

    @Override
    public void putStageMetadataMulti(
            PutStageMetadataMultiRequest request,
            StreamObserver<PutStageMetadataMultiResponse> answer) {
        callbacks.putStageMetadata(
                new DeploymentId(request.getDeploymentId()),
                new StageId(request.getStageId()),
                request.getMetadataMap());
        send(answer, PutStageMetadataMultiResponse.getDefaultInstance());
    }

    @Override
    public void getDeploymentPluginMetadata(
            GetDeploymentPluginMetadataRequest request,
            StreamObserver<GetDeploymentPluginMetadataResponse> answer) {
        var value =
                callbacks.pluginMetadata(
                        new DeploymentId(request.getDeploymentId()),
                        request.getPluginName(),
                        request.getKey());
        send(
                answer,
                GetDeploymentPluginMetadataResponse.newBuilder()
                        .setValue(value.orElse(""))
                        .setFound(value.isPresent())
                        .build());
    }

    @Override
    public void putDeploymentPluginMetadata(
            PutDeploymentPluginMetadataRequest request,
            StreamObserver<PutDeploymentPluginMetadataResponse> answer) {
        callbacks.putPluginMetadata(
                new DeploymentId(request.getDeploymentId()),
                request.getPluginName(),
                Map.of(request.getKey(), request.getValue()));
        send(answer, PutDeploymentPluginMetadataResponse.getDefaultInstance());
    }

    @Override
    public void putDeploymentPluginMetadataMulti(
            PutDeploymentPluginMetadataMultiRequest request,
            StreamObserver<PutDeploymentPluginMetadataMultiResponse> answer) {
        callbacks.putPluginMetadata(
                new DeploymentId(request.getDeploymentId()),
                request.getPluginName(),
                request.getMetadataMap());
        send(answer, PutDeploymentPluginMetadataMultiResponse.getDefaultInstance());
    }

    @Override
    public void getDeploymentSharedMetadata(
            GetDeploymentSharedMetadataRequest request,
            StreamObserver<GetDeploymentSharedMetadataResponse> answer) {
        var value =
                callbacks.sharedMetadata(
                        new DeploymentId(request.getDeploymentId()), request.getKey());
        send(
                answer,
                GetDeploymentSharedMetadataResponse.newBuilder()
                        .setValue(value.orElse(""))
                        .setFound(value.isPresent())
                        .build());
    }

    @Override
    public void listStageCommands(
            ListStageCommandsRequest request, StreamObserver<ListStageCommandsResponse> answer) {
        var deployment = new DeploymentId(request.getDeploymentId());
        var stage = new StageId(request.getStageId());
        var commands =
                SeenOrders.ofCall()
                        .map(seen -> others(deployment, stage, seen))
                        .orElseGet(() -> callbacks.stageCommands(deployment, stage));
        send(answer, ListStageCommandsResponse.newBuilder().addAllCommands(commands).build());
    }

    /// In short waits: a deployment may end meanwhile, and a plugin that is gone is not waited for.
    private List<Command> others(DeploymentId deployment, StageId stage, Set<String> seen) {
        var until = System.nanoTime() + HELD.toNanos();
        var commands = List.<Command>of();
        try {
            do commands = callbacks.awaitStageCommands(deployment, stage, seen, LOOK);
            while (commands.stream().allMatch(command -> seen.contains(command.getId()))
                    && !Context.current().isCancelled()
                    && System.nanoTime() < until);
        } catch (InterruptedException e) {
            // The agent ends; the plugin asks the next one.
            Thread.currentThread().interrupt();
        }
        return commands;
    }

    @Override
    public void installTool(
            InstallToolRequest request, StreamObserver<InstallToolResponse> answer) {
        var path =
                waiting.during(
                        CallerGate.PORT.get(),
                        "waits for the tool %s-%s"
                                .formatted(request.getName(), request.getVersion()),
                        () ->
                                tools.install(
                                        request.getName(),
                                        request.getVersion(),
                                        request.getInstallScript()));
        send(answer, InstallToolResponse.newBuilder().setInstalledPath(path.toString()).build());
    }

    @Override
    public void getApplicationSharedObject(
            GetApplicationSharedObjectRequest request,
            StreamObserver<GetApplicationSharedObjectResponse> answer) {
        var object =
                callbacks.sharedObject(
                        new ApplicationId(request.getApplicationId()),
                        request.getPluginName(),
                        request.getKey());
        send(
                answer,
                GetApplicationSharedObjectResponse.newBuilder()
                        .setObject(ByteString.copyFrom(object))
                        .build());
    }

    @Override
    public void putApplicationSharedObject(
            PutApplicationSharedObjectRequest request,
            StreamObserver<PutApplicationSharedObjectResponse> answer) {
        callbacks.putSharedObject(
                new ApplicationId(request.getApplicationId()),
                request.getPluginName(),
                request.getKey(),
                request.getObject().toByteArray());
        send(answer, PutApplicationSharedObjectResponse.getDefaultInstance());
    }

    private static <T> void send(StreamObserver<T> observer, T response) {
        observer.onNext(response);
        observer.onCompleted();
    }
}
