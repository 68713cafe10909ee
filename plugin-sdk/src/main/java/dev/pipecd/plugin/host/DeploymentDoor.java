// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.wire.model.ManualOperation;
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
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers the agent for a plugin that offers stages: what there is, how a pipeline of them looks,
/// and run this one.
final class DeploymentDoor extends DeploymentServiceGrpc.DeploymentServiceImplBase {
    private static final Logger log = LoggerFactory.getLogger(DeploymentDoor.class);

    private final Map<String, Stage<?>> stages = new LinkedHashMap<>();
    private final StageCalls calls;
    private final InstantSource clock;

    DeploymentDoor(StagePlugin plugin, StageCalls calls, InstantSource clock) {
        this.calls = calls;
        this.clock = clock;
        for (var stage : plugin.stages()) {
            stages.put(stage.name(), stage);
            stage.rollbacks()
                    .forEach(rollback -> stages.put(rollback.stage().name(), rollback.stage()));
        }
    }

    @Override
    public void fetchDefinedStages(
            FetchDefinedStagesRequest request, StreamObserver<FetchDefinedStagesResponse> answer) {
        send(answer, FetchDefinedStagesResponse.newBuilder().addAllStages(stages.keySet()).build());
    }

    @Override
    public void determineVersions(
            DetermineVersionsRequest request, StreamObserver<DetermineVersionsResponse> answer) {
        send(answer, DetermineVersionsResponse.getDefaultInstance());
    }

    @Override
    public void determineStrategy(
            DetermineStrategyRequest request, StreamObserver<DetermineStrategyResponse> answer) {
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
            BuildPipelineSyncStagesRequest.StageConfig config,
            List<PipelineStage> forward,
            List<PipelineStage> rollback) {
        var read = OptionsReader.read(config.getConfig().toByteArray(), stage.options());
        if (!read.unknownKeys().isEmpty())
            log.warn(
                    "Stage {} {}: {} mean nothing to it and are ignored; check their spelling",
                    config.getIndex(),
                    config.getName(),
                    read.unknownKeys());
        forward.add(planned(stage, config, false, stage.approvers().apply(read.options())));
        for (var undo : stage.rollbacks()) {
            if (undo.when().test(read.options()))
                rollback.add(planned(undo.stage(), config, true, List.of()));
        }
    }

    private PipelineStage planned(
            Stage<?> stage,
            BuildPipelineSyncStagesRequest.StageConfig config,
            boolean rollback,
            List<String> approvers) {
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
