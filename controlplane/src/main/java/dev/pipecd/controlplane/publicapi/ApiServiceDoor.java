// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.publicapi;

import com.google.protobuf.Message;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.application.Applications;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.deployment.Deployments;
import dev.pipecd.controlplane.deployment.StageLogs;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.paging.Ids;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.AddApplicationRequest;
import dev.pipecd.wire.api.AddApplicationResponse;
import dev.pipecd.wire.api.DisablePipedRequest;
import dev.pipecd.wire.api.DisablePipedResponse;
import dev.pipecd.wire.api.EnablePipedRequest;
import dev.pipecd.wire.api.EnablePipedResponse;
import dev.pipecd.wire.api.GetApplicationRequest;
import dev.pipecd.wire.api.GetApplicationResponse;
import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.api.GetCommandResponse;
import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.api.GetPipedRequest;
import dev.pipecd.wire.api.GetPipedResponse;
import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.api.ListApplicationsResponse;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import dev.pipecd.wire.api.ListStageLogsRequest;
import dev.pipecd.wire.api.ListStageLogsResponse;
import dev.pipecd.wire.api.RegisterPipedRequest;
import dev.pipecd.wire.api.RegisterPipedResponse;
import dev.pipecd.wire.api.StageLog;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.api.SyncApplicationResponse;
import dev.pipecd.wire.model.SyncStrategy;
import io.grpc.stub.StreamObserver;

/// Takes what holders of an API key ask.
public final class ApiServiceDoor extends APIServiceGrpc.APIServiceImplBase {
    private final Pipeds pipeds;
    private final Applications applications;
    private final Deployments deployments;
    private final StageLogs logs;
    private final Commands commands;

    public ApiServiceDoor(
            Pipeds pipeds,
            Applications applications,
            Deployments deployments,
            StageLogs logs,
            Commands commands) {
        this.pipeds = pipeds;
        this.applications = applications;
        this.deployments = deployments;
        this.logs = logs;
        this.commands = commands;
    }

    @Override
    public void addApplication(
            AddApplicationRequest request, StreamObserver<AddApplicationResponse> answer) {
        var id = applications.add(holder(), Filters.draft(request));
        answer(answer, AddApplicationResponse.newBuilder().setApplicationId(id.value()).build());
    }

    @Override
    public void syncApplication(
            SyncApplicationRequest request, StreamObserver<SyncApplicationResponse> answer) {
        var command =
                applications.sync(
                        holder(), application(request.getApplicationId()), SyncStrategy.AUTO);
        answer(answer, SyncApplicationResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void getApplication(
            GetApplicationRequest request, StreamObserver<GetApplicationResponse> answer) {
        var found = applications.get(holder(), application(request.getApplicationId()));
        answer(answer, GetApplicationResponse.newBuilder().setApplication(found).build());
    }

    @Override
    public void listApplications(
            ListApplicationsRequest request, StreamObserver<ListApplicationsResponse> answer) {
        var holder = holder();
        var page =
                applications.page(
                        holder,
                        Filters.of(holder.project(), request),
                        Cursor.parse(request.getCursor()),
                        request.getLimit());
        answer(
                answer,
                ListApplicationsResponse.newBuilder()
                        .addAllApplications(page.items())
                        .setCursor(page.cursor())
                        .build());
    }

    @Override
    public void getDeployment(
            GetDeploymentRequest request, StreamObserver<GetDeploymentResponse> answer) {
        var found = deployments.get(holder(), deployment(request.getDeploymentId()));
        answer(answer, GetDeploymentResponse.newBuilder().setDeployment(found).build());
    }

    @Override
    public void listDeployments(
            ListDeploymentsRequest request, StreamObserver<ListDeploymentsResponse> answer) {
        var holder = holder();
        var page =
                deployments.page(
                        holder,
                        Filters.of(holder.project(), request),
                        Cursor.parse(request.getCursor()),
                        request.getLimit());
        answer(
                answer,
                ListDeploymentsResponse.newBuilder()
                        .addAllDeployments(page.items())
                        .setCursor(page.cursor())
                        .build());
    }

    @Override
    public void listStageLogs(
            ListStageLogsRequest request, StreamObserver<ListStageLogsResponse> answer) {
        var found = ListStageLogsResponse.newBuilder();
        logs.readAll(holder(), deployment(request.getDeploymentId()))
                .forEach((stage, part) ->
                        found.putStageLogs(
                                stage,
                                StageLog.newBuilder()
                                        .addAllBlocks(part.blocks())
                                        .setCompleted(part.completed())
                                        .build()));
        answer(answer, found.build());
    }

    @Override
    public void getCommand(GetCommandRequest request, StreamObserver<GetCommandResponse> answer) {
        var id = new CommandId(Ids.given("command_id", request.getCommandId()));
        var found = commands.get(holder(), id);
        answer(answer, GetCommandResponse.newBuilder().setCommand(found).build());
    }

    @Override
    public void getPiped(GetPipedRequest request, StreamObserver<GetPipedResponse> answer) {
        var found = pipeds.get(holder(), piped(request.getPipedId()));
        answer(answer, GetPipedResponse.newBuilder().setPiped(found).build());
    }

    @Override
    public void registerPiped(
            RegisterPipedRequest request, StreamObserver<RegisterPipedResponse> answer) {
        var registered = pipeds.register(holder(), request.getName(), request.getDesc());
        answer(
                answer,
                RegisterPipedResponse.newBuilder()
                        .setId(registered.id().value())
                        .setKey(registered.key())
                        .build());
    }

    @Override
    public void enablePiped(
            EnablePipedRequest request, StreamObserver<EnablePipedResponse> answer) {
        pipeds.enable(holder(), piped(request.getPipedId()));
        answer(answer, EnablePipedResponse.getDefaultInstance());
    }

    @Override
    public void disablePiped(
            DisablePipedRequest request, StreamObserver<DisablePipedResponse> answer) {
        pipeds.disable(holder(), piped(request.getPipedId()));
        answer(answer, DisablePipedResponse.getDefaultInstance());
    }

    private static Caller.KeyHolder holder() {
        if (Caller.current() instanceof Caller.KeyHolder holder) return holder;
        throw new Problem(
                Problem.Code.UNAUTHENTICATED,
                "Unauthenticated",
                "Only the holder of an API key may call this.");
    }

    private static ApplicationId application(String id) {
        return new ApplicationId(Ids.given("application_id", id));
    }

    private static DeploymentId deployment(String id) {
        return new DeploymentId(Ids.given("deployment_id", id));
    }

    private static PipedId piped(String id) {
        return new PipedId(Ids.given("piped_id", id));
    }

    private static <T extends Message> void answer(StreamObserver<T> observer, T answer) {
        observer.onNext(answer);
        observer.onCompleted();
    }
}
