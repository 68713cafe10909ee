// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.testkit;

import com.google.protobuf.ByteString;
import dev.pipecd.plugin.stage.StageCommand;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.LogBlock;
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
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Hears logs and keeps metadata.
final class FakePluginService extends PluginServiceGrpc.PluginServiceImplBase {
    private static final Metadata.Key<String> HEADER =
            Metadata.Key.of("pipecd-seen-orders", Metadata.ASCII_STRING_MARSHALLER);
    private static final Context.Key<List<String>> SEEN = Context.key("pipecd-seen-orders");

    private final Heard heard;

    FakePluginService(Heard heard) {
        this.heard = heard;
    }

    /// The program that was given, or one of that name on this machine; scripts of plugins, which
    /// fetch from anywhere, are not run.
    @Override
    public void installTool(
            InstallToolRequest request, StreamObserver<InstallToolResponse> answer) {
        var found = heard.tool(request.getName()).or(() -> onPath(request.getName()));
        if (found.isPresent()) {
            send(
                    answer,
                    InstallToolResponse.newBuilder()
                            .setInstalledPath(found.get().toString())
                            .build());
            return;
        }
        heard.toolMissing(request.getName());
        answer.onError(
                Status.FAILED_PRECONDITION
                        .withDescription(
                                "tool: %s %s cannot be installed (expected: a program of that name on the PATH)"
                                        .formatted(request.getName(), request.getVersion()))
                        .asRuntimeException());
    }

    private static Optional<Path> onPath(String name) {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(Optional.ofNullable(System.getenv("PATH")).orElse(""))
                .map(folder -> Path.of(folder, name).toAbsolutePath())
                .filter(program -> Files.isRegularFile(program) && Files.isExecutable(program))
                .findFirst();
    }

    @Override
    public void reportStageLogs(
            ReportStageLogsRequest request, StreamObserver<ReportStageLogsResponse> answer) {
        if (taken(request.getStageId(), request.getBlocksList(), answer))
            send(answer, ReportStageLogsResponse.getDefaultInstance());
    }

    @Override
    public void reportStageLogsFromLastCheckpoint(
            ReportStageLogsFromLastCheckpointRequest request,
            StreamObserver<ReportStageLogsFromLastCheckpointResponse> answer) {
        if (!taken(request.getStageId(), request.getBlocksList(), answer)) return;
        if (request.getCompleted()) heard.completed(request.getStageId());
        send(answer, ReportStageLogsFromLastCheckpointResponse.getDefaultInstance());
    }

    private boolean taken(String stage, List<LogBlock> blocks, StreamObserver<?> answer) {
        if (heard.deaf()) {
            answer.onError(Status.UNAVAILABLE.asRuntimeException());
            return false;
        }
        for (var block : blocks) {
            if (block.getLog().isEmpty() || block.getCreatedAt() <= 0) {
                heard.refused("a log line without text or time");
                answer.onError(
                        Status.INVALID_ARGUMENT
                                .withDescription("invalid request: a block without text or time")
                                .asRuntimeException());
                return false;
            }
        }
        for (var block : blocks) heard.line(stage, block.getIndex(), block.getLog());
        return true;
    }

    @Override
    public void getStageMetadata(
            GetStageMetadataRequest request, StreamObserver<GetStageMetadataResponse> answer) {
        var value = Optional.ofNullable(heard.metadata(request.getStageId()).get(request.getKey()));
        send(
                answer,
                GetStageMetadataResponse.newBuilder()
                        .setFound(value.isPresent())
                        .setValue(value.orElse(""))
                        .build());
    }

    @Override
    public void putStageMetadataMulti(
            PutStageMetadataMultiRequest request,
            StreamObserver<PutStageMetadataMultiResponse> answer) {
        heard.put(request.getStageId(), request.getMetadataMap());
        send(answer, PutStageMetadataMultiResponse.getDefaultInstance());
    }

    @Override
    public void putStageMetadata(
            PutStageMetadataRequest request, StreamObserver<PutStageMetadataResponse> answer) {
        heard.put(request.getStageId(), Map.of(request.getKey(), request.getValue()));
        send(answer, PutStageMetadataResponse.getDefaultInstance());
    }

    @Override
    public void getDeploymentPluginMetadata(
            GetDeploymentPluginMetadataRequest request,
            StreamObserver<GetDeploymentPluginMetadataResponse> answer) {
        var value = heard.pluginMetadata(request.getPluginName(), request.getKey());
        send(
                answer,
                GetDeploymentPluginMetadataResponse.newBuilder()
                        .setFound(value.isPresent())
                        .setValue(value.orElse(""))
                        .build());
    }

    @Override
    public void putDeploymentPluginMetadata(
            PutDeploymentPluginMetadataRequest request,
            StreamObserver<PutDeploymentPluginMetadataResponse> answer) {
        if (heard.deaf()) {
            answer.onError(Status.UNAVAILABLE.asRuntimeException());
            return;
        }
        heard.putPlugin(request.getPluginName(), request.getKey(), request.getValue());
        send(answer, PutDeploymentPluginMetadataResponse.getDefaultInstance());
    }

    @Override
    public void putDeploymentPluginMetadataMulti(
            PutDeploymentPluginMetadataMultiRequest request,
            StreamObserver<PutDeploymentPluginMetadataMultiResponse> answer) {
        request.getMetadataMap()
                .forEach((key, value) -> heard.putPlugin(request.getPluginName(), key, value));
        send(answer, PutDeploymentPluginMetadataMultiResponse.getDefaultInstance());
    }

    @Override
    public void getDeploymentSharedMetadata(
            GetDeploymentSharedMetadataRequest request,
            StreamObserver<GetDeploymentSharedMetadataResponse> answer) {
        send(answer, GetDeploymentSharedMetadataResponse.getDefaultInstance());
    }

    @Override
    public void getApplicationSharedObject(
            GetApplicationSharedObjectRequest request,
            StreamObserver<GetApplicationSharedObjectResponse> answer) {
        var kept = heard.kept(request.getPluginName(), request.getKey());
        if (kept.isEmpty())
            answer.onError(
                    Status.NOT_FOUND.withDescription("object not found").asRuntimeException());
        else
            send(
                    answer,
                    GetApplicationSharedObjectResponse.newBuilder()
                            .setObject(ByteString.copyFrom(kept.get()))
                            .build());
    }

    @Override
    public void putApplicationSharedObject(
            PutApplicationSharedObjectRequest request,
            StreamObserver<PutApplicationSharedObjectResponse> answer) {
        heard.keep(request.getPluginName(), request.getKey(), request.getObject().toByteArray());
        send(answer, PutApplicationSharedObjectResponse.getDefaultInstance());
    }

    @Override
    public void listStageCommands(
            ListStageCommandsRequest request, StreamObserver<ListStageCommandsResponse> answer) {
        if (heard.deaf()) {
            answer.onError(Status.UNAVAILABLE.asRuntimeException());
            return;
        }
        var listed = ListStageCommandsResponse.newBuilder();
        commands(request.getStageId()).forEach(command -> listed.addCommands(wire(command)));
        send(answer, listed.build());
    }

    /// As our agent: a plugin that says what it has seen hears when there is more.
    private List<StageCommand> commands(String stage) {
        heard.askedForCommands(stage);
        var seen = SEEN.get();
        if (seen == null) return heard.commands(stage);
        try {
            for (int look = 0; look < 20 && !Context.current().isCancelled(); look++)
                if (heard.awaitCommand(stage, seen)) break;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return heard.commands(stage);
    }

    /// Hears what plugins say they have seen.
    static final class Seen implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            var seen = headers.get(HEADER);
            if (seen == null) return next.startCall(call, headers);
            var context = Context.current().withValue(SEEN, List.of(seen.split(",", -1)));
            return Contexts.interceptCall(context, call, headers, next);
        }
    }

    private static Command wire(StageCommand command) {
        return Command.newBuilder()
                .setId(command.id())
                .setPipedId("piped-1")
                .setCommander(command.person())
                .setType(
                        switch (command.order()) {
                            case APPROVE -> Command.Type.APPROVE_STAGE;
                            case SKIP -> Command.Type.SKIP_STAGE;
                        })
                .setCreatedAt(1)
                .setUpdatedAt(1)
                .build();
    }

    private static <T> void send(StreamObserver<T> observer, T response) {
        observer.onNext(response);
        observer.onCompleted();
    }
}
