// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.Samples;
import dev.pipecd.controlplane.World;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.piped.GetDeploymentRequest;
import dev.pipecd.wire.piped.GetDesiredVersionRequest;
import dev.pipecd.wire.piped.GetLatestEventRequest;
import dev.pipecd.wire.piped.ListApplicationsRequest;
import dev.pipecd.wire.piped.ListNotCompletedDeploymentsRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ReportApplicationSyncStateRequest;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.piped.ReportStageLogsFromLastCheckpointRequest;
import dev.pipecd.wire.piped.ReportStageLogsRequest;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.piped.SaveDeploymentMetadataRequest;
import dev.pipecd.wire.web.GetInsightDataRequest;
import dev.pipecd.wire.web.GetProjectRequest;
import dev.pipecd.wire.web.ListDeploymentChainsRequest;
import dev.pipecd.wire.web.ListDeploymentTracesRequest;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import dev.pipecd.wire.web.ListPipedsRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.util.LinkedHashMap;
import java.util.Map;

/// What agents and people ask again and again; each may be asked any number of times.
final class AskedOften {
    private static final int PAGE = 5;

    private final World world;
    private final Samples.Home home;
    private final String deployment;

    AskedOften(World world, Samples.Home home, String deployment) {
        this.world = world;
        this.home = home;
        this.deployment = deployment;
        var event = RegisterEventRequest.newBuilder().setName("image").setData("v1").build();
        APIServiceGrpc.newBlockingStub(world.as(World.holder(World.HERE, true)))
                .registerEvent(event);
    }

    Map<String, Runnable> calls() {
        var calls = new LinkedHashMap<String, Runnable>();
        agent(calls);
        reports(calls);
        people(calls);
        pushes(calls);
        return calls;
    }

    private void agent(Map<String, Runnable> calls) {
        var agent = home.calls();
        calls.put(
                "ListUnhandledCommands",
                () ->
                        agent.listUnhandledCommands(
                                ListUnhandledCommandsRequest.getDefaultInstance()));
        calls.put(
                "ListNotCompletedDeployments",
                () ->
                        agent.listNotCompletedDeployments(
                                ListNotCompletedDeploymentsRequest.getDefaultInstance()));
        calls.put(
                "ListApplications",
                () -> agent.listApplications(ListApplicationsRequest.getDefaultInstance()));
        calls.put(
                "GetDeployment",
                () ->
                        agent.getDeployment(
                                GetDeploymentRequest.newBuilder().setId(deployment).build()));
        calls.put(
                "GetDesiredVersion",
                () -> agent.getDesiredVersion(GetDesiredVersionRequest.getDefaultInstance()));
        calls.put(
                "GetLatestEvent",
                () ->
                        agent.getLatestEvent(
                                GetLatestEventRequest.newBuilder().setName("image").build()));
        calls.put(
                "ListEvents",
                () ->
                        agent.listEvents(
                                dev.pipecd.wire.piped.ListEventsRequest.newBuilder()
                                        .setStatus(
                                                dev.pipecd.wire.piped.ListEventsRequest.Status
                                                        .NOT_HANDLED)
                                        .build()));
    }

    private void reports(Map<String, Runnable> calls) {
        var agent = home.calls();
        calls.put(
                "ReportStat",
                () ->
                        agent.reportStat(
                                ReportStatRequest.newBuilder()
                                        .setPipedStats(ByteString.copyFromUtf8("up 1\n"))
                                        .build()));
        calls.put(
                "ReportStageLogsFromLastCheckpoint",
                () ->
                        agent.reportStageLogsFromLastCheckpoint(
                                ReportStageLogsFromLastCheckpointRequest.newBuilder()
                                        .setDeploymentId(deployment)
                                        .setStageId("s1")
                                        .addBlocks(Samples.line(1, "hello"))
                                        .build()));
        calls.put(
                "ReportApplicationSyncState",
                () ->
                        agent.reportApplicationSyncState(
                                ReportApplicationSyncStateRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .setState(
                                                ApplicationSyncState.newBuilder()
                                                        .setStatus(ApplicationSyncStatus.SYNCED)
                                                        .setTimestamp(
                                                                world.now.get().getEpochSecond()))
                                        .build()));
        calls.put(
                "ReportStageLogs",
                () ->
                        agent.reportStageLogs(
                                ReportStageLogsRequest.newBuilder()
                                        .setDeploymentId(deployment)
                                        .setStageId("s1")
                                        .addBlocks(Samples.line(1, "hello"))
                                        .build()));
        calls.put(
                "SaveDeploymentMetadata",
                () ->
                        agent.saveDeploymentMetadata(
                                SaveDeploymentMetadataRequest.newBuilder()
                                        .setDeploymentId(deployment)
                                        .putMetadata("k", "v")
                                        .build()));
        calls.put(
                "ReportPipedMeta",
                () ->
                        agent.reportPipedMeta(
                                ReportPipedMetaRequest.newBuilder().setVersion("v1").build()));
    }

    private void pushes(Map<String, Runnable> calls) {
        calls.put("a push", () -> world.features.pipeds().watching(_ -> true));
    }

    private void people(Map<String, Runnable> calls) {
        var web = WebServiceGrpc.newBlockingStub(world.as(World.person(World.HERE, "Admin")));
        calls.put("GetProject", () -> web.getProject(GetProjectRequest.getDefaultInstance()));
        calls.put("ListPipeds", () -> web.listPipeds(ListPipedsRequest.getDefaultInstance()));
        calls.put(
                "ListDeployments",
                () ->
                        web.listDeployments(
                                ListDeploymentsRequest.newBuilder().setPageSize(PAGE).build()));
        calls.put(
                "ListDeploymentTraces",
                () ->
                        web.listDeploymentTraces(
                                ListDeploymentTracesRequest.newBuilder()
                                        .setPageSize(PAGE)
                                        .build()));
        calls.put(
                "ListDeploymentChains",
                () ->
                        web.listDeploymentChains(
                                ListDeploymentChainsRequest.newBuilder()
                                        .setPageSize(PAGE)
                                        .build()));
        var day = world.now.get().getEpochSecond();
        calls.put(
                "GetInsightData",
                () ->
                        web.getInsightData(
                                GetInsightDataRequest.newBuilder()
                                        .setRangeFrom(day - 9 * 86_400)
                                        .setRangeTo(day)
                                        .build()));
    }
}
