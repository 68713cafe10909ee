// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Samples.line;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.server.Failures;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.api.ListStageLogsRequest;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.*;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.ApproveStageRequest;
import dev.pipecd.wire.web.CancelDeploymentRequest;
import dev.pipecd.wire.web.DisableApplicationRequest;
import dev.pipecd.wire.web.GetApplicationRequest;
import dev.pipecd.wire.web.GetCommandRequest;
import dev.pipecd.wire.web.GetMeRequest;
import dev.pipecd.wire.web.GetProjectRequest;
import dev.pipecd.wire.web.GetStageLogRequest;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import dev.pipecd.wire.web.ListPipedsRequest;
import dev.pipecd.wire.web.ListUnregisteredApplicationsRequest;
import dev.pipecd.wire.web.SyncApplicationRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoorsTest {
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

    private static void fails(Status.Code code, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    private Deployment deployment(String id) {
        return home.calls()
                .getDeployment(GetDeploymentRequest.newBuilder().setId(id).build())
                .getDeployment();
    }

    private void running(String id) {
        home.create(id);
        home.plan(id);
        var _ =
                home.calls()
                        .reportDeploymentStatusChanged(
                                ReportDeploymentStatusChangedRequest.newBuilder()
                                        .setDeploymentId(id)
                                        .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING)
                                        .build());
    }

    private void stage(String deployment, String stage, StageStatus status) {
        var _ =
                home.calls()
                        .reportStageStatusChanged(
                                ReportStageStatusChangedRequest.newBuilder()
                                        .setDeploymentId(deployment)
                                        .setStageId(stage)
                                        .setStatus(status)
                                        .setCompletedAt(5)
                                        .build());
    }

    private void complete(String id, DeploymentStatus status) {
        var _ =
                home.calls()
                        .reportDeploymentCompleted(
                                ReportDeploymentCompletedRequest.newBuilder()
                                        .setDeploymentId(id)
                                        .setStatus(status)
                                        .setCompletedAt(9)
                                        .build());
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
        running("d1");
        assertThat(live()).containsExactly("d1");
        stage("d1", "s1", StageStatus.STAGE_RUNNING);
        stage("d1", "s1", StageStatus.STAGE_SUCCESS);
        stage("d1", "s2", StageStatus.STAGE_RUNNING);
        stage("d1", "s2", StageStatus.STAGE_SUCCESS);

        complete("d1", DeploymentStatus.DEPLOYMENT_SUCCESS);

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
    void aReportWithoutAnArrowIsRefusedAndChangesNothing() {
        home.create("d1");
        var before = deployment("d1");

        fails(
                Status.Code.FAILED_PRECONDITION,
                "expected: an arrow of the diagram",
                () -> complete("d1", DeploymentStatus.DEPLOYMENT_SUCCESS));

        assertThat(deployment("d1")).isEqualTo(before);
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
        running("d1");

        for (var value : List.of("1", "2")) {
            var metadata = Map.of("k" + value, value);
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
        running("d1");
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
        running("d1");

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

    private List<Command> unhandled() {
        return home.calls()
                .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance())
                .getCommandsList();
    }

    private void handled(String command, CommandStatus status) {
        var _ =
                home.calls()
                        .reportCommandHandled(
                                ReportCommandHandledRequest.newBuilder()
                                        .setCommandId(command)
                                        .setStatus(status)
                                        .putMetadata("TriggeredDeploymentID", "d1")
                                        .setHandledAt(7)
                                        .setOutput(ByteString.copyFromUtf8("out"))
                                        .build());
    }

    @Test
    void aSyncReachesTheAgentAndItsAnswerThePerson() {
        var id =
                web.syncApplication(
                                SyncApplicationRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .build())
                        .getCommandId();
        assertThat(unhandled()).extracting(Command::getId).containsExactly(id);
        assertThat(unhandled().getFirst().getCommander()).isEqualTo("ann");

        handled(id, CommandStatus.COMMAND_SUCCEEDED);
        handled(id, CommandStatus.COMMAND_SUCCEEDED);

        assertThat(unhandled()).isEmpty();
        var answer =
                web.getCommand(GetCommandRequest.newBuilder().setCommandId(id).build())
                        .getCommand();
        assertThat(answer.getStatus()).isEqualTo(CommandStatus.COMMAND_SUCCEEDED);
        assertThat(answer.getMetadataMap()).isEqualTo(Map.of("TriggeredDeploymentID", "d1"));
        assertThat(world.file("command-output/" + id + ".json")).hasContent("out");
        fails(
                Status.Code.FAILED_PRECONDITION,
                "expected: the first answer",
                () -> handled(id, CommandStatus.COMMAND_FAILED));
    }

    @Test
    void aDisabledApplicationIsNeitherSyncedNorListedToItsAgent() {
        var _ =
                web.disableApplication(
                        DisableApplicationRequest.newBuilder()
                                .setApplicationId(home.application())
                                .build());

        assertThat(
                        home.calls()
                                .listApplications(ListApplicationsRequest.getDefaultInstance())
                                .getApplicationsList())
                .isEmpty();
        fails(
                Status.Code.FAILED_PRECONDITION,
                "application: site is disabled",
                () ->
                        web.syncApplication(
                                SyncApplicationRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .build()));
    }

    private ThrowingCallable approving(String stage) {
        return () -> {
            var _ =
                    web.approveStage(
                            ApproveStageRequest.newBuilder()
                                    .setDeploymentId("d1")
                                    .setStageId(stage)
                                    .build());
        };
    }

    @Test
    void onlyARunningStageThatWaitsIsApprovedAndOnlyByThoseItNames() throws Throwable {
        running("d1");
        fails(Status.Code.FAILED_PRECONDITION, "expected: a running stage", approving("s1"));
        fails(Status.Code.FAILED_PRECONDITION, "expected: a running stage", approving("s2"));
        fails(Status.Code.NOT_FOUND, "stage: s9 is unknown", approving("s9"));
        stage("d1", "s2", StageStatus.STAGE_RUNNING);
        var _ =
                home.calls()
                        .saveStageMetadata(
                                SaveStageMetadataRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .setStageId("s2")
                                        .putMetadata("Approvers", "bob, eve")
                                        .build());
        fails(Status.Code.PERMISSION_DENIED, "expected: one of [bob, eve]", approving("s2"));
        var _ =
                home.calls()
                        .saveStageMetadata(
                                SaveStageMetadataRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .setStageId("s2")
                                        .putMetadata("Approvers", "bob, ann")
                                        .build());

        approving("s2").call();

        assertThat(unhandled())
                .extracting(c -> c.getType() + " " + c.getStageId())
                .containsExactly("APPROVE_STAGE s2");
    }

    @Test
    void aCancelSaysWhatBecomesOfTheChangesAndComesBeforeTheEnd() {
        running("d1");
        var cancel = CancelDeploymentRequest.newBuilder().setDeploymentId("d1");
        fails(
                Status.Code.INVALID_ARGUMENT,
                "expected: at most one",
                () ->
                        web.cancelDeployment(
                                cancel.clone()
                                        .setForceRollback(true)
                                        .setForceNoRollback(true)
                                        .build()));

        var _ = web.cancelDeployment(cancel.clone().setForceNoRollback(true).build());

        assertThat(unhandled())
                .extracting(Command::getCancelDeployment)
                .containsExactly(
                        Command.CancelDeployment.newBuilder()
                                .setDeploymentId("d1")
                                .setForceNoRollback(true)
                                .build());
        complete("d1", DeploymentStatus.DEPLOYMENT_CANCELLED);
        fails(
                Status.Code.FAILED_PRECONDITION,
                "is completed",
                () -> web.cancelDeployment(cancel.build()));
    }

    private ThrowingCallable adding(String path, String repository) {
        return () -> {
            var gitPath = Samples.gitPath(path).toBuilder();
            gitPath.getRepoBuilder().setId(repository);
            var _ =
                    web.addApplication(
                            AddApplicationRequest.newBuilder()
                                    .setName("again")
                                    .setPipedId(home.piped().value())
                                    .setGitPath(gitPath)
                                    .build());
        };
    }

    @Test
    void onePlaceIsRegisteredOnceAndOnlyWhereItsAgentLooks() throws Throwable {
        fails(
                Status.Code.ALREADY_EXISTS,
                "application: " + home.application() + " stands for site",
                adding("./site/", "demo"));
        fails(
                Status.Code.NOT_FOUND,
                "repository: other (expected: one of [demo]",
                adding("x/y", "other"));
        fails(Status.Code.INVALID_ARGUMENT, "path: \"../site\"", adding("../site", "demo"));

        adding("site/two", "demo").call();

        assertThat(
                        web.getApplication(
                                        GetApplicationRequest.newBuilder()
                                                .setApplicationId(home.application())
                                                .build())
                                .getApplication()
                                .getGitPath()
                                .getUrl())
                .isEqualTo("https://git.example/org/demo/tree/main/site");
    }

    @Test
    void whatTheAgentTellsOfAnApplicationIsShown() {
        var state =
                ApplicationSyncState.newBuilder()
                        .setStatus(ApplicationSyncStatus.OUT_OF_SYNC)
                        .setShortReason("changed")
                        .setTimestamp(3)
                        .build();
        var report =
                ReportApplicationSyncStateRequest.newBuilder()
                        .setApplicationId(home.application())
                        .setState(state)
                        .build();
        var trail = world.features.changes().latest();
        var _ = home.calls().reportApplicationSyncState(report);
        assertThat(world.features.changes().latest()).isEqualTo(trail + 1);
        var again = report.toBuilder().setState(state.toBuilder().setTimestamp(4)).build();
        var _ = home.calls().reportApplicationSyncState(again); // no news
        assertThat(world.features.changes().latest()).isEqualTo(trail + 1);

        var shown = application();
        assertThat(shown.getSyncState()).isEqualTo(again.getState());
        var wanted =
                GetApplicationMostRecentDeploymentRequest.newBuilder()
                        .setApplicationId(home.application())
                        .setStatus(DeploymentStatus.DEPLOYMENT_PENDING)
                        .build();
        fails(
                Status.Code.NOT_FOUND,
                "none of status DEPLOYMENT_PENDING yet",
                () -> home.calls().getApplicationMostRecentDeployment(wanted));
        var reference = ApplicationDeploymentReference.newBuilder().setDeploymentId("d1").build();
        var _ =
                home.calls()
                        .reportApplicationMostRecentDeployment(
                                ReportApplicationMostRecentDeploymentRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .setStatus(DeploymentStatus.DEPLOYMENT_PENDING)
                                        .setDeployment(reference)
                                        .build());
        assertThat(home.calls().getApplicationMostRecentDeployment(wanted).getDeployment())
                .isEqualTo(reference);
    }

    private Application application() {
        return home.calls()
                .listApplications(ListApplicationsRequest.getDefaultInstance())
                .getApplications(0);
    }

    @Test
    void namesComeFromGitAndStrayConfigurationsAreSuggested() {
        var info =
                ApplicationInfo.newBuilder()
                        .setId(home.application())
                        .setName("renamed")
                        .putLabels("team", "web")
                        .build();
        var _ =
                home.calls()
                        .updateApplicationConfigurations(
                                UpdateApplicationConfigurationsRequest.newBuilder()
                                        .addApplications(info)
                                        .build());
        assertThat(application().getName()).isEqualTo("renamed");
        assertThat(application().getLabelsMap()).isEqualTo(Map.of("team", "web"));

        var _ =
                home.calls()
                        .reportUnregisteredApplicationConfigurations(
                                ReportUnregisteredApplicationConfigurationsRequest.newBuilder()
                                        .addApplications(info.toBuilder().clearId().setPath("p/q"))
                                        .build());
        assertThat(
                        web.listUnregisteredApplications(
                                        ListUnregisteredApplicationsRequest.getDefaultInstance())
                                .getApplicationsList())
                .extracting(ApplicationInfo::getPath)
                .containsExactly("p/q");
    }

    @Test
    void sharedObjectsAreKeptPerPluginAndKey() {
        var put =
                PutApplicationSharedObjectRequest.newBuilder()
                        .setApplicationId(home.application())
                        .setPluginName("analysis")
                        .setKey("last")
                        .setObject(ByteString.copyFromUtf8("42"))
                        .build();
        var get =
                GetApplicationSharedObjectRequest.newBuilder()
                        .setApplicationId(home.application())
                        .setPluginName("analysis")
                        .setKey("last");
        fails(
                Status.Code.NOT_FOUND,
                "shared object: last",
                () -> home.calls().getApplicationSharedObject(get.build()));

        var _ = home.calls().putApplicationSharedObject(put);

        assertThat(home.calls().getApplicationSharedObject(get.build()).getObject().toStringUtf8())
                .isEqualTo("42");
        fails(
                Status.Code.INVALID_ARGUMENT,
                "id: \"../x.json\"",
                () -> home.calls().getApplicationSharedObject(get.clone().setKey("../x").build()));
    }

    @Test
    void anAgentIsOnlineForTwoMinutesAfterItsLastWord() {
        var _ = home.calls().reportStat(ReportStatRequest.getDefaultInstance());
        assertThat(status()).isEqualTo(Piped.ConnectionStatus.ONLINE);

        world.now.set(world.now.get().plus(Duration.ofMinutes(2)));

        assertThat(status()).isEqualTo(Piped.ConnectionStatus.OFFLINE);
    }

    private Piped.ConnectionStatus status() {
        return web.listPipeds(ListPipedsRequest.newBuilder().setWithStatus(true).build())
                .getPipeds(0)
                .getStatus();
    }

    @Test
    void deploymentsAreFilteredAndPagedNewestFirst() {
        for (var i = 0; i < 5; i++) {
            world.now.set(world.now.get().plusSeconds(i / 2)); // some share their second
            home.create("d" + i);
        }
        complete("d2", DeploymentStatus.DEPLOYMENT_FAILURE);

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

    @Test
    void listsWithoutOptionsAreSafe() {
        assertThat(
                        web.listApplications(
                                        dev.pipecd.wire.web.ListApplicationsRequest
                                                .getDefaultInstance())
                                .getApplicationsList())
                .hasSize(1);
        assertThat(
                        api.listDeployments(
                                        dev.pipecd.wire.api.ListDeploymentsRequest.newBuilder()
                                                .addStatuses("")
                                                .addKinds("")
                                                .build())
                                .getDeploymentsList())
                .isEmpty();
        fails(
                Status.Code.INVALID_ARGUMENT,
                "kind: \"SHIP\" (expected: one of KUBERNETES, ",
                () ->
                        api.listApplications(
                                dev.pipecd.wire.api.ListApplicationsRequest.newBuilder()
                                        .setKind("SHIP")
                                        .build()));
    }

    @Test
    void peopleKnowWhereTheyAreAndNothingSecret() {
        assertThat(web.getMe(GetMeRequest.getDefaultInstance()).getSubject()).isEqualTo("ann");
        var project = web.getProject(GetProjectRequest.getDefaultInstance()).getProject();
        assertThat(project.getStaticAdmin().getPasswordHash()).isEqualTo("redacted");
        assertThat(project.getRbacRolesList())
                .extracting(r -> r.getName())
                .containsExactly("Admin", "Editor", "Viewer");
    }

    @Test
    void whatIsOurOwnFaultIsToldAsSuchAndNoMore() {
        assertThat(Failures.of(new IllegalStateException("password=hunter2")))
                .satisfies(s -> {
                    assertThat(s.getCode()).isEqualTo(Status.Code.INTERNAL);
                    assertThat(s.getDescription()).doesNotContain("hunter2");
                });
    }
}
