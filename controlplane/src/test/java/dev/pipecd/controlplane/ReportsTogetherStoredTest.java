// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.ELSEWHERE;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.agentapi.LinkDoor;
import dev.pipecd.controlplane.cache.CacheReads;
import dev.pipecd.controlplane.server.Addresses;
import dev.pipecd.controlplane.server.GrpcDoors;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.controlplane.server.Together;
import dev.pipecd.wire.link.Result;
import dev.pipecd.wire.link.Sent;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.GetDeploymentRequest;
import dev.pipecd.wire.piped.ReportApplicationDeployingStatusRequest;
import dev.pipecd.wire.piped.ReportDeploymentCompletedRequest;
import dev.pipecd.wire.piped.ReportDeploymentPlannedRequest;
import dev.pipecd.wire.piped.ReportDeploymentStatusChangedRequest;
import dev.pipecd.wire.piped.ReportStageLogsFromLastCheckpointRequest;
import dev.pipecd.wire.piped.ReportStageStatusChangedRequest;
import dev.pipecd.wire.piped.SaveDeploymentSharedMetadataRequest;
import io.grpc.Context;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Reports that come in one call, at the real features and store.
final class ReportsTogetherStoredTest {
    @TempDir Path folder;
    private World world;
    private Together together;
    private Samples.Home here;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        here = Samples.home(world, HERE);
        var sessions =
                new Sessions(
                        RunningServer.KEY,
                        _ -> Optional.empty(),
                        new InMemorySessions(),
                        world.now::get);
        together =
                new GrpcDoors(
                                new FakeKeyring(),
                                sessions,
                                new Addresses(false),
                                new Metrics(new CacheReads()),
                                false)
                        .together(world.features.doors().piped());
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void aWholeStoryInOneCallEndsAsInMany() throws Exception {
        assertThat(codes(report(here.agent(), story("d1")))).containsOnly(Status.Code.OK);

        assertThat(deployment("d1").getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_SUCCESS);
        assertThat(deployment("d1").getStages(0).getStatus()).isEqualTo(StageStatus.STAGE_SUCCESS);
    }

    @Test
    void toldAgainFromAnyPlaceItChangesNothing() throws Exception {
        var story = story("d1");
        var _ = report(here.agent(), story);
        var before = world.everything();

        // Its server died in their midst, or the answer was lost: all come again.
        var again = codes(report(here.agent(), story));

        assertThat(again.getFirst()).isEqualTo(Status.Code.ALREADY_EXISTS);
        assertThat(again.subList(1, again.size())).containsOnly(Status.Code.OK);
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void whatACutCallLeftIsFinishedByTheSameCallSentAgain() throws Exception {
        var story = story("d1");
        for (var cut = 1; cut < story.size(); cut++) {
            var id = "d-" + cut;
            var again = story(id);
            var _ = report(here.agent(), again.subList(0, cut));

            var told = codes(report(here.agent(), again));

            assertThat(told).as("cut behind %d", cut).hasSize(again.size());
            assertThat(told.subList(1, told.size())).containsOnly(Status.Code.OK);
            assertThat(deployment(id).getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_SUCCESS);
        }
    }

    @Test
    void whatIsOfAnotherAgentOrProjectIsRefusedAndLeftAloneBetweenOnesOwn() throws Exception {
        var beside = Samples.home(world, HERE);
        beside.running("d-beside");
        var elsewhere = Samples.home(world, ELSEWHERE);
        elsewhere.running("d-elsewhere");
        here.running("d-own");

        var told =
                report(
                        here.agent(),
                        List.of(
                                stage("d-own", StageStatus.STAGE_RUNNING),
                                stage("d-beside", StageStatus.STAGE_RUNNING),
                                stage("d-elsewhere", StageStatus.STAGE_RUNNING),
                                deploying(beside.application()),
                                deploying(elsewhere.application()),
                                stage("d-own", StageStatus.STAGE_SUCCESS)));

        assertThat(codes(told))
                .containsExactly(
                        Status.Code.OK,
                        Status.Code.PERMISSION_DENIED,
                        Status.Code.NOT_FOUND,
                        Status.Code.PERMISSION_DENIED,
                        Status.Code.NOT_FOUND,
                        Status.Code.OK);
        assertThat(deployment("d-own").getStages(0).getStatus())
                .isEqualTo(StageStatus.STAGE_SUCCESS);
        assertThat(stored(beside, "d-beside").getStages(0).getStatus())
                .isEqualTo(StageStatus.STAGE_NOT_STARTED_YET);
        assertThat(stored(elsewhere, "d-elsewhere").getStages(0).getStatus())
                .isEqualTo(StageStatus.STAGE_NOT_STARTED_YET);
    }

    @Test
    void whoIsNoAgentReportsNothing() throws Exception {
        here.running("d-own");
        var before = world.everything();

        var told =
                report(
                        World.person(HERE, "Admin"),
                        List.of(stage("d-own", StageStatus.STAGE_RUNNING)));

        assertThat(codes(told)).containsExactly(Status.Code.UNAUTHENTICATED);
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void aStoreThatTakesNothingEndsTheCallWithAllThatWasBefore() throws Exception {
        world.features.stores().database().close();

        var told =
                report(
                        here.agent(),
                        List.of(deploying(here.application()), deploying(here.application())));

        assertThat(codes(told)).containsExactly(Status.Code.UNAVAILABLE);
    }

    private List<Sent> story(String id) {
        return List.of(
                sent(
                        "CreateDeployment",
                        CreateDeploymentRequest.newBuilder()
                                .setDeployment(Samples.whole(id, here.application(), here.agent()))
                                .build()),
                sent(
                        "ReportDeploymentPlanned",
                        ReportDeploymentPlannedRequest.newBuilder()
                                .setDeploymentId(id)
                                .setSummary("pipeline")
                                .addStages(Samples.stage("s1", "WAIT", false))
                                .build()),
                sent(
                        "ReportDeploymentStatusChanged",
                        ReportDeploymentStatusChangedRequest.newBuilder()
                                .setDeploymentId(id)
                                .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING)
                                .setStatusReason("running")
                                .build()),
                stage(id, StageStatus.STAGE_RUNNING),
                sent(
                        "ReportStageLogsFromLastCheckpoint",
                        ReportStageLogsFromLastCheckpointRequest.newBuilder()
                                .setDeploymentId(id)
                                .setStageId("s1")
                                .addBlocks(Samples.line(1, "done"))
                                .setCompleted(true)
                                .build()),
                stage(id, StageStatus.STAGE_SUCCESS),
                sent(
                        "SaveDeploymentSharedMetadata",
                        SaveDeploymentSharedMetadataRequest.newBuilder()
                                .setDeploymentId(id)
                                .putMetadata("pipecd/outcome", "Succeeded")
                                .build()),
                sent(
                        "ReportDeploymentCompleted",
                        ReportDeploymentCompletedRequest.newBuilder()
                                .setDeploymentId(id)
                                .setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                                .putStageStatuses("s1", StageStatus.STAGE_SUCCESS)
                                .setCompletedAt(9)
                                .build()));
    }

    private static Sent stage(String deployment, StageStatus status) {
        return sent(
                "ReportStageStatusChanged",
                ReportStageStatusChangedRequest.newBuilder()
                        .setDeploymentId(deployment)
                        .setStageId("s1")
                        .setStatus(status)
                        .setCompletedAt(5)
                        .build());
    }

    private static Sent deploying(String application) {
        return sent(
                "ReportApplicationDeployingStatus",
                ReportApplicationDeployingStatusRequest.newBuilder()
                        .setApplicationId(application)
                        .setDeploying(true)
                        .build());
    }

    private Deployment deployment(String id) {
        return stored(here, id);
    }

    private static Deployment stored(Samples.Home home, String id) {
        return home.calls()
                .getDeployment(GetDeploymentRequest.newBuilder().setId(id).build())
                .getDeployment();
    }

    private List<Result> report(Caller caller, List<Sent> reports) throws Exception {
        return Context.current()
                .withValue(Caller.CURRENT, caller)
                .call(() -> LinkDoor.taken(together::take, reports));
    }

    private static List<Status.Code> codes(List<Result> told) {
        return told.stream().map(r -> Status.fromCodeValue(r.getCode()).getCode()).toList();
    }

    private static Sent sent(String call, Message request) {
        return Sent.newBuilder().setCall(call).setRequest(request.toByteString()).build();
    }
}
