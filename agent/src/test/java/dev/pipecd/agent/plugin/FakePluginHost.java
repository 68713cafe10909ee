// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.agent.plugin.callback.CallerGate;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.plugin.control.StageControlGrpc;
import dev.pipecd.wire.plugin.control.StopRequest;
import dev.pipecd.wire.plugin.control.StopResponse;
import dev.pipecd.wire.plugin.deployment.BuildPipelineSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.BuildPipelineSyncStagesResponse;
import dev.pipecd.wire.plugin.deployment.BuildQuickSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.BuildQuickSyncStagesResponse;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.DetermineStrategyRequest;
import dev.pipecd.wire.plugin.deployment.DetermineStrategyResponse;
import dev.pipecd.wire.plugin.deployment.DetermineVersionsRequest;
import dev.pipecd.wire.plugin.deployment.DetermineVersionsResponse;
import dev.pipecd.wire.plugin.deployment.ExecuteStageRequest;
import dev.pipecd.wire.plugin.deployment.ExecuteStageResponse;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesRequest;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesResponse;
import dev.pipecd.wire.plugin.piped.PluginServiceGrpc;
import dev.pipecd.wire.plugin.piped.PutStageMetadataRequest;
import dev.pipecd.wire.plugin.piped.ReportStageLogsFromLastCheckpointRequest;
import dev.pipecd.wire.plugin.piped.ReportStageLogsRequest;
import dev.pipecd.wire.plugin.supervision.NotOfferedRequest;
import dev.pipecd.wire.plugin.supervision.PingRequest;
import dev.pipecd.wire.plugin.supervision.ReadyRequest;
import dev.pipecd.wire.plugin.supervision.SupervisionServiceGrpc;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// A plugin host, or a plugin of somebody else, that does what its `config.behaviour` says, as a
/// process of its own. What it did is found in the agent's `plugin-state` folder.
final class FakePluginHost {
    private static final Status CLOUD_AWAY =
            Status.UNAVAILABLE.withDescription("the cloud does not answer");

    private final Path state;
    private final String behaviour;
    private final Channel agent;
    private volatile boolean leaving;

    private FakePluginHost(Path state, String behaviour, Channel agent) {
        this.state = state;
        this.behaviour = behaviour;
        this.agent = agent;
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("learn")) {
            learn(Path.of(args[1]));
            return;
        }
        var alone = args[0].equals("start");
        var config =
                new ObjectMapper().readTree(alone ? args[4] : Files.readString(Path.of(args[4])));
        var state = Path.of(config.at(alone ? "/config/state" : "/stateDirectory").asText());
        Files.createDirectories(state);
        var behaviour =
                config.at(alone ? "/config/behaviour" : "/plugins/0/config/behaviour")
                        .asText("good");
        append(state.resolve("starts"), ProcessHandle.current().pid() + "");
        Files.writeString(state.resolve("arguments"), String.join("\n", args));
        Files.writeString(
                state.resolve("state-directory"),
                System.getenv().getOrDefault("PIPECD_PLUGIN_STATE_DIRECTORY", ""));
        System.out.println("fake host starts: " + behaviour);
        var headers = new Metadata();
        if (!alone)
            headers.put(CallerGate.AUTHORIZATION, CallerGate.bearer(config.get("token").asText()));
        var colon = args[2].lastIndexOf(':');
        var agent =
                NettyChannelBuilder.forAddress(
                                args[2].substring(0, colon),
                                Integer.parseInt(args[2].substring(colon + 1)))
                        .usePlaintext()
                        .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .build();
        var fake = new FakePluginHost(state, behaviour, agent);
        if (alone) fake.serveAlone(config.get("port").asInt());
        else fake.serve(config.get("plugins"));
    }

    /// Does once what every host does, to know its classes by.
    private static void learn(Path state) throws IOException {
        new ObjectMapper().readTree("{}");
        var nobody = NettyChannelBuilder.forAddress("127.0.0.1", 1).usePlaintext().build();
        var fake = new FakePluginHost(state, "good", nobody);
        var server = fake.open(new InetSocketAddress("127.0.0.1", 0));
        var self =
                NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                        .usePlaintext()
                        .build();
        var _ =
                DeploymentServiceGrpc.newBlockingStub(self)
                        .fetchDefinedStages(FetchDefinedStagesRequest.getDefaultInstance());
        System.exit(0);
    }

    private void serveAlone(int port) throws Exception {
        if (behaviour.startsWith("tool-first")) SlowTool.ask(agent, behaviour);
        var server = open(new InetSocketAddress(port));
        // As a plugin of our SDK, and after its first end as one of somebody else.
        if (behaviour.startsWith("reads ")
                && Files.readAllLines(state.resolve("starts")).size() == 1) {
            var _ =
                    SupervisionServiceGrpc.newBlockingStub(agent)
                            .ready(ready().setPluginName("fake").setPort(port).build());
        }
        if (behaviour.equals("fails-on-term"))
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(() -> {
                                // Takes no more calls before its stages fail.
                                server.shutdown();
                                leaving = true;
                                try {
                                    server.awaitTermination();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            }));
        if (behaviour.equals("last-words"))
            Runtime.getRuntime().addShutdownHook(new Thread(this::lastWords));
        Thread.currentThread().join();
    }

    private void lastWords() {
        var words = LogBlock.newBuilder().setIndex(9).setLog("last words").setCreatedAt(1);
        var _ =
                PluginServiceGrpc.newBlockingStub(agent)
                        .reportStageLogs(
                                ReportStageLogsRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .setStageId("s1")
                                        .addBlocks(words)
                                        .build());
    }

    private void serve(JsonNode plugins) throws Exception {
        var child = new ProcessBuilder("sleep", "600").start();
        append(state.resolve("children"), child.pid() + "");
        var supervision = SupervisionServiceGrpc.newBlockingStub(agent);
        var served = new java.util.ArrayList<String>();
        for (var plugin : plugins) {
            var name = plugin.get("name").asText();
            if (plugin.get("builtin").asText().equals("absent")) {
                supervision.notOffered(
                        NotOfferedRequest.newBuilder()
                                .setPluginName(name)
                                .setBuiltin("absent")
                                .addOffered("fake")
                                .build());
                continue;
            }
            served.add(name);
            var crooked = plugin.get("builtin").asText().equals("crooked");
            var port = plugin.path("port").asInt(0);
            var server = open(new InetSocketAddress("127.0.0.1", port));
            supervision.ready(
                    ready().setPluginName(name)
                            .setPluginVersion("1.2.3")
                            .setPort(server.getPort())
                            .addAllMistakes(
                                    crooked
                                            ? List.of("config: region: 5 (expected: text)")
                                            : List.of())
                            .build());
        }
        while (true) {
            for (var name : served)
                supervision.ping(PingRequest.newBuilder().setPluginName(name).build());
            pause(Duration.ofMillis(200));
        }
    }

    /// Behaviour `reads 2`: what the stage reads, as the wire has it.
    private ReadyRequest.Builder ready() {
        var ready = ReadyRequest.newBuilder();
        if (behaviour.startsWith("reads "))
            ready.putSourceUseValue("FAKE", Integer.parseInt(behaviour.substring(6)));
        return ready;
    }

    private Server open(InetSocketAddress address) throws IOException {
        var builder =
                NettyServerBuilder.forAddress(address)
                        .executor(Executors.newVirtualThreadPerTaskExecutor())
                        .addService(new Stages())
                        .intercept(new HeaderRecorder());
        if (!behaviour.startsWith("without-stop")) builder.addService(new Control());
        return builder.build().start();
    }

    private static synchronized void append(Path file, String line) throws IOException {
        Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static void pause(Duration length) throws InterruptedException {
        var _ = new CountDownLatch(1).await(length.toMillis(), TimeUnit.MILLISECONDS);
    }

    private final class HeaderRecorder implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            var stop = Metadata.Key.of("pipecd-explicit-stop", Metadata.ASCII_STRING_MARSHALLER);
            try {
                append(
                        state.resolve("headers"),
                        call.getMethodDescriptor().getBareMethodName() + " " + headers.get(stop));
            } catch (IOException e) {
                throw Status.INTERNAL.withCause(e).asRuntimeException();
            }
            return next.startCall(call, headers);
        }
    }

    private final class Control extends StageControlGrpc.StageControlImplBase {
        @Override
        public void stop(StopRequest request, StreamObserver<StopResponse> answer) {
            try {
                // There whole or not at all: the stage looks for it all the time.
                var half = Files.writeString(state.resolve("stop.tmp"), request.getReason());
                Files.move(half, state.resolve("stop"), StandardCopyOption.REPLACE_EXISTING);
                answer.onNext(StopResponse.getDefaultInstance());
                answer.onCompleted();
            } catch (IOException e) {
                answer.onError(e);
            }
        }
    }

    private final class Stages extends DeploymentServiceGrpc.DeploymentServiceImplBase {
        @Override
        public void fetchDefinedStages(
                FetchDefinedStagesRequest request,
                StreamObserver<FetchDefinedStagesResponse> answer) {
            answer.onNext(
                    FetchDefinedStagesResponse.newBuilder()
                            .addAllStages(List.of("FAKE", "FAKE_ROLLBACK"))
                            .build());
            answer.onCompleted();
        }

        @Override
        public void determineStrategy(
                DetermineStrategyRequest request,
                StreamObserver<DetermineStrategyResponse> answer) {
            answer.onNext(DetermineStrategyResponse.newBuilder().setUnsupported(true).build());
            answer.onCompleted();
        }

        @Override
        public void determineVersions(
                DetermineVersionsRequest request,
                StreamObserver<DetermineVersionsResponse> answer) {
            if (request.getInput().getDeployment().getSummary().equals("no versions")) {
                answer.onError(
                        Status.INTERNAL.withDescription("no image tag").asRuntimeException());
                return;
            }
            answer.onNext(DetermineVersionsResponse.getDefaultInstance());
            answer.onCompleted();
        }

        @Override
        public void buildPipelineSyncStages(
                BuildPipelineSyncStagesRequest request,
                StreamObserver<BuildPipelineSyncStagesResponse> answer) {
            var response = BuildPipelineSyncStagesResponse.newBuilder();
            for (var stage : request.getStagesList()) {
                if (stage.getConfig().toStringUtf8().startsWith("tool "))
                    SlowTool.ask(agent, stage.getConfig().toStringUtf8());
                if (stage.getConfig().toStringUtf8().contains("bad")) {
                    answer.onError(
                            Status.INVALID_ARGUMENT
                                    .withDescription("stage 0 FAKE: duration: -1s (expected: > 0)")
                                    .asRuntimeException());
                    return;
                }
                if (stage.getConfig().toStringUtf8().equals("away")) {
                    answer.onError(CLOUD_AWAY.asRuntimeException());
                    return;
                }
                if (stage.getConfig().toStringUtf8().equals("huge")) {
                    answer.onNext(huge());
                    answer.onCompleted();
                    return;
                }
                response.addStages(
                        PipelineStage.newBuilder()
                                .setName(stage.getName())
                                .setIndex(stage.getIndex()));
            }
            answer.onNext(response.build());
            answer.onCompleted();
        }

        private static BuildPipelineSyncStagesResponse huge() {
            return BuildPipelineSyncStagesResponse.newBuilder()
                    .addStages(PipelineStage.newBuilder().setDesc("x".repeat(5 << 20)))
                    .build();
        }

        @Override
        public void buildQuickSyncStages(
                BuildQuickSyncStagesRequest request,
                StreamObserver<BuildQuickSyncStagesResponse> answer) {
            answer.onError(Status.INTERNAL.withDescription("broken inside").asRuntimeException());
        }

        @Override
        public void executeStage(
                ExecuteStageRequest request, StreamObserver<ExecuteStageResponse> answer) {
            try {
                append(
                        state.resolve("executed"),
                        Integer.toHexString(java.util.Arrays.hashCode(request.toByteArray())));
                Files.write(state.resolve("request"), request.toByteArray());
                if (behaviour.equals("dies-in-stage")) Runtime.getRuntime().halt(4);
                var cancelled = io.grpc.Context.current();
                while (!Files.exists(state.resolve("finish"))) {
                    if (leaving) {
                        end(answer, StageStatus.STAGE_FAILURE, "");
                        return;
                    }
                    if (cancelled.isCancelled()) {
                        breakOff(request);
                        return;
                    }
                    if (Files.exists(state.resolve("stop"))) {
                        end(
                                answer,
                                StageStatus.STAGE_CANCELLED,
                                Files.readString(state.resolve("stop")));
                        return;
                    }
                    pause(Duration.ofMillis(50));
                }
                var finish = Files.readString(state.resolve("finish")).split(" ", 2);
                tell(request);
                if (finish[0].equals("away")) {
                    answer.onError(CLOUD_AWAY.asRuntimeException());
                    return;
                }
                if (finish[0].equals("99")) {
                    answer.onNext(ExecuteStageResponse.newBuilder().setStatusValue(99).build());
                    answer.onCompleted();
                    return;
                }
                end(answer, StageStatus.valueOf(finish[0]), finish.length > 1 ? finish[1] : "");
            } catch (IOException | InterruptedException e) {
                answer.onError(e);
            }
        }

        /// As the public SDK does it: the log is closed when the stage's own code has come back.
        private void breakOff(ExecuteStageRequest request)
                throws IOException, InterruptedException {
            append(state.resolve("called-off"), "x");
            while (behaviour.equals("without-stop-slowly")
                    && !Files.exists(state.resolve("let-go"))) pause(Duration.ofMillis(50));
            append(state.resolve("broken-off"), "x");
            io.grpc.Context.ROOT.run(() -> tell(request));
        }

        private void end(
                StreamObserver<ExecuteStageResponse> answer, StageStatus status, String message) {
            answer.onNext(
                    ExecuteStageResponse.newBuilder()
                            .setStatus(status)
                            .setMessage(message)
                            .build());
            answer.onCompleted();
        }

        private void tell(ExecuteStageRequest request) {
            var deployment = request.getInput().getDeployment().getId();
            var stage = request.getInput().getStage().getId();
            var stub = PluginServiceGrpc.newBlockingStub(agent);
            stub.putStageMetadata(
                    PutStageMetadataRequest.newBuilder()
                            .setDeploymentId(deployment)
                            .setStageId(stage)
                            .setKey("k")
                            .setValue("v")
                            .build());
            stub.reportStageLogsFromLastCheckpoint(
                    ReportStageLogsFromLastCheckpointRequest.newBuilder()
                            .setDeploymentId(deployment)
                            .setStageId(stage)
                            .addBlocks(
                                    LogBlock.newBuilder()
                                            .setIndex(1)
                                            .setLog("done")
                                            .setCreatedAt(1))
                            .setCompleted(true)
                            .build());
        }
    }
}
