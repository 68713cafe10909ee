// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import com.google.protobuf.ByteString;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.ArtifactVersion;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.plugin.control.StageControlGrpc;
import dev.pipecd.wire.plugin.control.StopRequest;
import dev.pipecd.wire.plugin.deployment.BuildPipelineSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.BuildQuickSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc.DeploymentServiceBlockingStub;
import dev.pipecd.wire.plugin.deployment.DetermineStrategyRequest;
import dev.pipecd.wire.plugin.deployment.DetermineVersionsRequest;
import dev.pipecd.wire.plugin.deployment.ExecutePluginInput;
import dev.pipecd.wire.plugin.deployment.ExecuteStageRequest;
import dev.pipecd.wire.plugin.deployment.ExecuteStageResponse;
import dev.pipecd.wire.plugin.deployment.PlanPluginInput;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Everything the agent wants of plugins: what they offer, how they plan, running and stopping
/// their stages, and how they do.
public final class Plugins implements AutoCloseable {
    private static final Duration PLANNED_WITHIN = Duration.ofSeconds(30);

    /// Longer than a script gets to end by itself, and to be killed.
    private static final Duration STOPPED_WITHIN = Duration.ofSeconds(15);

    /// Longer than any pause between restarts; a host given up on ends the wait before.
    private static final Duration BACK_WITHIN = Duration.ofMinutes(5);

    private final PluginSettings settings;
    private final Map<String, PluginLine> lines = new LinkedHashMap<>();
    private final RunningCalls running = new RunningCalls();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HostSupervisor supervisor;
    private final PluginDialer dialer;
    private final Callbacks callbacks;
    private final boolean needsHost;
    private @Nullable PluginService service;

    public Plugins(PluginSettings settings, Callbacks callbacks, SecureRandom random) {
        this.settings = settings;
        this.callbacks = callbacks;
        this.dialer = new PluginDialer(token(random), threads);
        var hosted = new ArrayList<PipedConfig.Plugin>();
        var hostedLines = new LinkedHashMap<String, PluginLine>();
        for (var plugin : settings.plugins()) {
            var line = new PluginLine(plugin.name());
            lines.put(plugin.name(), line);
            if (plugin.builtin().isPresent()) {
                hosted.add(plugin);
                hostedLines.put(plugin.name(), line);
            } else {
                line.down(
                        "url: \"%s\" (expected: builtin:NAME)".formatted(plugin.url()),
                        "This version runs built-in plugins only; use `url: builtin:NAME` or leave"
                                + " `url` out. The other plugins run.",
                        true);
            }
        }
        this.needsHost = !hosted.isEmpty();
        this.supervisor =
                new HostSupervisor(
                        new HostFiles(settings.dataDirectory()),
                        dialer,
                        hosted,
                        hostedLines,
                        settings.timing());
    }

    private static String token(SecureRandom random) {
        var bytes = new byte[32];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// Opens the plugin service and starts the host; does not wait for it.
    public void start() {
        var doors = List.of(new CallbackDoor(callbacks), new SupervisionDoor(supervisor));
        var opened =
                PluginService.open(
                        settings.servicePort(), dialer.token(), threads, List.copyOf(doors));
        service = opened;
        if (!needsHost) return;
        var argv = new ArrayList<>(settings.hostCommand());
        argv.addAll(
                List.of(
                        "host",
                        "--piped-plugin-service",
                        opened.address(),
                        "--config-file",
                        new HostFiles(settings.dataDirectory()).config().toString()));
        supervisor.start(argv);
    }

    /// Whether every built-in plugin became ready in time; if not, `health` tells why.
    public boolean awaitReady(Duration patience) throws InterruptedException {
        var deadline = System.nanoTime() + patience.toNanos();
        var all = true;
        for (var line : lines.values()) {
            try {
                var _ = line.await(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
            } catch (Problem e) {
                all = false;
            }
        }
        return all;
    }

    public List<String> names() {
        return List.copyOf(lines.keySet());
    }

    /// The stages a plugin offers, rollback stages included; as last heard while its host restarts.
    public List<String> stagesOf(String plugin) {
        return line(plugin).stages();
    }

    public List<String> ownersOf(String stageName) {
        return lines.values().stream()
                .filter(line -> line.stages().contains(stageName))
                .map(PluginLine::name)
                .toList();
    }

    public DeterminedStrategy determineStrategy(
            String plugin, Deployment deployment, SourceDirs target, Optional<SourceDirs> running)
            throws InterruptedException {
        var request =
                DetermineStrategyRequest.newBuilder()
                        .setInput(input(deployment, target, running))
                        .build();
        var answer = plan(plugin, request, stub -> stub.determineStrategy(request));
        return answer.getUnsupported()
                ? new DeterminedStrategy.NoOpinion()
                : new DeterminedStrategy.Determined(answer.getSyncStrategy(), answer.getSummary());
    }

    public List<ArtifactVersion> determineVersions(
            String plugin, Deployment deployment, SourceDirs target, Optional<SourceDirs> running)
            throws InterruptedException {
        var request =
                DetermineVersionsRequest.newBuilder()
                        .setInput(input(deployment, target, running))
                        .build();
        return plan(plugin, request, stub -> stub.determineVersions(request)).getVersionsList();
    }

    public List<PipelineStage> buildPipelineSyncStages(
            String plugin, List<StageToPlan> stages, boolean rollback) throws InterruptedException {
        var builder = BuildPipelineSyncStagesRequest.newBuilder().setRollback(rollback);
        for (var stage : stages)
            builder.addStagesBuilder()
                    .setName(stage.name())
                    .setDesc(stage.description())
                    .setIndex(stage.index())
                    .setConfig(stage.options());
        var request = builder.build();
        return plan(plugin, request, stub -> stub.buildPipelineSyncStages(request)).getStagesList();
    }

    public List<PipelineStage> buildQuickSyncStages(String plugin, boolean rollback)
            throws InterruptedException {
        var request = BuildQuickSyncStagesRequest.newBuilder().setRollback(rollback).build();
        return plan(plugin, request, stub -> stub.buildQuickSyncStages(request)).getStagesList();
    }

    /// Blocks until the stage has ended. When the host dies meanwhile, its successor is asked again
    /// and goes on with what was begun. An interrupt detaches: the stage goes on without us. Throws
    /// a `Problem` when the plugin does not come back: something of the stage may be left running.
    public StageAnswer execute(
            String plugin,
            Deployment deployment,
            PipelineStage stage,
            ByteString stageConfig,
            SourceDirs target,
            Optional<SourceDirs> runningSource)
            throws InterruptedException {
        var input =
                ExecutePluginInput.newBuilder()
                        .setDeployment(deployment)
                        .setStage(stage)
                        .setStageConfig(stageConfig)
                        .setTargetDeploymentSource(target.onTheWire());
        runningSource.ifPresent(source -> input.setRunningDeploymentSource(source.onTheWire()));
        var request = ExecuteStageRequest.newBuilder().setInput(input).build();
        var calls = new PluginCalls(line(plugin), BACK_WITHIN);
        var key =
                new RunningCalls.Key(
                        plugin, new DeploymentId(deployment.getId()), new StageId(stage.getId()));
        try (var call = running.begin(key)) {
            return answer(
                    calls.call(
                            request,
                            channel -> {
                                var before = call.context().attach();
                                try {
                                    return DeploymentServiceGrpc.newBlockingStub(channel)
                                            .executeStage(request);
                                } catch (StatusRuntimeException e) {
                                    return stoppedOrThrow(call, e);
                                } finally {
                                    call.context().detach(before);
                                }
                            }));
        } catch (StatusRuntimeException e) {
            return new StageAnswer.Failed("plugin %s: %s".formatted(plugin, said(e.getStatus())));
        }
    }

    private static ExecuteStageResponse stoppedOrThrow(
            RunningCalls.Call call, StatusRuntimeException e) {
        var reason = call.calledOff();
        if (reason.isEmpty()) throw e;
        return ExecuteStageResponse.newBuilder()
                .setStatus(dev.pipecd.wire.model.StageStatus.STAGE_CANCELLED)
                .setMessage(reason.get())
                .build();
    }

    private static StageAnswer answer(ExecuteStageResponse response) {
        var reason = response.getMessage();
        return switch (response.getStatus()) {
            case STAGE_SUCCESS -> new StageAnswer.Succeeded();
            case STAGE_SKIPPED -> new StageAnswer.Skipped(reason);
            case STAGE_EXITED -> new StageAnswer.Exited(reason);
            case STAGE_CANCELLED -> new StageAnswer.Stopped(reason);
            case STAGE_FAILURE ->
                    new StageAnswer.Failed(reason.isEmpty() ? "the plugin gave no reason" : reason);
            case STAGE_NOT_STARTED_YET, STAGE_RUNNING, UNRECOGNIZED ->
                    new StageAnswer.Failed(
                            "the plugin answered %s (expected: how the stage ended)"
                                    .formatted(response.getStatus()));
        };
    }

    private static String said(Status status) {
        var description = status.getDescription();
        return description == null ? status.getCode().toString() : description;
    }

    /// Comes back when the stage has stopped and nothing of it is left.
    public void stop(String plugin, DeploymentId deployment, StageId stage, String reason)
            throws InterruptedException {
        var request =
                StopRequest.newBuilder()
                        .setDeploymentId(deployment.value())
                        .setStageId(stage.value())
                        .setReason(reason)
                        .build();
        var calls = new PluginCalls(line(plugin), STOPPED_WITHIN);
        try {
            calls.call(
                    request,
                    channel ->
                            StageControlGrpc.newBlockingStub(channel)
                                    .withDeadlineAfter(STOPPED_WITHIN)
                                    .stop(request));
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.UNIMPLEMENTED)
                throw calls.refused(Problem.Code.REQUEST_INVALID, "", e);
            running.callOff(new RunningCalls.Key(plugin, deployment, stage), reason);
        }
    }

    public List<PluginHealth> health() {
        return lines.values().stream().map(PluginLine::health).toList();
    }

    /// Where plugins call the agent.
    public String serviceAddress() {
        return service == null ? "" : service.address();
    }

    @Override
    public void close() {
        supervisor.close();
        lines.values().forEach(PluginLine::close);
        // Last, so that the host can still hand over its last lines.
        if (service != null) service.close();
        threads.close();
    }

    private <Q extends com.google.protobuf.MessageLite, A> A plan(
            String plugin, Q request, Function<DeploymentServiceBlockingStub, A> call)
            throws InterruptedException {
        var calls = new PluginCalls(line(plugin), PLANNED_WITHIN);
        try {
            return calls.call(
                    request,
                    channel ->
                            call.apply(
                                    DeploymentServiceGrpc.newBlockingStub(channel)
                                            .withDeadlineAfter(PLANNED_WITHIN)));
        } catch (StatusRuntimeException e) {
            throw calls.refused(
                    Problem.Code.STAGE_OPTIONS_INVALID,
                    "Correct the stage's `with` in the application's file.",
                    e);
        }
    }

    private static PlanPluginInput input(
            Deployment deployment, SourceDirs target, Optional<SourceDirs> running) {
        var input =
                PlanPluginInput.newBuilder()
                        .setDeployment(deployment)
                        .setTargetDeploymentSource(target.onTheWire());
        running.ifPresent(source -> input.setRunningDeploymentSource(source.onTheWire()));
        return input.build();
    }

    private PluginLine line(String plugin) {
        var line = lines.get(plugin);
        if (line != null) return line;
        throw new Problem(
                Problem.Code.PLUGIN_UNKNOWN,
                "plugin: \"%s\" (expected: one of %s)".formatted(plugin, lines.keySet()),
                "Add it to `plugins` of the agent's configuration.");
    }
}
