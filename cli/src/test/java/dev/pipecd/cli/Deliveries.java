// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.api.GetCommandResponse;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.api.RegisterEventResponse;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.api.SyncApplicationResponse;
import dev.pipecd.wire.delivery.GetEventRequest;
import dev.pipecd.wire.delivery.GetEventResponse;
import dev.pipecd.wire.delivery.GetStageLogRequest;
import dev.pipecd.wire.delivery.GetStageLogResponse;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import io.grpc.Status;
import java.util.stream.Stream;

/// What a control plane answers around a delivery.
final class Deliveries {
    /// As our control plane says it while its database restarts.
    static final Status STORE_AWAY =
            Status.UNAVAILABLE.withDescription(
                    "store: unavailable. Look at the log of the control plane and at its database, then try again.");

    private Deliveries() {}

    static void synced(RecordingApiService api, String deployment) {
        api.answer(
                        SyncApplicationRequest.class,
                        SyncApplicationResponse.newBuilder().setCommandId("c1").build())
                .answer(
                        GetCommandRequest.class,
                        GetCommandResponse.newBuilder()
                                .setCommand(
                                        Command.newBuilder()
                                                .setId("c1")
                                                .setStatus(CommandStatus.COMMAND_SUCCEEDED)
                                                .putMetadata("TriggeredDeploymentID", deployment))
                                .build())
                .answer(GetStageLogRequest.class, lines(false));
    }

    static void registered(RecordingApiService api, EventStatus status) {
        api.answer(
                        RegisterEventRequest.class,
                        RegisterEventResponse.newBuilder().setEventId("e1").build())
                .answer(
                        GetEventRequest.class,
                        GetEventResponse.newBuilder()
                                .setEvent(
                                        Event.newBuilder()
                                                .setId("e1")
                                                .setStatus(status)
                                                .setStatusDescription("no file to change"))
                                .build())
                .answer(GetStageLogRequest.class, lines(false));
    }

    static GetDeploymentResponse seen(DeploymentStatus status, StageStatus stage) {
        return GetDeploymentResponse.newBuilder()
                .setDeployment(
                        deployment("d1", status).toBuilder()
                                .addStages(
                                        PipelineStage.newBuilder()
                                                .setId("s1")
                                                .setName("SCRIPT_RUN")
                                                .setStatus(stage)))
                .build();
    }

    static Deployment deployment(String id, DeploymentStatus status) {
        return Deployment.newBuilder()
                .setId(id)
                .setApplicationId("a1")
                .setApplicationName("site")
                .setStatus(status)
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setCommit(Commit.newBuilder().setHash("0123abc")))
                .build();
    }

    static Deployment caused(String id, String application, String commit) {
        return Deployment.newBuilder()
                .setId(id)
                .setApplicationId(application)
                .setDeploymentTraceCommitHash(commit)
                .build();
    }

    static ListDeploymentsResponse listed(Deployment... deployments) {
        return ListDeploymentsResponse.newBuilder()
                .addAllDeployments(Stream.of(deployments).toList())
                .build();
    }

    static GetStageLogResponse lines(boolean completed, LogBlock... blocks) {
        return GetStageLogResponse.newBuilder()
                .addAllBlocks(Stream.of(blocks).toList())
                .setCompleted(completed)
                .build();
    }

    static LogBlock line(int index, String text) {
        return LogBlock.newBuilder()
                .setIndex(index)
                .setLog(text)
                .setCreatedAt(1_794_772_800)
                .build();
    }
}
