// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.application.ApplicationReports;
import dev.pipecd.controlplane.application.Suggestions;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.wire.piped.*;
import io.grpc.stub.StreamObserver;

/// Takes what agents report and ask of their applications.
public final class AgentApplicationsDoor extends PipedServiceGrpc.PipedServiceImplBase {
    private final ApplicationReports applications;
    private final Suggestions suggestions;

    public AgentApplicationsDoor(ApplicationReports applications, Suggestions suggestions) {
        this.applications = applications;
        this.suggestions = suggestions;
    }

    @Override
    public void listApplications(
            ListApplicationsRequest request, StreamObserver<ListApplicationsResponse> answer) {
        Reply.with(
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
                Ids.application(request.getApplicationId()),
                request.getState());
        Reply.with(answer, ReportApplicationSyncStateResponse.getDefaultInstance());
    }

    @Override
    public void reportApplicationDeployingStatus(
            ReportApplicationDeployingStatusRequest request,
            StreamObserver<ReportApplicationDeployingStatusResponse> answer) {
        applications.deploying(
                Caller.currentAgent(),
                Ids.application(request.getApplicationId()),
                request.getDeploying());
        Reply.with(answer, ReportApplicationDeployingStatusResponse.getDefaultInstance());
    }

    @Override
    public void reportApplicationMostRecentDeployment(
            ReportApplicationMostRecentDeploymentRequest request,
            StreamObserver<ReportApplicationMostRecentDeploymentResponse> answer) {
        applications.mostRecent(
                Caller.currentAgent(),
                Ids.application(request.getApplicationId()),
                request.getStatus(),
                request.getDeployment());
        Reply.with(answer, ReportApplicationMostRecentDeploymentResponse.getDefaultInstance());
    }

    @Override
    public void getApplicationMostRecentDeployment(
            GetApplicationMostRecentDeploymentRequest request,
            StreamObserver<GetApplicationMostRecentDeploymentResponse> answer) {
        var deployment =
                applications.mostRecent(
                        Caller.currentAgent(),
                        Ids.application(request.getApplicationId()),
                        request.getStatus());
        Reply.with(
                answer,
                GetApplicationMostRecentDeploymentResponse.newBuilder()
                        .setDeployment(deployment)
                        .build());
    }

    @Override
    public void updateApplicationConfigurations(
            UpdateApplicationConfigurationsRequest request,
            StreamObserver<UpdateApplicationConfigurationsResponse> answer) {
        applications.configurations(Caller.currentAgent(), request.getApplicationsList());
        Reply.with(answer, UpdateApplicationConfigurationsResponse.getDefaultInstance());
    }

    @Override
    public void reportUnregisteredApplicationConfigurations(
            ReportUnregisteredApplicationConfigurationsRequest request,
            StreamObserver<ReportUnregisteredApplicationConfigurationsResponse> answer) {
        suggestions.replace(Caller.currentAgent(), request.getApplicationsList());
        Reply.with(
                answer, ReportUnregisteredApplicationConfigurationsResponse.getDefaultInstance());
    }

    @Override
    public void getApplicationSharedObject(
            GetApplicationSharedObjectRequest request,
            StreamObserver<GetApplicationSharedObjectResponse> answer) {
        var object =
                applications.sharedObject(
                        Caller.currentAgent(),
                        Ids.application(request.getApplicationId()),
                        request.getPluginName(),
                        request.getKey());
        Reply.with(
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
                Ids.application(request.getApplicationId()),
                request.getPluginName(),
                request.getKey(),
                request.getObject().toByteArray());
        Reply.with(answer, PutApplicationSharedObjectResponse.getDefaultInstance());
    }
}
