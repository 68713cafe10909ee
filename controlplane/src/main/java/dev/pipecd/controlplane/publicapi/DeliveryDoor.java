// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.publicapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.deployment.Deployments;
import dev.pipecd.controlplane.deployment.StageLogs;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.event.Events;
import dev.pipecd.wire.delivery.*;
import io.grpc.stub.StreamObserver;

/// Takes what the last step of a pipeline asks beyond the public API: to steer a deployment and to
/// follow it.
public final class DeliveryDoor extends DeliveryServiceGrpc.DeliveryServiceImplBase {
    private final Deployments deployments;
    private final StageLogs logs;
    private final Events events;

    public DeliveryDoor(Deployments deployments, StageLogs logs, Events events) {
        this.deployments = deployments;
        this.logs = logs;
        this.events = events;
    }

    @Override
    public void approveStage(
            ApproveStageRequest request, StreamObserver<ApproveStageResponse> answer) {
        var command =
                deployments.approve(
                        Caller.currentKeyHolder(),
                        Ids.deployment(request.getDeploymentId()),
                        Ids.stage(request.getStageId()));
        Reply.with(answer, ApproveStageResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void cancelDeployment(
            CancelDeploymentRequest request, StreamObserver<CancelDeploymentResponse> answer) {
        var rollback =
                switch (request.getRollback()) {
                    case ROLLBACK_ALWAYS -> Deployments.Rollback.ALWAYS;
                    case ROLLBACK_NEVER -> Deployments.Rollback.NEVER;
                    case ROLLBACK_AS_CONFIGURED, UNRECOGNIZED -> Deployments.Rollback.AS_CONFIGURED;
                };
        var command =
                deployments.cancel(
                        Caller.currentKeyHolder(),
                        Ids.deployment(request.getDeploymentId()),
                        rollback);
        Reply.with(
                answer,
                CancelDeploymentResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void getStageLog(
            GetStageLogRequest request, StreamObserver<GetStageLogResponse> answer) {
        var place =
                new StageLogs.Place(
                        Ids.deployment(request.getDeploymentId()),
                        Ids.stage(request.getStageId()),
                        request.getRetriedCount());
        var part = logs.follow(Caller.currentKeyHolder(), place, request.getOffsetIndex());
        Reply.with(
                answer,
                GetStageLogResponse.newBuilder()
                        .addAllBlocks(part.blocks())
                        .setCompleted(part.completed())
                        .build());
    }

    @Override
    public void getEvent(GetEventRequest request, StreamObserver<GetEventResponse> answer) {
        var found =
                events.get(Caller.currentKeyHolder(), Ids.given("event_id", request.getEventId()));
        Reply.with(answer, GetEventResponse.newBuilder().setEvent(found).build());
    }
}
