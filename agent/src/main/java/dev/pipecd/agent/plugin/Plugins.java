// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.plugin.callback.CallbackDoor;
import dev.pipecd.agent.plugin.callback.Callbacks;
import dev.pipecd.agent.plugin.callback.SupervisionDoor;
import dev.pipecd.agent.plugin.fetch.Programs;
import dev.pipecd.agent.plugin.supervise.PluginDialer;
import dev.pipecd.agent.plugin.supervise.PluginHealth;
import dev.pipecd.agent.plugin.supervise.PluginLine;
import dev.pipecd.agent.plugin.tool.Tools;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.ArtifactVersion;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.plugin.deployment.BuildPipelineSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.BuildQuickSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc.DeploymentServiceBlockingStub;
import dev.pipecd.wire.plugin.deployment.DetermineStrategyRequest;
import dev.pipecd.wire.plugin.deployment.DetermineVersionsRequest;
import dev.pipecd.wire.plugin.deployment.ExecutePluginInput;
import dev.pipecd.wire.plugin.deployment.ExecuteStageRequest;
import dev.pipecd.wire.plugin.deployment.PlanPluginInput;
import io.grpc.BindableService;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everything the agent wants of plugins: what they offer, how they plan, running and stopping
/// their stages, and how they do.
public final class Plugins implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Plugins.class);
    private static final Duration PLANNED_WITHIN = Duration.ofSeconds(30);
    private static final Set<String> WAITS = Set.of("WAIT", "WAIT_APPROVAL");

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Crew crew;
    private final Turns turns;
    private final StageExecution execution;
    private final List<BindableService> doors;
    private final Tools tools;
    private final Duration plannedWithin;

    public Plugins(
            PluginSettings settings,
            Programs programs,
            Tools tools,
            Callbacks callbacks,
            SecureRandom random) {
        this(settings, programs, tools, callbacks, random, PLANNED_WITHIN);
    }

    /// @param plannedWithin how long a plugin may take to answer while a deployment is planned
    Plugins(
            PluginSettings settings,
            Programs programs,
            Tools tools,
            Callbacks callbacks,
            SecureRandom random,
            Duration plannedWithin) {
        this.plannedWithin = plannedWithin;
        this.crew =
                new Crew(
                        settings,
                        programs,
                        new PluginDialer(token(random), threads, settings.timing().readyWithin()));
        var limits = new LinkedHashMap<String, Integer>();
        settings.plugins().forEach(p -> limits.put(p.name(), p.running().maxStages()));
        this.turns = new Turns(settings.maxRunningStages(), limits);
        this.execution = new StageExecution(crew, turns, callbacks);
        this.tools = tools;
        this.doors =
                List.of(
                        new CallbackDoor(callbacks, tools, execution::logClosed, crew),
                        new SupervisionDoor(crew));
    }

    private static String token(SecureRandom random) {
        var bytes = new byte[32];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// Opens the plugin service and starts the plugins; does not wait for them.
    public void start() {
        threads.execute(tools::sweep);
        crew.start(threads, doors);
    }

    /// Whether every plugin became ready in time; if not, `health` tells why.
    public boolean awaitReady(Duration patience) throws InterruptedException {
        var deadline = System.nanoTime() + patience.toNanos();
        var all = true;
        for (var line : crew.lines()) {
            try {
                var _ = line.await(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
            } catch (Problem e) {
                all = false;
            }
        }
        return all;
    }

    /// The answer to a question about what plugins offer, asked again whenever one of them comes up
    /// or is given up: who has the answer is not to wait for the others. Throws the question's own
    /// `Problem` when none of them is left to wait for.
    public <T> T whenKnown(Duration patience, Supplier<T> question) throws InterruptedException {
        var deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            var seen = crew.changes().count();
            var last = allSettled() || System.nanoTime() > deadline;
            try {
                return question.get();
            } catch (Problem unknown) {
                if (last) throw unknown;
            }
            crew.changes().await(seen, Duration.ofNanos(deadline - System.nanoTime()));
        }
    }

    private boolean allSettled() throws InterruptedException {
        for (var line : crew.lines()) if (!line.isSettled()) return false;
        return true;
    }

    public List<String> names() {
        return crew.lines().stream().map(PluginLine::name).toList();
    }

    /// Whether what it offers is known; before its first start it is not.
    public boolean isKnown(String plugin) {
        return crew.line(plugin).wasUp();
    }

    /// Whether it is a built-in that this version does not have.
    public boolean isMissing(String plugin) {
        return crew.line(plugin).isMissing();
    }

    /// Whether it is a built-in that nobody named.
    boolean standsIn(String plugin) {
        return crew.standIns().contains(plugin);
    }

    /// Whose business applications of a platform are.
    public List<String> serving(String platform) {
        return crew.serving(platform);
    }

    /// Whether a stage does nothing but wait, for a time or for somebody who may have forgotten it:
    /// it holds no place that others need.
    public static boolean onlyWaits(String stage) {
        return WAITS.contains(stage);
    }

    /// The stages a plugin offers, rollback stages included; as last heard while it restarts.
    public List<String> stagesOf(String plugin) {
        return crew.line(plugin).stages();
    }

    /// What must be laid out for a stage: everything, as long as its plugin has not said less.
    public Needed needed(String plugin, String stage) {
        return Needed.by(crew.line(plugin).reads(stage));
    }

    /// The same for strategy and versions.
    public Needed neededToPlan(String plugin) {
        return Needed.by(crew.line(plugin).reads(PluginLine.PLANNING));
    }

    public List<String> ownersOf(String stageName) {
        return crew.lines().stream()
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

    /// For people only: a plugin that cannot tell them keeps nothing from being deployed.
    public List<ArtifactVersion> determineVersions(
            String plugin, Deployment deployment, SourceDirs target, Optional<SourceDirs> running)
            throws InterruptedException {
        var request =
                DetermineVersionsRequest.newBuilder()
                        .setInput(input(deployment, target, running))
                        .build();
        try {
            return plan(plugin, request, stub -> stub.determineVersions(request)).getVersionsList();
        } catch (Problem untold) {
            log.warn(
                    "deployment {}: the versions it brings are not known: {}",
                    new DeploymentId(deployment.getId()).brief(),
                    untold.told());
            return List.of();
        }
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

    /// Blocks until the stage has ended, first until it is its turn. When the plugin dies
    /// meanwhile, its successor is asked again and goes on with what was begun. An interrupt
    /// detaches: the stage goes on without us. Throws a `Problem` when the plugin does not come
    /// back, or would do all of it once more: something of the stage may be left running.
    public StageAnswer execute(
            String plugin,
            Deployment deployment,
            PipelineStage stage,
            ByteString stageConfig,
            SourceDirs target,
            Optional<SourceDirs> running,
            SettingOut settingOut)
            throws InterruptedException {
        var input =
                ExecutePluginInput.newBuilder()
                        .setDeployment(deployment)
                        .setStage(stage)
                        .setStageConfig(stageConfig)
                        .setTargetDeploymentSource(target.onTheWire());
        running.ifPresent(source -> input.setRunningDeploymentSource(source.onTheWire()));
        return execution.run(
                plugin,
                ExecuteStageRequest.newBuilder().setInput(input).build(),
                new BeginMark(settingOut.mark()),
                settingOut.leave());
    }

    /// How a stage sets out.
    ///
    /// @param mark a file of this stage alone that outlives the agent
    /// @param leave waited for before its turn, and asked for again when that has come
    public record SettingOut(Path mark, Leave leave) {}

    /// Comes back when the stage has stopped and nothing of it is left.
    public void stop(String plugin, DeploymentId deployment, StageId stage, String reason)
            throws InterruptedException {
        execution.stop(new RunningCalls.Key(plugin, deployment, stage), reason);
    }

    public List<PluginHealth> health() {
        return crew.lines().stream().map(this::health).toList();
    }

    private PluginHealth health(PluginLine line) {
        var health = line.health();
        var waiting = turns.waiting(line.name());
        if (waiting == 0) return health;
        return new PluginHealth(
                health.name(),
                health.ok(),
                "%s; %d stage(s) run, %d wait for their turn"
                        .formatted(health.detail(), turns.running(line.name()), waiting),
                health.advice());
    }

    /// What is counted of one plugin.
    public Figures figures(String plugin) {
        return new Figures(
                crew.line(plugin).health().ok(),
                crew.supervisor(plugin).ends(),
                turns.running(plugin) + turns.passing(plugin),
                turns.waiting(plugin));
    }

    /// @param ends how often its process ended by itself
    public record Figures(boolean ready, int ends, int stagesRunning, int stagesWaiting) {}

    /// Where plugins call the agent.
    public String serviceAddress() {
        return crew.address();
    }

    @Override
    public void close() {
        execution.close();
        crew.close();
        // Those who asked for it are gone.
        tools.close();
        threads.close();
    }

    PluginLine line(String plugin) {
        return crew.line(plugin);
    }

    private <Q extends com.google.protobuf.MessageLite, A> A plan(
            String plugin, Q request, Function<DeploymentServiceBlockingStub, A> call)
            throws InterruptedException {
        var calls = new PluginCalls(crew.line(plugin), plannedWithin);
        var process = crew.supervisor(plugin);
        var time = new OwnTime(plannedWithin);
        while (true) {
            try {
                return calls.call(
                        request,
                        channel -> {
                            time.begins(process.timeHelped());
                            return call.apply(
                                    DeploymentServiceGrpc.newBlockingStub(channel)
                                            .withDeadlineAfter(plannedWithin));
                        });
            } catch (StatusRuntimeException e) {
                if (e.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED
                        && time.wasShort(process.timeHelped())) continue;
                throw calls.refused(
                        Problem.Code.STAGE_OPTIONS_INVALID,
                        "Correct the stage's `with` in the application's file.",
                        e);
            }
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
}
