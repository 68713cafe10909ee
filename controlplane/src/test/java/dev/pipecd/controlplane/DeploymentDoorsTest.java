// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Calls.fails;
import static dev.pipecd.controlplane.Samples.line;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.api.ListStageLogsRequest;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.*;
import dev.pipecd.wire.web.GetStageLogRequest;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeploymentDoorsTest {
    @TempDir Path folder;
    private World world;
    private Samples.Home home;
    private WebServiceBlockingStub web;
    private APIServiceBlockingStub api;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        web = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Editor")));
        api = APIServiceGrpc.newBlockingStub(world.as(World.holder(HERE, true)));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private Deployment deployment(String id) {
        return home.calls()
                .getDeployment(GetDeploymentRequest.newBuilder().setId(id).build())
                .getDeployment();
    }

    private List<String> live() {
        var answer =
                home.calls()
                        .listNotCompletedDeployments(
                                ListNotCompletedDeploymentsRequest.getDefaultInstance());
        assertThat(answer.getCursor()).isEmpty();
        return answer.getDeploymentsList().stream().map(Deployment::getId).toList();
    }

    @Test
    void aDeploymentWalksFromPendingToSuccess() {
        home.running("d1");
        assertThat(live()).containsExactly("d1");
        home.stage("d1", "s1", StageStatus.STAGE_RUNNING);
        home.stage("d1", "s1", StageStatus.STAGE_SUCCESS);
        home.stage("d1", "s2", StageStatus.STAGE_RUNNING);
        home.stage("d1", "s2", StageStatus.STAGE_SUCCESS);

        home.complete("d1", DeploymentStatus.DEPLOYMENT_SUCCESS);

        assertThat(deployment("d1").getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_SUCCESS);
        assertThat(deployment("d1").getStagesList().stream().map(PipelineStage::getStatus))
                .containsExactly(
                        StageStatus.STAGE_SUCCESS,
                        StageStatus.STAGE_SUCCESS,
                        StageStatus.STAGE_NOT_STARTED_YET);
        assertThat(live()).isEmpty();
        assertThat(world.features.changes().since(HERE, 0, 100))
                .filteredOn(c -> c.kind() == Change.Kind.DEPLOYMENT)
                .extracting(Change::what)
                .containsExactly(
                        "added",
                        "planned",
                        "running",
                        "stage SCRIPT_RUN STAGE_RUNNING",
                        "stage SCRIPT_RUN STAGE_SUCCESS",
                        "stage WAIT_APPROVAL STAGE_RUNNING",
                        "stage WAIT_APPROVAL STAGE_SUCCESS",
                        "success");
    }

    @Test
    void anAgentGetsAllItsUnfinishedDeploymentsAtOnceAndNoCursorToAskOnWith() {
        for (var i = 0; i < 60; i++) home.create("d" + i);

        var answer =
                home.calls()
                        .listNotCompletedDeployments(
                                ListNotCompletedDeploymentsRequest.getDefaultInstance());

        assertThat(answer.getDeploymentsCount()).isEqualTo(60);
        assertThat(answer.getCursor()).isEmpty();
    }

    @Test
    void aReportWithoutAnArrowIsRefusedAndChangesNothing() {
        home.create("d1");
        var before = deployment("d1");

        fails(
                Status.Code.FAILED_PRECONDITION,
                "expected: an arrow of the diagram",
                () -> home.complete("d1", DeploymentStatus.DEPLOYMENT_SUCCESS));

        assertThat(deployment("d1")).isEqualTo(before);
    }

    @Test
    void anImpossibleEndIsRefusedAndChangesNothing() {
        home.running("d1");
        var running = deployment("d1");
        fails(
                Status.Code.FAILED_PRECONDITION,
                "stage: s9 (expected: one of deployment d1)",
                () ->
                        home.calls()
                                .reportDeploymentCompleted(
                                        ReportDeploymentCompletedRequest.newBuilder()
                                                .setDeploymentId("d1")
                                                .setStatus(DeploymentStatus.DEPLOYMENT_FAILURE)
                                                .putStageStatuses("s9", StageStatus.STAGE_FAILURE)
                                                .setCompletedAt(9)
                                                .build()));
        assertThat(deployment("d1")).isEqualTo(running);
        home.complete("d1", DeploymentStatus.DEPLOYMENT_FAILURE);
        var failed = deployment("d1");

        for (var other :
                List.of(DeploymentStatus.DEPLOYMENT_SUCCESS, DeploymentStatus.DEPLOYMENT_CANCELLED))
            fails(
                    Status.Code.FAILED_PRECONDITION,
                    "expected: an arrow of the diagram",
                    () -> home.complete("d1", other));

        assertThat(deployment("d1")).isEqualTo(failed);
    }

    @Test
    void aDeploymentOfOneIdIsCreatedOnceAndBornPending() {
        home.create("d1");

        fails(Status.Code.ALREADY_EXISTS, "deployment: d1 exists", () -> home.create("d1"));
        fails(
                Status.Code.FAILED_PRECONDITION,
                "status: DEPLOYMENT_SUCCESS of a new deployment",
                () ->
                        home.calls()
                                .createDeployment(
                                        CreateDeploymentRequest.newBuilder()
                                                .setDeployment(
                                                        Samples.deployment(
                                                                        "d2",
                                                                        home.application(),
                                                                        home.agent())
                                                                .toBuilder()
                                                                .setStatus(
                                                                        DeploymentStatus
                                                                                .DEPLOYMENT_SUCCESS))
                                                .build()));
    }

    @Test
    void metadataIsMergedAlsoWhereThereWasNone() {
        home.running("d1");

        for (var value : List.of("1", "2")) {
            var metadata = Map.of("k" + value, value);
            var _ =
                    home.calls()
                            .saveDeploymentMetadata(
                                    SaveDeploymentMetadataRequest.newBuilder()
                                            .setDeploymentId("d1")
                                            .putAllMetadata(metadata)
                                            .build());
            var _ =
                    home.calls()
                            .saveDeploymentSharedMetadata(
                                    SaveDeploymentSharedMetadataRequest.newBuilder()
                                            .setDeploymentId("d1")
                                            .putAllMetadata(metadata)
                                            .build());
            var _ =
                    home.calls()
                            .saveDeploymentPluginMetadata(
                                    SaveDeploymentPluginMetadataRequest.newBuilder()
                                            .setDeploymentId("d1")
                                            .setPluginName("wait")
                                            .putAllMetadata(metadata)
                                            .build());
            var _ =
                    home.calls()
                            .saveStageMetadata(
                                    SaveStageMetadataRequest.newBuilder()
                                            .setDeploymentId("d1")
                                            .setStageId("s1")
                                            .putAllMetadata(metadata)
                                            .build());
        }

        var both = Map.of("k1", "1", "k2", "2");
        var stored = deployment("d1");
        assertThat(stored.getMetadataMap()).isEqualTo(both);
        assertThat(stored.getMetadataV2().getShared().getKeyValuesMap()).isEqualTo(both);
        assertThat(stored.getMetadataV2().getPluginsOrThrow("wait").getKeyValuesMap())
                .isEqualTo(both);
        assertThat(stored.getStages(0).getMetadataMap()).isEqualTo(both);
    }

    private void log(List<LogBlock> blocks, boolean completed) {
        var _ =
                home.calls()
                        .reportStageLogsFromLastCheckpoint(
                                ReportStageLogsFromLastCheckpointRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .setStageId("s1")
                                        .addAllBlocks(blocks)
                                        .setCompleted(completed)
                                        .build());
    }

    @Test
    void peopleReadWhatAStagePrintsFromAnOffsetOn() {
        home.running("d1");
        var hints = Collections.synchronizedList(new ArrayList<Change>());
        var stop = world.features.changes().listen(hints::add);
        var _ =
                home.calls()
                        .reportStageLogs(
                                ReportStageLogsRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .setStageId("s1")
                                        .addBlocks(line(1, "one"))
                                        .build());
        log(List.of(line(1, "one"), line(2, "two")), true);
        log(List.of(line(2, "two")), true);
        stop.close();

        var read =
                web.getStageLog(
                        GetStageLogRequest.newBuilder()
                                .setDeploymentId("d1")
                                .setStageId("s1")
                                .setOffsetIndex(2)
                                .build());
        assertThat(read.getBlocksList()).containsExactly(line(2, "two"));
        assertThat(read.getCompleted()).isTrue();
        assertThat(
                        api.listStageLogs(
                                        ListStageLogsRequest.newBuilder()
                                                .setDeploymentId("d1")
                                                .build())
                                .getStageLogsOrThrow("s1")
                                .getBlocksList())
                .containsExactly(line(1, "one"), line(2, "two"));
        fails(
                Status.Code.FAILED_PRECONDITION,
                "stage log: s1 is completed",
                () -> log(List.of(line(3, "three")), false));
        assertThat(hints)
                .extracting(c -> c.kind() + " " + c.id() + " " + c.stage() + " " + c.what())
                .containsExactly(
                        "STAGE_LOG d1 s1 log",
                        "STAGE_LOG d1 s1 log completed",
                        "STAGE_LOG d1 s1 log completed");
        fails(
                Status.Code.NOT_FOUND,
                "stage log: s2",
                () ->
                        web.getStageLog(
                                GetStageLogRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .setStageId("s2")
                                        .build()));
    }

    @Test
    void aStageIdThatIsAPathIsRefused() {
        home.running("d1");

        fails(
                Status.Code.INVALID_ARGUMENT,
                "id: \"../../x\"",
                () ->
                        home.calls()
                                .reportStageLogs(
                                        ReportStageLogsRequest.newBuilder()
                                                .setDeploymentId("d1")
                                                .setStageId("../../x")
                                                .addBlocks(line(1, "one"))
                                                .build()));
    }

    /// Callers that the public server answers whole look for no further page.
    @Test
    void withoutALimitAProgramGetsAllDeploymentsAndPeopleAPage() {
        for (var i = 0; i < 60; i++) home.create("d" + i);

        var all = dev.pipecd.wire.api.ListDeploymentsRequest.getDefaultInstance();
        assertThat(api.listDeployments(all).getDeploymentsCount()).isEqualTo(60);
        assertThat(api.listDeployments(all.toBuilder().setLimit(55).build()).getDeploymentsCount())
                .isEqualTo(55);
        assertThat(
                        web.listDeployments(ListDeploymentsRequest.getDefaultInstance())
                                .getDeploymentsCount())
                .isEqualTo(50);
    }

    @Test
    void deploymentsAreFilteredAndPagedNewestFirst() {
        for (var i = 0; i < 5; i++) {
            world.now.set(world.now.get().plusSeconds(i / 2)); // some share their second
            home.create("d" + i);
        }
        home.complete("d2", DeploymentStatus.DEPLOYMENT_FAILURE);

        assertThat(pages(ListDeploymentsRequest.newBuilder().setPageSize(2)))
                .containsExactly("d2", "d4", "d3", "d0", "d1");
        assertThat(
                        pages(
                                ListDeploymentsRequest.newBuilder()
                                        .setOptions(
                                                ListDeploymentsRequest.Options.newBuilder()
                                                        .addStatuses(
                                                                DeploymentStatus.DEPLOYMENT_FAILURE)
                                                        .putLabels("env", "dev"))))
                .containsExactly("d2");
        for (var options :
                List.of(
                        ListDeploymentsRequest.Options.newBuilder().putLabels("env", "prod"),
                        ListDeploymentsRequest.Options.newBuilder().putLabels("e'\"", "dev"),
                        ListDeploymentsRequest.Options.newBuilder().addApplicationIds("other"),
                        ListDeploymentsRequest.Options.newBuilder().setApplicationName("other")))
            assertThat(pages(ListDeploymentsRequest.newBuilder().setOptions(options))).isEmpty();
        fails(
                Status.Code.INVALID_ARGUMENT,
                "cursor: malformed",
                () ->
                        web.listDeployments(
                                ListDeploymentsRequest.newBuilder().setCursor("!").build()));
    }

    private List<String> pages(ListDeploymentsRequest.Builder request) {
        var seen = new ArrayList<String>();
        while (true) {
            var page = web.listDeployments(request.build());
            if (page.getDeploymentsCount() == 0) return seen;
            page.getDeploymentsList().forEach(d -> seen.add(d.getId()));
            request.setCursor(page.getCursor());
        }
    }
}
