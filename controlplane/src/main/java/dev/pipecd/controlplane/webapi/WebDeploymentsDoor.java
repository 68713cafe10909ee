// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.deployment.Deployments;
import dev.pipecd.controlplane.deployment.StageLogs;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.wire.web.*;
import io.grpc.stub.StreamObserver;

/// Takes what people ask about deployments and what became of their orders.
public final class WebDeploymentsDoor extends WebServiceGrpc.WebServiceImplBase {
    private final Deployments deployments;
    private final StageLogs logs;
    private final Commands commands;

    public WebDeploymentsDoor(Deployments deployments, StageLogs logs, Commands commands) {
        this.deployments = deployments;
        this.logs = logs;
        this.commands = commands;
    }

    @Override
    public void listDeployments(
            ListDeploymentsRequest request, StreamObserver<ListDeploymentsResponse> answer) {
        var person = Caller.currentPerson();
        var page =
                deployments.page(
                        person,
                        Filters.of(person.project(), request),
                        Cursor.parse(request.getCursor()),
                        request.getPageSize());
        Reply.with(
                answer,
                ListDeploymentsResponse.newBuilder()
                        .addAllDeployments(page.items())
                        .setCursor(page.cursor())
                        .build());
    }

    @Override
    public void getDeployment(
            GetDeploymentRequest request, StreamObserver<GetDeploymentResponse> answer) {
        var found =
                deployments.get(Caller.currentPerson(), Ids.deployment(request.getDeploymentId()));
        Reply.with(answer, GetDeploymentResponse.newBuilder().setDeployment(found).build());
    }

    @Override
    public void getStageLog(
            GetStageLogRequest request, StreamObserver<GetStageLogResponse> answer) {
        var place =
                new StageLogs.Place(
                        Ids.deployment(request.getDeploymentId()),
                        Ids.stage(request.getStageId()),
                        request.getRetriedCount());
        var part = logs.read(Caller.currentPerson(), place, request.getOffsetIndex());
        Reply.with(
                answer,
                GetStageLogResponse.newBuilder()
                        .addAllBlocks(part.blocks())
                        .setCompleted(part.completed())
                        .build());
    }

    @Override
    public void cancelDeployment(
            CancelDeploymentRequest request, StreamObserver<CancelDeploymentResponse> answer) {
        var command =
                deployments.cancel(
                        Caller.currentPerson(),
                        Ids.deployment(request.getDeploymentId()),
                        Filters.rollback(request));
        Reply.with(
                answer,
                CancelDeploymentResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void approveStage(
            ApproveStageRequest request, StreamObserver<ApproveStageResponse> answer) {
        var command =
                deployments.approve(
                        Caller.currentPerson(),
                        Ids.deployment(request.getDeploymentId()),
                        Ids.stage(request.getStageId()));
        Reply.with(answer, ApproveStageResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void skipStage(SkipStageRequest request, StreamObserver<SkipStageResponse> answer) {
        var command =
                deployments.skip(
                        Caller.currentPerson(),
                        Ids.deployment(request.getDeploymentId()),
                        Ids.stage(request.getStageId()));
        Reply.with(answer, SkipStageResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void getCommand(GetCommandRequest request, StreamObserver<GetCommandResponse> answer) {
        var id = Ids.command(request.getCommandId());
        var found = commands.get(Caller.currentPerson(), id);
        Reply.with(answer, GetCommandResponse.newBuilder().setCommand(found).build());
    }
}
