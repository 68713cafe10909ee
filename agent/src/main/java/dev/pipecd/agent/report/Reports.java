// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.config.ApplicationConfig.ChainLink;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.CreateDeploymentChainRequest;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.ReportApplicationDeployingStatusRequest;
import dev.pipecd.wire.piped.ReportApplicationMostRecentDeploymentRequest;
import dev.pipecd.wire.piped.ReportApplicationSyncStateRequest;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import dev.pipecd.wire.piped.ReportDeploymentCompletedRequest;
import dev.pipecd.wire.piped.ReportDeploymentPlannedRequest;
import dev.pipecd.wire.piped.ReportDeploymentStatusChangedRequest;
import dev.pipecd.wire.piped.ReportEventStatusesRequest;
import dev.pipecd.wire.piped.ReportStageLogsFromLastCheckpointRequest;
import dev.pipecd.wire.piped.ReportStageStatusChangedRequest;
import dev.pipecd.wire.piped.SaveDeploymentPluginMetadataRequest;
import dev.pipecd.wire.piped.SaveDeploymentSharedMetadataRequest;
import dev.pipecd.wire.piped.SaveStageMetadataRequest;
import dev.pipecd.wire.piped.UpdateApplicationConfigurationsRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Makes the reports. Each is idempotent by its content, so that it may arrive twice.
public final class Reports {
    private static final String STATE = "ReportApplicationSyncState";

    private static final String EVENTS_ENDED = "ReportEventStatuses";

    /// Of a report that could be several: a control plane takes four times that.
    private static final int LARGE = 1 << 20;

    private Reports() {}

    public static Report created(Deployment deployment) {
        return of(
                lane(deployment),
                "CreateDeployment",
                CreateDeploymentRequest.newBuilder().setDeployment(deployment).build());
    }

    /// Begins a chain with this deployment: the control plane orders what comes after it.
    public static Report chained(Deployment first, List<ChainLink> links) {
        var request = CreateDeploymentChainRequest.newBuilder().setFirstDeployment(first);
        for (var link : links)
            request.addMatchersBuilder()
                    .setName(link.name())
                    .setKind(link.kind())
                    .putAllLabels(link.labels());
        return of(lane(first), "CreateDeploymentChain", request.build());
    }

    public static Report planned(Deployment sheet) {
        return of(
                lane(sheet),
                "ReportDeploymentPlanned",
                ReportDeploymentPlannedRequest.newBuilder()
                        .setDeploymentId(sheet.getId())
                        .setSummary(sheet.getSummary())
                        .setStatusReason("planned")
                        .setRunningCommitHash(sheet.getRunningCommitHash())
                        .setRunningConfigFilename(sheet.getRunningConfigFilename())
                        .setSyncStrategy(sheet.getTrigger().getSyncStrategy())
                        .addAllVersions(sheet.getVersionsList())
                        .addAllStages(sheet.getStagesList())
                        .build());
    }

    public static Report status(DeploymentId id, DeploymentStatus status, String reason) {
        return of(
                Ledger.lane(id),
                "ReportDeploymentStatusChanged",
                ReportDeploymentStatusChangedRequest.newBuilder()
                        .setDeploymentId(id.value())
                        .setStatus(status)
                        .setStatusReason(reason)
                        .build());
    }

    public static Report completed(
            DeploymentId id,
            DeploymentStatus status,
            String reason,
            Map<String, StageStatus> stages,
            Instant at) {
        return of(
                Ledger.lane(id),
                "ReportDeploymentCompleted",
                ReportDeploymentCompletedRequest.newBuilder()
                        .setDeploymentId(id.value())
                        .setStatus(status)
                        .setStatusReason(reason)
                        .putAllStageStatuses(stages)
                        .setCompletedAt(at.getEpochSecond())
                        .build());
    }

    public static Report stage(
            DeploymentId id, StageId stage, StageStatus status, String reason, Instant at) {
        return of(
                Ledger.lane(id),
                "ReportStageStatusChanged",
                ReportStageStatusChangedRequest.newBuilder()
                        .setDeploymentId(id.value())
                        .setStageId(stage.value())
                        .setStatus(status)
                        .setStatusReason(reason)
                        .setCompletedAt(at.getEpochSecond())
                        .build());
    }

    public static Report stageMetadata(DeploymentId id, StageId stage, Map<String, String> all) {
        return of(
                Ledger.lane(id),
                "SaveStageMetadata",
                SaveStageMetadataRequest.newBuilder()
                        .setDeploymentId(id.value())
                        .setStageId(stage.value())
                        .putAllMetadata(all)
                        .build());
    }

    public static Report pluginMetadata(DeploymentId id, String plugin, Map<String, String> all) {
        return of(
                Ledger.lane(id),
                "SaveDeploymentPluginMetadata",
                SaveDeploymentPluginMetadataRequest.newBuilder()
                        .setDeploymentId(id.value())
                        .setPluginName(plugin)
                        .putAllMetadata(all)
                        .build());
    }

    public static Report sharedMetadata(DeploymentId id, Map<String, String> values) {
        return of(
                Ledger.lane(id),
                "SaveDeploymentSharedMetadata",
                SaveDeploymentSharedMetadataRequest.newBuilder()
                        .setDeploymentId(id.value())
                        .putAllMetadata(values)
                        .build());
    }

    /// Each as a checkpoint: what the public server gets otherwise it keeps in its cache only,
    /// until the next checkpoint replaces it.
    public static Report logs(
            DeploymentId id, StageId stage, int retried, List<LogBlock> blocks, boolean completed) {
        return of(
                Ledger.lane(id),
                "ReportStageLogsFromLastCheckpoint",
                ReportStageLogsFromLastCheckpointRequest.newBuilder()
                        .setDeploymentId(id.value())
                        .setStageId(stage.value())
                        .setRetriedCount(retried)
                        .addAllBlocks(blocks)
                        .setCompleted(completed)
                        .build());
    }

    public static Report mostRecent(Deployment sheet, DeploymentStatus status) {
        var reference =
                ApplicationDeploymentReference.newBuilder()
                        .setDeploymentId(sheet.getId())
                        .setTrigger(sheet.getTrigger())
                        .setSummary(sheet.getSummary())
                        .setConfigFilename(sheet.getGitPath().getConfigFilename())
                        .addAllVersions(sheet.getVersionsList())
                        .setStartedAt(sheet.getCreatedAt());
        return of(
                lane(sheet),
                "ReportApplicationMostRecentDeployment",
                ReportApplicationMostRecentDeploymentRequest.newBuilder()
                        .setApplicationId(sheet.getApplicationId())
                        .setStatus(status)
                        .setDeployment(reference)
                        .build());
    }

    public static Report deploying(Deployment sheet, boolean deploying) {
        return of(
                Ledger.lane(new ApplicationId(sheet.getApplicationId())),
                "ReportApplicationDeployingStatus",
                ReportApplicationDeployingStatusRequest.newBuilder()
                        .setApplicationId(sheet.getApplicationId())
                        .setDeploying(deploying)
                        .build());
    }

    public static Report syncState(ApplicationId id, ApplicationSyncState state) {
        return of(
                Ledger.lane(id),
                STATE,
                ReportApplicationSyncStateRequest.newBuilder()
                        .setApplicationId(id.value())
                        .setState(state)
                        .build());
    }

    /// How an application stands after the end of its last deployment.
    public static ApplicationSyncState stateAfter(
            Deployment ended, boolean succeeded, String told, Instant now) {
        if (succeeded)
            return syncState(
                    ApplicationSyncStatus.SYNCED,
                    "",
                    Marks.of(ended, Marks.WARNINGS).orElse(""),
                    ended.getId(),
                    now);
        return Marks.of(ended, Marks.UNREADABLE).isPresent()
                ? syncState(
                        ApplicationSyncStatus.INVALID_CONFIG,
                        "the configuration is not valid",
                        told,
                        ended.getId(),
                        now)
                : syncState(
                        ApplicationSyncStatus.OUT_OF_SYNC,
                        "the last deployment did not succeed",
                        told,
                        ended.getId(),
                        now);
    }

    static boolean isState(String call) {
        return call.equals(STATE);
    }

    /// What such a report tells.
    public static ApplicationSyncState stateIn(byte[] body) {
        try {
            return ReportApplicationSyncStateRequest.parseFrom(body).getState();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a report of ours cannot be read", e);
        }
    }

    public static ApplicationSyncState syncState(
            ApplicationSyncStatus status, String brief, String reason, String head, Instant at) {
        return ApplicationSyncState.newBuilder()
                .setStatus(status)
                .setShortReason(brief)
                .setReason(reason)
                .setHeadDeploymentId(head)
                .setTimestamp(at.getEpochSecond())
                .build();
    }

    public static Report handled(
            String lane,
            CommandId id,
            CommandStatus status,
            Map<String, String> metadata,
            Instant at) {
        return of(
                lane,
                "ReportCommandHandled",
                ReportCommandHandledRequest.newBuilder()
                        .setCommandId(id.value())
                        .setStatus(status)
                        .putAllMetadata(metadata)
                        .setHandledAt(at.getEpochSecond())
                        .build());
    }

    /// An order is carried out by a deployment, and counts so once that is there.
    public static Report opened(Deployment by, CommandId order, Instant at) {
        return handled(
                lane(by),
                order,
                CommandStatus.COMMAND_SUCCEEDED,
                Map.of("TriggeredDeploymentID", by.getId()),
                at);
    }

    /// @param output what the command produced, for whoever gave it
    public static Report answered(CommandId id, CommandStatus status, byte[] output, Instant at) {
        return of(
                lane(id),
                "ReportCommandHandled",
                ReportCommandHandledRequest.newBuilder()
                        .setCommandId(id.value())
                        .setStatus(status)
                        .setOutput(ByteString.copyFrom(output))
                        .setHandledAt(at.getEpochSecond())
                        .build());
    }

    /// The command a recorded report says is handled, if that is what it says.
    public static Optional<CommandId> handledCommand(Queued report) {
        if (!report.call().equals("ReportCommandHandled")) return Optional.empty();
        try {
            return Optional.of(
                    new CommandId(
                            ReportCommandHandledRequest.parseFrom(report.body()).getCommandId()));
        } catch (InvalidProtocolBufferException e) {
            return Optional.empty();
        }
    }

    public static Report eventEnded(String event, EventStatus status, String description) {
        return of(
                "events",
                EVENTS_ENDED,
                ReportEventStatusesRequest.newBuilder()
                        .addEvents(
                                ReportEventStatusesRequest.Event.newBuilder()
                                        .setId(event)
                                        .setStatus(status)
                                        .setStatusDescription(description))
                        .build());
    }

    /// The events a recorded report says are over, if that is what it says.
    public static List<String> endedEvents(Queued report) {
        if (!report.call().equals(EVENTS_ENDED)) return List.of();
        try {
            return ReportEventStatusesRequest.parseFrom(report.body()).getEventsList().stream()
                    .map(ReportEventStatusesRequest.Event::getId)
                    .toList();
        } catch (InvalidProtocolBufferException e) {
            return List.of();
        }
    }

    /// Several, where those of a large fleet would not fit into one message.
    public static List<Report> configurations(List<ApplicationInfo> changed) {
        var reports = new ArrayList<Report>();
        var piece = UpdateApplicationConfigurationsRequest.newBuilder();
        var size = 0;
        for (var application : changed) {
            size += application.getSerializedSize();
            if (size > LARGE && piece.getApplicationsCount() > 0) {
                reports.add(configurations(piece));
                piece.clear();
                size = application.getSerializedSize();
            }
            piece.addApplications(application);
        }
        if (piece.getApplicationsCount() > 0) reports.add(configurations(piece));
        return reports;
    }

    private static Report configurations(UpdateApplicationConfigurationsRequest.Builder piece) {
        return of("applications", "UpdateApplicationConfigurations", piece.build());
    }

    /// The lane of one command: no answer waits for another.
    public static String lane(CommandId command) {
        return "command:" + command;
    }

    private static String lane(Deployment deployment) {
        return Ledger.lane(new DeploymentId(deployment.getId()));
    }

    private static Report of(String lane, String call, Message body) {
        return new Report(lane, call, body.toByteArray());
    }
}
