// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.report.EachInTurn;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.ReportApplicationDeployingStatusRequest;
import dev.pipecd.wire.piped.ReportApplicationSyncStateRequest;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import dev.pipecd.wire.piped.ReportDeploymentCompletedRequest;
import dev.pipecd.wire.piped.ReportStageStatusChangedRequest;
import dev.pipecd.wire.piped.SaveDeploymentSharedMetadataRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// Takes every report and remembers it.
final class RecordingControlPlane implements EachInTurn {
    final List<String> calls = new CopyOnWriteArrayList<>();
    final List<ReportDeploymentCompletedRequest> completed = new CopyOnWriteArrayList<>();
    final List<ReportStageStatusChangedRequest> stages = new CopyOnWriteArrayList<>();

    final List<ReportCommandHandledRequest> handled = new CopyOnWriteArrayList<>();
    final List<ApplicationSyncState> states = new CopyOnWriteArrayList<>();

    /// What was told of applications, in order.
    final List<String> ofApplications = new CopyOnWriteArrayList<>();

    volatile boolean away;

    /// A call it refuses for good.
    volatile String refused = "";

    private final Map<String, Map<String, String>> marks = new ConcurrentHashMap<>();

    @Override
    public Outbox.Answer send(String call, byte[] body) {
        if (away) return new Outbox.Answer.ComeAgain("away");
        // First, since tests wait for the others.
        calls.add(call);
        if (call.equals(refused)) return new Outbox.Answer.Refused("INVALID_ARGUMENT: no");
        try {
            if (call.equals("ReportDeploymentCompleted"))
                completed.add(ReportDeploymentCompletedRequest.parseFrom(body));
            if (call.equals("ReportStageStatusChanged"))
                stages.add(ReportStageStatusChangedRequest.parseFrom(body));
            if (call.equals("ReportCommandHandled"))
                handled.add(ReportCommandHandledRequest.parseFrom(body));
            if (call.equals("ReportApplicationSyncState"))
                take(ReportApplicationSyncStateRequest.parseFrom(body).getState());
            if (call.equals("ReportApplicationDeployingStatus"))
                ofApplications.add(
                        "deploying: "
                                + ReportApplicationDeployingStatusRequest.parseFrom(body)
                                        .getDeploying());
            if (call.equals("SaveDeploymentSharedMetadata"))
                mark(SaveDeploymentSharedMetadataRequest.parseFrom(body));
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            return new Outbox.Answer.Refused("not a message: " + e.getMessage());
        }
        return new Outbox.Answer.Taken();
    }

    private void take(ApplicationSyncState state) {
        ofApplications.add(state.getStatus().name());
        states.add(state);
    }

    private void mark(SaveDeploymentSharedMetadataRequest request) {
        marks.computeIfAbsent(request.getDeploymentId(), _ -> new ConcurrentHashMap<>())
                .putAll(request.getMetadataMap());
    }

    /// The document, with the marks that were told of it.
    Deployment marked(Deployment.Builder document) {
        document.getMetadataV2Builder()
                .getSharedBuilder()
                .putAllKeyValues(marks.getOrDefault(document.getId(), Map.of()));
        return document.build();
    }

    Optional<ReportDeploymentCompletedRequest> completed(String id) {
        return completed.stream()
                .filter(r -> new DeploymentId(r.getDeploymentId()).equals(new DeploymentId(id)))
                .findFirst();
    }

    List<ReportStageStatusChangedRequest> stageReports(String stage, StageStatus status) {
        return stages.stream()
                .filter(r -> r.getStageId().equals(stage) && r.getStatus() == status)
                .toList();
    }
}
