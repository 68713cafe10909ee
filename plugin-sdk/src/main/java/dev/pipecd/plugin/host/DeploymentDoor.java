// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.host.options.OptionsReader;
import dev.pipecd.plugin.host.role.Described;
import dev.pipecd.plugin.host.role.PlanningCalls;
import dev.pipecd.plugin.host.role.Served;
import dev.pipecd.plugin.platform.DeploymentPlugin;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.wire.model.ManualOperation;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.plugin.deployment.BuildPipelineSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.BuildPipelineSyncStagesRequest.StageConfig;
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
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/// Answers the agent for a plugin that offers stages: what there is, how a pipeline of them looks,
/// and run this one.
final class DeploymentDoor extends DeploymentServiceGrpc.DeploymentServiceImplBase {
    private final StageOwner plugin;
    private final Map<String, Stage<?>> stages;
    private final PlanningCalls planning;
    private final StageCalls calls;
    private final InstantSource clock;

    DeploymentDoor(Served served, StageCalls calls, InstantSource clock) {
        this.plugin = served.plugin();
        this.stages = Described.stages(plugin);
        this.planning = new PlanningCalls(served);
        this.calls = calls;
        this.clock = clock;
    }

    @Override
    public void fetchDefinedStages(
            FetchDefinedStagesRequest request, StreamObserver<FetchDefinedStagesResponse> answer) {
        send(answer, FetchDefinedStagesResponse.newBuilder().addAllStages(stages.keySet()).build());
    }

    @Override
    public void determineVersions(
            DetermineVersionsRequest request, StreamObserver<DetermineVersionsResponse> answer) {
        planning.versions(request.getInput(), answer);
    }

    @Override
    public void determineStrategy(
            DetermineStrategyRequest request, StreamObserver<DetermineStrategyResponse> answer) {
        planning.strategy(request.getInput(), answer);
    }

    @Override
    public void buildQuickSyncStages(
            BuildQuickSyncStagesRequest request,
            StreamObserver<BuildQuickSyncStagesResponse> answer) {
        var built = BuildQuickSyncStagesResponse.newBuilder();
        if (plugin instanceof DeploymentPlugin deploys) {
            var quick = StageConfig.getDefaultInstance();
            built.addStages(planned(deploys.quickSync(), quick, false, List.of()));
            if (request.getRollback())
                built.addStages(planned(deploys.rollback(), quick, true, List.of()));
        }
        send(answer, built.build());
    }

    @Override
    public void buildPipelineSyncStages(
            BuildPipelineSyncStagesRequest request,
            StreamObserver<BuildPipelineSyncStagesResponse> answer) {
        var mistakes = new ArrayList<String>();
        var forward = new ArrayList<PipelineStage>();
        var rollback = new ArrayList<PipelineStage>();
        for (var config : request.getStagesList()) {
            try {
                plan(stage(config.getName()), config, forward, rollback);
            } catch (Problem e) {
                mistakes.add(
                        "stage " + config.getIndex() + " " + config.getName() + ": " + e.message());
            }
        }
        if (!mistakes.isEmpty())
            throw new Problem(
                    Problem.Code.STAGE_OPTIONS_INVALID,
                    String.join("; ", mistakes),
                    "Correct the stage's `with` in the application's file.");
        if (plugin instanceof DeploymentPlugin deploys)
            request.getStagesList().stream()
                    .min(Comparator.comparingInt(StageConfig::getIndex))
                    .ifPresent(first ->
                            rollback.add(planned(deploys.rollback(), first, true, List.of())));
        var built = BuildPipelineSyncStagesResponse.newBuilder().addAllStages(forward);
        if (request.getRollback()) built.addAllStages(rollback);
        send(answer, built.build());
    }

    private Stage<?> stage(String name) {
        var stage = stages.get(name);
        if (stage != null) return stage;
        throw new Problem(
                Problem.Code.STAGE_UNKNOWN,
                "stage: \"%s\" (expected: one of %s)".formatted(name, stages.keySet()),
                "Correct the name, or add a plugin that offers it to the agent's `plugins:`.");
    }

    private <O> void plan(
            Stage<O> stage,
            StageConfig config,
            List<PipelineStage> forward,
            List<PipelineStage> rollback) {
        var options = OptionsReader.readAll(config.getConfig().toByteArray(), stage.options());
        forward.add(planned(stage, config, false, stage.approvers().apply(options)));
        for (var undo : stage.rollbacks()) {
            if (undo.when().test(options))
                rollback.add(planned(undo.stage(), config, true, List.of()));
        }
    }

    private PipelineStage planned(
            Stage<?> stage, StageConfig config, boolean rollback, List<String> approvers) {
        var now = clock.instant().getEpochSecond();
        return PipelineStage.newBuilder()
                .setName(stage.name())
                .setDesc(config.getDesc())
                .setIndex(config.getIndex())
                .setStatus(StageStatus.STAGE_NOT_STARTED_YET)
                .setRollback(rollback)
                .setAvailableOperation(
                        stage.approvable()
                                ? ManualOperation.MANUAL_OPERATION_APPROVE
                                : ManualOperation.MANUAL_OPERATION_NONE)
                .addAllAuthorizedOperators(approvers)
                .setCreatedAt(now)
                .setUpdatedAt(now)
                .build();
    }

    @Override
    public void executeStage(
            ExecuteStageRequest request, StreamObserver<ExecuteStageResponse> answer) {
        var input = request.getInput();
        var stage = stage(input.getStage().getName());
        var caller =
                new Caller(
                        (ServerCallStreamObserver<ExecuteStageResponse>) answer,
                        Caller.STOPS_EXPLICITLY.get());
        try {
            calls.execute(stage, input, caller);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static <T> void send(StreamObserver<T> observer, T response) {
        observer.onNext(response);
        observer.onCompleted();
    }
}
