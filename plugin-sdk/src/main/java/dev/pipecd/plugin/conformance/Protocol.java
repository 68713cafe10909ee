// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.model.SyncStrategy;
import dev.pipecd.wire.plugin.deployment.BuildQuickSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.DetermineStrategyRequest;
import dev.pipecd.wire.plugin.deployment.DetermineStrategyResponse;
import dev.pipecd.wire.plugin.deployment.DetermineVersionsRequest;
import dev.pipecd.wire.plugin.livestate.GetLivestateRequest;
import dev.pipecd.wire.plugin.livestate.GetLivestateResponse;
import dev.pipecd.wire.plugin.livestate.LivestateServiceGrpc;
import dev.pipecd.wire.plugin.planpreview.GetPlanPreviewRequest;
import dev.pipecd.wire.plugin.planpreview.GetPlanPreviewResponse;
import dev.pipecd.wire.plugin.planpreview.PlanPreviewServiceGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Optional;

/// Looks at the answers to every call but the running of stages.
record Protocol(Subject subject, Requests requests, Limits limits, List<String> offered) {

    /// @param quick a stage to plan with, if there is one
    void check(Optional<Trial.Sample> quick) {
        refusesWhatBreaksTheRules();
        versionsAndStrategy();
        quick.ifPresent(this::pipeline);
        for (var rollback : List.of(true, false)) quickSync(rollback);
        // Agents ask nobody about targets that are not there.
        if (requests.trial().targets().isEmpty()) return;
        liveState();
        planPreview();
    }

    private void refusesWhatBreaksTheRules() {
        var nothing = DetermineVersionsRequest.getDefaultInstance();
        var code = Subject.code(() -> subject.calls().determineVersions(nothing));
        Breach.unless(
                code == Status.Code.INVALID_ARGUMENT,
                "DetermineVersions without input: " + code + " (expected: INVALID_ARGUMENT)");
    }

    private void versionsAndStrategy() {
        implemented(
                "DetermineVersions",
                Subject.code(() -> subject.calls().determineVersions(requests.versions("small"))));
        try {
            var answer =
                    subject.calls()
                            .determineStrategy(
                                    DetermineStrategyRequest.newBuilder()
                                            .setInput(requests.planning("small"))
                                            .build());
            Breach.unless(decided(answer), "DetermineStrategy: no strategy (expected: one)");
        } catch (StatusRuntimeException e) {
            implemented("DetermineStrategy", e.getStatus().getCode());
        }
    }

    private static boolean decided(DetermineStrategyResponse answer) {
        return answer.getUnsupported()
                || answer.getSyncStrategy() == SyncStrategy.QUICK_SYNC
                || answer.getSyncStrategy() == SyncStrategy.PIPELINE;
    }

    private static void implemented(String call, Status.Code code) {
        Breach.unless(
                code != Status.Code.UNIMPLEMENTED, call + ": UNIMPLEMENTED (expected: an answer)");
    }

    private void pipeline(Trial.Sample sample) {
        for (var rollback : List.of(true, false)) {
            var stages =
                    subject.calls()
                            .buildPipelineSyncStages(requests.pipeline(sample, rollback))
                            .getStagesList();
            planned("BuildPipelineSyncStages", stages, rollback);
            var forward = stages.stream().filter(stage -> !stage.getRollback()).toList();
            Breach.unless(
                    forward.size() == 1 && forward.getFirst().getName().equals(sample.stage()),
                    "BuildPipelineSyncStages: "
                            + names(forward)
                            + " (expected: "
                            + sample.stage()
                            + ")");
            Breach.unless(
                    stages.stream().allMatch(stage -> stage.getIndex() == Requests.INDEX),
                    "BuildPipelineSyncStages: an index that was not asked for (expected: "
                            + Requests.INDEX
                            + ")");
        }
    }

    private void quickSync(boolean rollback) {
        var request = BuildQuickSyncStagesRequest.newBuilder().setRollback(rollback).build();
        planned(
                "BuildQuickSyncStages",
                subject.calls().buildQuickSyncStages(request).getStagesList(),
                rollback);
    }

    private void planned(String call, List<PipelineStage> stages, boolean rollback) {
        for (var stage : stages) {
            Breach.unless(
                    offered.contains(stage.getName()),
                    call + ": " + stage.getName() + " (expected: one of " + offered + ")");
            Breach.unless(
                    rollback || !stage.getRollback(),
                    call + ": a rollback stage (expected: none, as none was asked for)");
            Breach.unless(
                    stage.getStatus() == StageStatus.STAGE_NOT_STARTED_YET
                            && stage.getCreatedAt() > 0
                            && stage.getUpdatedAt() > 0,
                    call + ": a stage that is begun or has no dates (expected: not started)");
        }
    }

    static List<String> names(List<PipelineStage> stages) {
        return stages.stream().map(PipelineStage::getName).toList();
    }

    private void liveState() {
        var request =
                GetLivestateRequest.newBuilder()
                        .setPipedId("piped")
                        .setApplicationId("application")
                        .setApplicationName("site")
                        .setDeploySource(requests.source())
                        .addAllDeployTargets(requests.trial().targets().keySet())
                        .build();
        Optional<GetLivestateResponse> answer;
        try {
            answer =
                    Optional.of(
                            LivestateServiceGrpc.newBlockingStub(subject.channel())
                                    .withDeadlineAfter(limits.answer())
                                    .getLivestate(request));
        } catch (StatusRuntimeException e) {
            // None, or none that can look at what is not there: both may be.
            answer = Optional.empty();
        }
        for (var resource :
                answer.map(found -> found.getApplicationLiveState().getResourcesList())
                        .orElse(List.of()))
            Breach.unless(
                    !resource.getId().isEmpty()
                            && !resource.getName().isEmpty()
                            && resource.getCreatedAt() > 0
                            && resource.getUpdatedAt() > 0,
                    "GetLivestate: a resource without id, name or dates (expected: all of them)");
    }

    private void planPreview() {
        var targets = requests.trial().targets().keySet();
        var request =
                GetPlanPreviewRequest.newBuilder()
                        .setPipedId("piped")
                        .setApplicationId("application")
                        .setApplicationName("site")
                        .setTargetDeploymentSource(requests.source())
                        .setRunningDeploymentSource(requests.source())
                        .addAllDeployTargets(targets)
                        .build();
        GetPlanPreviewResponse answer;
        try {
            answer =
                    PlanPreviewServiceGrpc.newBlockingStub(subject.channel())
                            .withDeadlineAfter(limits.answer())
                            .getPlanPreview(request);
        } catch (StatusRuntimeException e) {
            answer = GetPlanPreviewResponse.getDefaultInstance();
        }
        for (var result : answer.getResultsList())
            Breach.unless(
                    targets.contains(result.getDeployTarget()),
                    "GetPlanPreview: target \"%s\" (expected: one of %s)"
                            .formatted(result.getDeployTarget(), targets));
    }
}
