// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.chain.ChainMoves;
import dev.pipecd.controlplane.deployment.DeploymentReport;
import dev.pipecd.controlplane.deployment.DeploymentReports;
import dev.pipecd.controlplane.deployment.StageLogs;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.piped.*;
import io.grpc.stub.StreamObserver;

/// Takes what agents report and ask of their deployments.
public final class AgentDeploymentsDoor extends PipedServiceGrpc.PipedServiceImplBase {
    private final DeploymentReports deployments;
    private final StageLogs logs;
    private final ChainMoves chains;

    public AgentDeploymentsDoor(DeploymentReports deployments, StageLogs logs, ChainMoves chains) {
        this.deployments = deployments;
        this.logs = logs;
        this.chains = chains;
    }

    @Override
    public void getDeployment(
            GetDeploymentRequest request, StreamObserver<GetDeploymentResponse> answer) {
        var found = deployments.get(Caller.currentAgent(), Ids.deployment(request.getId()));
        Reply.with(answer, GetDeploymentResponse.newBuilder().setDeployment(found).build());
    }

    @Override
    public void listNotCompletedDeployments(
            ListNotCompletedDeploymentsRequest request,
            StreamObserver<ListNotCompletedDeploymentsResponse> answer) {
        // everything at once and no cursor: agents ask until the cursor is empty
        Reply.with(
                answer,
                ListNotCompletedDeploymentsResponse.newBuilder()
                        .addAllDeployments(deployments.live(Caller.currentAgent()))
                        .build());
    }

    @Override
    public void createDeployment(
            CreateDeploymentRequest request, StreamObserver<CreateDeploymentResponse> answer) {
        deployments.create(Caller.currentAgent(), request.getDeployment());
        follow(request.getDeployment());
        Reply.with(answer, CreateDeploymentResponse.getDefaultInstance());
    }

    @Override
    public void reportDeploymentPlanned(
            ReportDeploymentPlannedRequest request,
            StreamObserver<ReportDeploymentPlannedResponse> answer) {
        report(request.getDeploymentId(), Given.report(request));
        Reply.with(answer, ReportDeploymentPlannedResponse.getDefaultInstance());
    }

    @Override
    public void reportDeploymentStatusChanged(
            ReportDeploymentStatusChangedRequest request,
            StreamObserver<ReportDeploymentStatusChangedResponse> answer) {
        report(request.getDeploymentId(), Given.report(request));
        Reply.with(answer, ReportDeploymentStatusChangedResponse.getDefaultInstance());
    }

    @Override
    public void reportDeploymentCompleted(
            ReportDeploymentCompletedRequest request,
            StreamObserver<ReportDeploymentCompletedResponse> answer) {
        report(request.getDeploymentId(), Given.report(request));
        Reply.with(answer, ReportDeploymentCompletedResponse.getDefaultInstance());
    }

    @Override
    public void reportStageStatusChanged(
            ReportStageStatusChangedRequest request,
            StreamObserver<ReportStageStatusChangedResponse> answer) {
        report(request.getDeploymentId(), Given.report(request));
        Reply.with(answer, ReportStageStatusChangedResponse.getDefaultInstance());
    }

    @Override
    public void saveDeploymentMetadata(
            SaveDeploymentMetadataRequest request,
            StreamObserver<SaveDeploymentMetadataResponse> answer) {
        deployments.saveMetadata(
                Caller.currentAgent(),
                Ids.deployment(request.getDeploymentId()),
                request.getMetadataMap());
        Reply.with(answer, SaveDeploymentMetadataResponse.getDefaultInstance());
    }

    @Override
    public void saveDeploymentSharedMetadata(
            SaveDeploymentSharedMetadataRequest request,
            StreamObserver<SaveDeploymentSharedMetadataResponse> answer) {
        deployments.saveSharedMetadata(
                Caller.currentAgent(),
                Ids.deployment(request.getDeploymentId()),
                request.getMetadataMap());
        Reply.with(answer, SaveDeploymentSharedMetadataResponse.getDefaultInstance());
    }

    @Override
    public void saveDeploymentPluginMetadata(
            SaveDeploymentPluginMetadataRequest request,
            StreamObserver<SaveDeploymentPluginMetadataResponse> answer) {
        deployments.savePluginMetadata(
                Caller.currentAgent(),
                Ids.deployment(request.getDeploymentId()),
                request.getPluginName(),
                request.getMetadataMap());
        Reply.with(answer, SaveDeploymentPluginMetadataResponse.getDefaultInstance());
    }

    @Override
    public void saveStageMetadata(
            SaveStageMetadataRequest request, StreamObserver<SaveStageMetadataResponse> answer) {
        deployments.saveStageMetadata(
                Caller.currentAgent(),
                Ids.deployment(request.getDeploymentId()),
                Ids.stage(request.getStageId()),
                request.getMetadataMap());
        Reply.with(answer, SaveStageMetadataResponse.getDefaultInstance());
    }

    @Override
    public void reportStageLogs(
            ReportStageLogsRequest request, StreamObserver<ReportStageLogsResponse> answer) {
        logs.append(
                Caller.currentAgent(),
                Given.log(
                        request.getDeploymentId(), request.getStageId(), request.getRetriedCount()),
                request.getBlocksList(),
                false);
        Reply.with(answer, ReportStageLogsResponse.getDefaultInstance());
    }

    @Override
    public void reportStageLogsFromLastCheckpoint(
            ReportStageLogsFromLastCheckpointRequest request,
            StreamObserver<ReportStageLogsFromLastCheckpointResponse> answer) {
        logs.append(
                Caller.currentAgent(),
                Given.log(
                        request.getDeploymentId(), request.getStageId(), request.getRetriedCount()),
                request.getBlocksList(),
                request.getCompleted());
        Reply.with(answer, ReportStageLogsFromLastCheckpointResponse.getDefaultInstance());
    }

    private void report(String deployment, DeploymentReport report) {
        follow(deployments.report(Caller.currentAgent(), Ids.deployment(deployment), report));
    }

    /// Before the agent is told: if we die here it reports again, and the chain moves then.
    private void follow(Deployment deployment) {
        if (deployment.getDeploymentChainId().isEmpty()) return;
        var _ = chains.follow(deployment.getDeploymentChainId());
    }
}
