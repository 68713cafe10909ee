// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.application.ApplicationReports;
import dev.pipecd.controlplane.application.Suggestions;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.deployment.DeploymentReport;
import dev.pipecd.controlplane.deployment.DeploymentReports;
import dev.pipecd.controlplane.deployment.StageLogs;
import dev.pipecd.wire.piped.*;
import io.grpc.stub.StreamObserver;

/// Takes what agents report and ask; each call is the agent's own and nobody else's.
public final class PipedServiceDoor extends PipedServiceGrpc.PipedServiceImplBase {
    private final About piped;
    private final ApplicationReports applications;
    private final Suggestions suggestions;
    private final DeploymentReports deployments;
    private final StageLogs logs;
    private final Commands commands;

    public PipedServiceDoor(
            About piped,
            ApplicationReports applications,
            Suggestions suggestions,
            DeploymentReports deployments,
            StageLogs logs,
            Commands commands) {
        this.piped = piped;
        this.applications = applications;
        this.suggestions = suggestions;
        this.deployments = deployments;
        this.logs = logs;
        this.commands = commands;
    }

    @Override
    public void reportStat(ReportStatRequest request, StreamObserver<ReportStatResponse> answer) {
        piped.reports().alive(Caller.currentAgent());
        answer(answer, ReportStatResponse.getDefaultInstance());
    }

    @Override
    public void reportPipedMeta(
            ReportPipedMetaRequest request, StreamObserver<ReportPipedMetaResponse> answer) {
        var stored = piped.reports().started(Caller.currentAgent(), About.told(request));
        answer(
                answer,
                ReportPipedMetaResponse.newBuilder()
                        .setName(stored.getName())
                        .setWebBaseUrl(piped.webAddress())
                        .build());
    }

    @Override
    public void listApplications(
            ListApplicationsRequest request, StreamObserver<ListApplicationsResponse> answer) {
        answer(
                answer,
                ListApplicationsResponse.newBuilder()
                        .addAllApplications(applications.list(Caller.currentAgent()))
                        .build());
    }

    @Override
    public void reportApplicationSyncState(
            ReportApplicationSyncStateRequest request,
            StreamObserver<ReportApplicationSyncStateResponse> answer) {
        applications.syncState(
                Caller.currentAgent(),
                Given.application(request.getApplicationId()),
                request.getState());
        answer(answer, ReportApplicationSyncStateResponse.getDefaultInstance());
    }

    @Override
    public void reportApplicationDeployingStatus(
            ReportApplicationDeployingStatusRequest request,
            StreamObserver<ReportApplicationDeployingStatusResponse> answer) {
        applications.deploying(
                Caller.currentAgent(),
                Given.application(request.getApplicationId()),
                request.getDeploying());
        answer(answer, ReportApplicationDeployingStatusResponse.getDefaultInstance());
    }

    @Override
    public void reportApplicationMostRecentDeployment(
            ReportApplicationMostRecentDeploymentRequest request,
            StreamObserver<ReportApplicationMostRecentDeploymentResponse> answer) {
        applications.mostRecent(
                Caller.currentAgent(),
                Given.application(request.getApplicationId()),
                request.getStatus(),
                request.getDeployment());
        answer(answer, ReportApplicationMostRecentDeploymentResponse.getDefaultInstance());
    }

    @Override
    public void getApplicationMostRecentDeployment(
            GetApplicationMostRecentDeploymentRequest request,
            StreamObserver<GetApplicationMostRecentDeploymentResponse> answer) {
        var deployment =
                applications.mostRecent(
                        Caller.currentAgent(),
                        Given.application(request.getApplicationId()),
                        request.getStatus());
        answer(
                answer,
                GetApplicationMostRecentDeploymentResponse.newBuilder()
                        .setDeployment(deployment)
                        .build());
    }

    @Override
    public void getDeployment(
            GetDeploymentRequest request, StreamObserver<GetDeploymentResponse> answer) {
        var found = deployments.get(Caller.currentAgent(), Given.deployment(request.getId()));
        answer(answer, GetDeploymentResponse.newBuilder().setDeployment(found).build());
    }

    @Override
    public void listNotCompletedDeployments(
            ListNotCompletedDeploymentsRequest request,
            StreamObserver<ListNotCompletedDeploymentsResponse> answer) {
        // everything at once and no cursor: agents ask until the cursor is empty
        answer(
                answer,
                ListNotCompletedDeploymentsResponse.newBuilder()
                        .addAllDeployments(deployments.live(Caller.currentAgent()))
                        .build());
    }

    @Override
    public void createDeployment(
            CreateDeploymentRequest request, StreamObserver<CreateDeploymentResponse> answer) {
        deployments.create(Caller.currentAgent(), request.getDeployment());
        answer(answer, CreateDeploymentResponse.getDefaultInstance());
    }

    @Override
    public void reportDeploymentPlanned(
            ReportDeploymentPlannedRequest request,
            StreamObserver<ReportDeploymentPlannedResponse> answer) {
        report(request.getDeploymentId(), Given.report(request));
        answer(answer, ReportDeploymentPlannedResponse.getDefaultInstance());
    }

    @Override
    public void reportDeploymentStatusChanged(
            ReportDeploymentStatusChangedRequest request,
            StreamObserver<ReportDeploymentStatusChangedResponse> answer) {
        report(request.getDeploymentId(), Given.report(request));
        answer(answer, ReportDeploymentStatusChangedResponse.getDefaultInstance());
    }

    @Override
    public void reportDeploymentCompleted(
            ReportDeploymentCompletedRequest request,
            StreamObserver<ReportDeploymentCompletedResponse> answer) {
        report(request.getDeploymentId(), Given.report(request));
        answer(answer, ReportDeploymentCompletedResponse.getDefaultInstance());
    }

    @Override
    public void reportStageStatusChanged(
            ReportStageStatusChangedRequest request,
            StreamObserver<ReportStageStatusChangedResponse> answer) {
        report(request.getDeploymentId(), Given.report(request));
        answer(answer, ReportStageStatusChangedResponse.getDefaultInstance());
    }

    @Override
    public void saveDeploymentMetadata(
            SaveDeploymentMetadataRequest request,
            StreamObserver<SaveDeploymentMetadataResponse> answer) {
        deployments.saveMetadata(
                Caller.currentAgent(),
                Given.deployment(request.getDeploymentId()),
                request.getMetadataMap());
        answer(answer, SaveDeploymentMetadataResponse.getDefaultInstance());
    }

    @Override
    public void saveDeploymentSharedMetadata(
            SaveDeploymentSharedMetadataRequest request,
            StreamObserver<SaveDeploymentSharedMetadataResponse> answer) {
        deployments.saveSharedMetadata(
                Caller.currentAgent(),
                Given.deployment(request.getDeploymentId()),
                request.getMetadataMap());
        answer(answer, SaveDeploymentSharedMetadataResponse.getDefaultInstance());
    }

    @Override
    public void saveDeploymentPluginMetadata(
            SaveDeploymentPluginMetadataRequest request,
            StreamObserver<SaveDeploymentPluginMetadataResponse> answer) {
        deployments.savePluginMetadata(
                Caller.currentAgent(),
                Given.deployment(request.getDeploymentId()),
                request.getPluginName(),
                request.getMetadataMap());
        answer(answer, SaveDeploymentPluginMetadataResponse.getDefaultInstance());
    }

    @Override
    public void saveStageMetadata(
            SaveStageMetadataRequest request, StreamObserver<SaveStageMetadataResponse> answer) {
        deployments.saveStageMetadata(
                Caller.currentAgent(),
                Given.deployment(request.getDeploymentId()),
                Given.stage(request.getStageId()),
                request.getMetadataMap());
        answer(answer, SaveStageMetadataResponse.getDefaultInstance());
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
        answer(answer, ReportStageLogsResponse.getDefaultInstance());
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
        answer(answer, ReportStageLogsFromLastCheckpointResponse.getDefaultInstance());
    }

    @Override
    public void listUnhandledCommands(
            ListUnhandledCommandsRequest request,
            StreamObserver<ListUnhandledCommandsResponse> answer) {
        answer(
                answer,
                ListUnhandledCommandsResponse.newBuilder()
                        .addAllCommands(commands.unhandled(Caller.currentAgent()))
                        .build());
    }

    @Override
    public void reportCommandHandled(
            ReportCommandHandledRequest request,
            StreamObserver<ReportCommandHandledResponse> answer) {
        commands.handled(Caller.currentAgent(), Given.answer(request));
        answer(answer, ReportCommandHandledResponse.getDefaultInstance());
    }

    @Override
    public void updateApplicationConfigurations(
            UpdateApplicationConfigurationsRequest request,
            StreamObserver<UpdateApplicationConfigurationsResponse> answer) {
        applications.configurations(Caller.currentAgent(), request.getApplicationsList());
        answer(answer, UpdateApplicationConfigurationsResponse.getDefaultInstance());
    }

    @Override
    public void reportUnregisteredApplicationConfigurations(
            ReportUnregisteredApplicationConfigurationsRequest request,
            StreamObserver<ReportUnregisteredApplicationConfigurationsResponse> answer) {
        suggestions.replace(Caller.currentAgent(), request.getApplicationsList());
        answer(answer, ReportUnregisteredApplicationConfigurationsResponse.getDefaultInstance());
    }

    @Override
    public void getDesiredVersion(
            GetDesiredVersionRequest request, StreamObserver<GetDesiredVersionResponse> answer) {
        answer(
                answer,
                GetDesiredVersionResponse.newBuilder()
                        .setVersion(piped.reports().desiredVersion(Caller.currentAgent()))
                        .build());
    }

    @Override
    public void getApplicationSharedObject(
            GetApplicationSharedObjectRequest request,
            StreamObserver<GetApplicationSharedObjectResponse> answer) {
        var object =
                applications.sharedObject(
                        Caller.currentAgent(),
                        Given.application(request.getApplicationId()),
                        request.getPluginName(),
                        request.getKey());
        answer(
                answer,
                GetApplicationSharedObjectResponse.newBuilder()
                        .setObject(ByteString.copyFrom(object))
                        .build());
    }

    @Override
    public void putApplicationSharedObject(
            PutApplicationSharedObjectRequest request,
            StreamObserver<PutApplicationSharedObjectResponse> answer) {
        applications.putSharedObject(
                Caller.currentAgent(),
                Given.application(request.getApplicationId()),
                request.getPluginName(),
                request.getKey(),
                request.getObject().toByteArray());
        answer(answer, PutApplicationSharedObjectResponse.getDefaultInstance());
    }

    private void report(String deployment, DeploymentReport report) {
        deployments.report(Caller.currentAgent(), Given.deployment(deployment), report);
    }

    private static <T extends Message> void answer(StreamObserver<T> observer, T answer) {
        observer.onNext(answer);
        observer.onCompleted();
    }
}
