// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.publicapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.deployment.Deployments;
import dev.pipecd.controlplane.deployment.StageLogs;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.wire.api.*;
import io.grpc.stub.StreamObserver;

/// Takes what holders of an API key ask about deployments and what became of their orders.
public final class ApiDeploymentsDoor extends APIServiceGrpc.APIServiceImplBase {
    private final Deployments deployments;
    private final StageLogs logs;
    private final Commands commands;

    public ApiDeploymentsDoor(Deployments deployments, StageLogs logs, Commands commands) {
        this.deployments = deployments;
        this.logs = logs;
        this.commands = commands;
    }

    @Override
    public void getDeployment(
            GetDeploymentRequest request, StreamObserver<GetDeploymentResponse> answer) {
        var found =
                deployments.get(
                        Caller.currentKeyHolder(), Ids.deployment(request.getDeploymentId()));
        Reply.with(answer, GetDeploymentResponse.newBuilder().setDeployment(found).build());
    }

    /// No limit is none, as with the public server: as many as one answer takes.
    @Override
    public void listDeployments(
            ListDeploymentsRequest request, StreamObserver<ListDeploymentsResponse> answer) {
        var holder = Caller.currentKeyHolder();
        var page =
                deployments.page(
                        holder,
                        Filters.of(holder.project(), request),
                        Cursor.parse(request.getCursor()),
                        request.getLimit() <= 0 ? Integer.MAX_VALUE : request.getLimit());
        Reply.with(
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
        logs.readAll(Caller.currentKeyHolder(), Ids.deployment(request.getDeploymentId()))
                .forEach((stage, part) ->
                        found.putStageLogs(
                                stage,
                                StageLog.newBuilder()
                                        .addAllBlocks(part.blocks())
                                        .setCompleted(part.completed())
                                        .build()));
        Reply.with(answer, found.build());
    }

    @Override
    public void getCommand(GetCommandRequest request, StreamObserver<GetCommandResponse> answer) {
        var id = Ids.command(request.getCommandId());
        var found = commands.get(Caller.currentKeyHolder(), id);
        Reply.with(answer, GetCommandResponse.newBuilder().setCommand(found).build());
    }
}
