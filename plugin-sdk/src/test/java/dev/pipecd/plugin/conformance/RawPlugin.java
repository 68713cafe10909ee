// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
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
import dev.pipecd.wire.plugin.piped.InstallToolRequest;
import dev.pipecd.wire.plugin.piped.PluginServiceGrpc;
import dev.pipecd.wire.plugin.piped.PluginServiceGrpc.PluginServiceBlockingStub;
import dev.pipecd.wire.plugin.piped.ReportStageLogsFromLastCheckpointRequest;
import dev.pipecd.wire.plugin.piped.ReportStageLogsRequest;
import dev.pipecd.wire.plugin.planpreview.GetPlanPreviewRequest;
import dev.pipecd.wire.plugin.planpreview.GetPlanPreviewResponse;
import dev.pipecd.wire.plugin.planpreview.PlanPreviewServiceGrpc;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/// A plugin that owes nothing to the SDK, with one rule to break, or none. `started` and `ended`
/// are its disk: they outlive a kill.
record RawPlugin(
        String stage,
        Set<Rule> faults,
        String needed,
        Manner manner,
        Set<String> started,
        Set<String> ended)
        implements Launcher {
    static final String STAGE = "RAW";
    private static final String SCRIPT = "SCRIPT_RUN";

    private enum Manner {
        USUAL,
        STARTS_ONCE,
        ANSWERS_ONCE,
        DOES_WITHOUT,
        SPEAKS_FIRST
    }

    private static RawPlugin of(String stage, String needed, Manner manner, Rule... rules) {
        return new RawPlugin(
                stage,
                Set.of(rules),
                needed,
                manner,
                ConcurrentHashMap.newKeySet(),
                ConcurrentHashMap.newKeySet());
    }

    static RawPlugin breaking(Rule... rules) {
        return of(STAGE, "", Manner.USUAL, rules);
    }

    /// It leaves a lock behind when it is killed.
    static RawPlugin startingOnce() {
        return of(STAGE, "", Manner.STARTS_ONCE);
    }

    /// It waits for the lock that it left behind when it was killed.
    static RawPlugin answeringOnce() {
        return of(STAGE, "", Manner.ANSWERS_ONCE);
    }

    /// It asks for a tool when it starts, and ends when it does not get it.
    static RawPlugin needing(String tool) {
        return of(STAGE, tool, Manner.USUAL);
    }

    /// It asks for a tool at its start and in each stage, and gets along without it.
    static RawPlugin doingWithout(String tool, Rule... rules) {
        return of(STAGE, tool, Manner.DOES_WITHOUT, rules);
    }

    /// It runs scripts: each once, or, when it breaks a rule, as often as it is called.
    static RawPlugin scripts(Rule... rules) {
        return of(SCRIPT, "", Manner.USUAL, rules);
    }

    /// As [#scripts], though each has said something before its script begins, in a process that
    /// lives on when it is killed.
    static RawPlugin speakingScripts(Rule... rules) {
        return of(SCRIPT, "", Manner.SPEAKS_FIRST, rules);
    }

    @Override
    public Program start(List<String> arguments) throws IOException {
        return new Instance(this, arguments);
    }

    private boolean breaks(Rule rule) {
        return faults.contains(rule);
    }

    private static final class Instance extends DeploymentServiceGrpc.DeploymentServiceImplBase
            implements Program {
        private final RawPlugin plugin;
        private final ManagedChannel line;
        private final PluginServiceBlockingStub agent;
        private final Server server;
        private final ReentrantLock alone = new ReentrantLock();
        private final CountDownLatch gone = new CountDownLatch(1);

        Instance(RawPlugin plugin, List<String> arguments) throws IOException {
            this.plugin = plugin;
            line = NettyChannelBuilder.forTarget(arguments.get(2)).usePlaintext().build();
            agent = PluginServiceGrpc.newBlockingStub(line);
            var port = new ObjectMapper().readTree(arguments.get(4)).path("port").asInt();
            server =
                    NettyServerBuilder.forPort(port)
                            .executor(Executors.newVirtualThreadPerTaskExecutor())
                            .maxInboundMessageSize(
                                    plugin.breaks(Rule.BIG_PAYLOAD) ? 64 << 10 : 4 << 20)
                            .addService(this)
                            .addService(new Previewing())
                            .build();
            var locked = !plugin.started().add("process");
            if (plugin.breaks(Rule.START)
                    || (locked && plugin.manner() == Manner.STARTS_ONCE)
                    || !hasWhatItNeeds()) kill();
            else if (!locked || plugin.manner() != Manner.ANSWERS_ONCE) server.start();
        }

        /// As the public plugin for Kubernetes, it does not survive a question about no target.
        private final class Previewing extends PlanPreviewServiceGrpc.PlanPreviewServiceImplBase {
            @Override
            public void getPlanPreview(
                    GetPlanPreviewRequest request, StreamObserver<GetPlanPreviewResponse> answer) {
                if (request.getDeployTargetsCount() == 0) kill();
                else send(answer, GetPlanPreviewResponse.getDefaultInstance());
            }
        }

        private boolean hasWhatItNeeds() {
            try {
                if (!plugin.needed().isEmpty()) install(plugin.needed());
                return true;
            } catch (StatusRuntimeException e) {
                return plugin.manner() == Manner.DOES_WITHOUT;
            }
        }

        @Override
        public boolean alive() {
            return gone.getCount() > 0;
        }

        @Override
        public void terminate() {
            if (!plugin.breaks(Rule.END)) kill();
        }

        @Override
        public void kill() {
            gone.countDown();
            server.shutdownNow();
            line.shutdownNow();
        }

        /// Like a process, it is over when its port is free again.
        @Override
        public boolean awaitEnd(Duration bound) throws InterruptedException {
            return gone.await(bound.toMillis(), TimeUnit.MILLISECONDS)
                    && server.awaitTermination(bound.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public String told() {
            return "cannot start";
        }

        @Override
        public void fetchDefinedStages(
                FetchDefinedStagesRequest request,
                StreamObserver<FetchDefinedStagesResponse> answer) {
            if (plugin.breaks(Rule.DEADLINE)) alone.lock();
            if (refused(!request.getUnknownFields().asMap().isEmpty(), answer)) return;
            send(answer, FetchDefinedStagesResponse.newBuilder().addStages(plugin.stage()).build());
            if (plugin.breaks(Rule.DEADLINE)) alone.unlock();
        }

        private boolean refused(boolean unknown, StreamObserver<?> answer) {
            if (!unknown || !plugin.breaks(Rule.UNKNOWN_FIELDS)) return false;
            answer.onError(Status.INVALID_ARGUMENT.asRuntimeException());
            return true;
        }

        @Override
        public void determineVersions(
                DetermineVersionsRequest request,
                StreamObserver<DetermineVersionsResponse> answer) {
            if (request.hasInput()) send(answer, DetermineVersionsResponse.getDefaultInstance());
            else answer.onError(Status.INVALID_ARGUMENT.asRuntimeException());
        }

        @Override
        public void determineStrategy(
                DetermineStrategyRequest request,
                StreamObserver<DetermineStrategyResponse> answer) {
            send(answer, DetermineStrategyResponse.newBuilder().setUnsupported(true).build());
        }

        @Override
        public void buildQuickSyncStages(
                BuildQuickSyncStagesRequest request,
                StreamObserver<BuildQuickSyncStagesResponse> answer) {
            send(answer, BuildQuickSyncStagesResponse.getDefaultInstance());
        }

        @Override
        public void buildPipelineSyncStages(
                BuildPipelineSyncStagesRequest request,
                StreamObserver<BuildPipelineSyncStagesResponse> answer) {
            var built = BuildPipelineSyncStagesResponse.newBuilder();
            for (var stage : request.getStagesList())
                built.addStages(
                        PipelineStage.newBuilder()
                                .setName(stage.getName())
                                .setIndex(plugin.breaks(Rule.PROTOCOL) ? 0 : stage.getIndex())
                                .setCreatedAt(1)
                                .setUpdatedAt(1));
            send(answer, built.build());
        }

        @Override
        public void executeStage(
                ExecuteStageRequest request, StreamObserver<ExecuteStageResponse> answer) {
            var id = request.getInput().getStage().getId();
            var with = request.getInput().getStageConfig().toStringUtf8();
            var again = !plugin.started().add(id);
            if (plugin.stage().equals(SCRIPT)) {
                script(id, with, again, answer);
                return;
            }
            if (again && !plugin.ended().contains(id) && plugin.breaks(Rule.CRASH)) {
                answer(answer, StageStatus.STAGE_FAILURE);
                return;
            }
            if (plugin.ended().contains(id) && plugin.breaks(Rule.IDEMPOTENCY)) {
                answer(answer, StageStatus.STAGE_FAILURE);
                return;
            }
            if (plugin.breaks(Rule.DEADLINE)) alone.lock();
            try {
                if (!hasWhatItNeeds()) throw Status.INTERNAL.asRuntimeException();
                if (with.startsWith("tool ")) install(with.substring("tool ".length()));
                work(id, with.equals("long"));
            } catch (StatusRuntimeException e) {
                close(id);
                send(
                        answer,
                        ExecuteStageResponse.newBuilder()
                                .setStatus(StageStatus.STAGE_FAILURE)
                                .setMessage(e.getMessage())
                                .build());
                return;
            } catch (InterruptedException e) {
                return;
            } finally {
                if (plugin.breaks(Rule.DEADLINE)) alone.unlock();
            }
            // What was called off with its connection has not ended: it is asked again.
            if (!Context.current().isCancelled()) plugin.ended().add(id);
            close(id);
            answer(
                    answer,
                    plugin.breaks(Rule.STAGE)
                            ? StageStatus.STAGE_RUNNING
                            : StageStatus.STAGE_SUCCESS);
        }

        /// The first line of a script is done at once; one that sleeps takes long.
        private void script(
                String id,
                String with,
                boolean again,
                StreamObserver<ExecuteStageResponse> answer) {
            try {
                var careless =
                        plugin.ended().contains(id)
                                ? plugin.breaks(Rule.IDEMPOTENCY)
                                : plugin.breaks(Rule.CRASH);
                var script = new ObjectMapper().readTree(with).path("run").asText();
                var deed = again && !careless ? ":" : script.replaceFirst(";.*", "");
                var later = plugin.manner() == Manner.SPEAKS_FIRST;
                var doing =
                        new ProcessBuilder("sh", "-c", later ? "sleep 1; " + deed : deed).start();
                if (!later) doing.waitFor();
                work(id, script.contains("sleep"));
                doing.waitFor();
            } catch (IOException e) {
                answer.onError(e);
                return;
            } catch (InterruptedException e) {
                return;
            }
            // What was called off with its connection has not ended: it is asked again.
            if (!Context.current().isCancelled()) plugin.ended().add(id);
            close(id);
            answer(answer, StageStatus.STAGE_SUCCESS);
        }

        private void install(String tool) {
            var path =
                    agent.installTool(
                                    InstallToolRequest.newBuilder()
                                            .setName(tool)
                                            .setVersion("1.0")
                                            .setInstallScript("exit 1")
                                            .build())
                            .getInstalledPath();
            if (!Files.isExecutable(Path.of(path)))
                throw Status.INTERNAL.withDescription(path).asRuntimeException();
        }

        private void work(String id, boolean lasting) throws InterruptedException {
            var call = Context.current();
            agent.reportStageLogs(
                    ReportStageLogsRequest.newBuilder()
                            .setDeploymentId("conformance")
                            .setStageId(id)
                            .addBlocks(
                                    LogBlock.newBuilder()
                                            .setIndex(1)
                                            .setLog("at work")
                                            .setCreatedAt(1))
                            .build());
            while (lasting && (plugin.breaks(Rule.CANCELLATION) || !call.isCancelled())) {
                if (gone.await(10, TimeUnit.MILLISECONDS)) throw new InterruptedException();
            }
        }

        private void close(String id) {
            Context.ROOT.run(() -> {
                var _ =
                        agent.reportStageLogsFromLastCheckpoint(
                                ReportStageLogsFromLastCheckpointRequest.newBuilder()
                                        .setDeploymentId("conformance")
                                        .setStageId(id)
                                        .setCompleted(true)
                                        .build());
            });
        }

        private static void answer(
                StreamObserver<ExecuteStageResponse> answer, StageStatus status) {
            send(answer, ExecuteStageResponse.newBuilder().setStatus(status).build());
        }

        private static <T> void send(StreamObserver<T> observer, T response) {
            if (Context.current().isCancelled()) return;
            observer.onNext(response);
            observer.onCompleted();
        }
    }
}
