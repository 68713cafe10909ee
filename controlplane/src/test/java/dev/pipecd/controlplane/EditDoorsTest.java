// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Calls.fails;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.api.RenameApplicationConfigFileRequest;
import dev.pipecd.wire.api.UpdateApplicationDeployTargetsRequest;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.ManualOperation;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.GetDesiredVersionRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportApplicationDeployingStatusRequest;
import dev.pipecd.wire.piped.ReportDeploymentPlannedRequest;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.piped.ReportUnregisteredApplicationConfigurationsRequest;
import dev.pipecd.wire.web.*;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EditDoorsTest {
    @TempDir Path folder;
    private World world;
    private Samples.Home home;
    private WebServiceBlockingStub web;
    private APIServiceBlockingStub api;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        doors();
    }

    private void doors() {
        web = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Admin")));
        api = APIServiceGrpc.newBlockingStub(world.as(World.holder(HERE, true)));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private Application application(String id) {
        return web.getApplication(GetApplicationRequest.newBuilder().setApplicationId(id).build())
                .getApplication();
    }

    private String another(String path) {
        return web.addApplication(
                        AddApplicationRequest.newBuilder()
                                .setName("another")
                                .setPipedId(home.piped().value())
                                .setGitPath(Samples.gitPath(path))
                                .build())
                .getApplicationId();
    }

    private String secondPiped(String... repositories) {
        var west =
                web.registerPiped(RegisterPipedRequest.newBuilder().setName("west").build())
                        .getId();
        var meta = ReportPipedMetaRequest.newBuilder();
        for (var repository : repositories)
            meta.addRepositories(
                    ApplicationGitRepository.newBuilder()
                            .setId(repository)
                            .setRemote("https://mirror.example/demo.git")
                            .setBranch("trunk"));
        var agent = World.agent(HERE, new PipedId(west));
        var _ = PipedServiceGrpc.newBlockingStub(world.as(agent)).reportPipedMeta(meta.build());
        return west;
    }

    private UpdateApplicationRequest.Builder update(String piped) {
        return UpdateApplicationRequest.newBuilder()
                .setApplicationId(home.application())
                .setName("ignored")
                .setPipedId(piped);
    }

    @Test
    void anApplicationMovesToAnAgentThatWatchesItsRepository() {
        var west = secondPiped("demo");

        var _ =
                web.updateApplication(
                        update(west)
                                .setConfigFilename("new.pipecd.yaml")
                                .putDeployTargetsByPlugin(
                                        "hosts",
                                        DeployTargets.newBuilder().addDeployTargets("b").build())
                                .build());

        var moved = application(home.application());
        assertThat(moved.getName()).isEqualTo("site");
        assertThat(moved.getPipedId()).isEqualTo(west);
        assertThat(moved.getGitPath().getConfigFilename()).isEqualTo("new.pipecd.yaml");
        assertThat(moved.getGitPath().getRepo().getBranch()).isEqualTo("trunk");
        assertThat(moved.getDeployTargetsByPluginOrThrow("hosts").getDeployTargets(0))
                .isEqualTo("b");
        var deploying =
                ReportApplicationDeployingStatusRequest.newBuilder()
                        .setApplicationId(home.application())
                        .setDeploying(true)
                        .build();
        var _ =
                PipedServiceGrpc.newBlockingStub(world.as(World.agent(HERE, new PipedId(west))))
                        .reportApplicationDeployingStatus(deploying);
        fails(
                Status.Code.PERMISSION_DENIED,
                "belongs to another piped",
                () -> home.calls().reportApplicationDeployingStatus(deploying));
        var blind = secondPiped();
        fails(
                Status.Code.NOT_FOUND,
                "repository: demo",
                () -> web.updateApplication(update(blind).build()));
    }

    @Test
    void anUpdateWithAKeyKeepsTheDeployTargets() {
        var targets = DeployTargets.newBuilder().addDeployTargets("a").build();
        var _ =
                api.updateApplicationDeployTargets(
                        UpdateApplicationDeployTargetsRequest.newBuilder()
                                .setApplicationId(home.application())
                                .putDeployTargetsByPlugin("hosts", targets)
                                .build());

        var _ =
                api.updateApplication(
                        dev.pipecd.wire.api.UpdateApplicationRequest.newBuilder()
                                .setApplicationId(home.application())
                                .setPipedId(home.piped().value())
                                .setGitPath(Samples.gitPath("site"))
                                .build());

        assertThat(application(home.application()).getDeployTargetsByPluginOrThrow("hosts"))
                .isEqualTo(targets);
    }

    @Test
    void oneFileOfOneAgentIsOneApplicationAlsoAfterAChange() {
        var id = another("site2");
        fails(Status.Code.ALREADY_EXISTS, home.application(), () -> another("./site//"));
        var _ =
                api.renameApplicationConfigFile(
                        RenameApplicationConfigFileRequest.newBuilder()
                                .addApplicationIds(id)
                                .setNewFilename("two.pipecd.yaml")
                                .build());
        assertThat(application(id).getGitPath().getConfigFilename()).isEqualTo("two.pipecd.yaml");

        var beside =
                web.addApplication(
                                AddApplicationRequest.newBuilder()
                                        .setName("beside")
                                        .setPipedId(home.piped().value())
                                        .setGitPath(
                                                Samples.gitPath("site").toBuilder()
                                                        .setConfigFilename("b.pipecd.yaml"))
                                        .build())
                        .getApplicationId();
        fails(
                Status.Code.ALREADY_EXISTS,
                "application: " + home.application() + " stands for site of demo already",
                () ->
                        api.renameApplicationConfigFile(
                                RenameApplicationConfigFileRequest.newBuilder()
                                        .addApplicationIds(beside)
                                        .setNewFilename("app.pipecd.yaml")
                                        .build()));
        fails(
                Status.Code.INVALID_ARGUMENT,
                "config_filename",
                () ->
                        api.renameApplicationConfigFile(
                                RenameApplicationConfigFileRequest.newBuilder()
                                        .addApplicationIds(beside)
                                        .setNewFilename("../x.pipecd.yaml")
                                        .build()));
    }

    private void rename(String file, String... applications) {
        var _ =
                api.renameApplicationConfigFile(
                        RenameApplicationConfigFileRequest.newBuilder()
                                .addAllApplicationIds(List.of(applications))
                                .setNewFilename(file)
                                .build());
    }

    private String configFile(String id) {
        return application(id).getGitPath().getConfigFilename();
    }

    @Test
    void ofSeveralFilesAllAreRenamedOrNone() {
        var first = another("first");
        var second = another("second");
        var deleted = another("third");
        var _ =
                web.deleteApplication(
                        DeleteApplicationRequest.newBuilder().setApplicationId(deleted).build());
        rename("old.pipecd.yaml", second);
        var beside = another("second");

        fails(
                Status.Code.NOT_FOUND,
                "application: " + deleted,
                () -> rename("new.pipecd.yaml", first, second, deleted));
        fails(
                Status.Code.ALREADY_EXISTS,
                "stands for second of demo already",
                () -> rename("app.pipecd.yaml", first, second));
        fails(
                Status.Code.ALREADY_EXISTS,
                "stands for second of demo already",
                () -> rename("new.pipecd.yaml", first, second, beside));

        assertThat(List.of(configFile(first), configFile(second), configFile(beside)))
                .containsExactly("app.pipecd.yaml", "old.pipecd.yaml", "app.pipecd.yaml");
        rename("new.pipecd.yaml", first, second, first);
        assertThat(List.of(configFile(first), configFile(second))).containsOnly("new.pipecd.yaml");
    }

    @Test
    void aDeletedApplicationIsGoneForEverybodyAndItsPlaceIsFree() {
        var _ =
                web.deleteApplication(
                        DeleteApplicationRequest.newBuilder()
                                .setApplicationId(home.application())
                                .build());

        assertThat(
                        web.listApplications(ListApplicationsRequest.getDefaultInstance())
                                .getApplicationsCount())
                .isZero();
        assertThat(
                        home.calls()
                                .listApplications(
                                        dev.pipecd.wire.piped.ListApplicationsRequest
                                                .getDefaultInstance())
                                .getApplicationsCount())
                .isZero();
        fails(
                Status.Code.INVALID_ARGUMENT,
                "is deleted",
                () ->
                        web.enableApplication(
                                EnableApplicationRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .build()));
        assertThat(another("site")).isNotEqualTo(home.application());
    }

    @Test
    void suggestionsOutliveTheServerAndEndWithTheirAgent() throws Exception {
        var _ =
                home.calls()
                        .reportUnregisteredApplicationConfigurations(
                                ReportUnregisteredApplicationConfigurationsRequest.newBuilder()
                                        .addApplications(info("b"))
                                        .addApplications(info("a"))
                                        .build());
        world.close();
        world = new World(folder);
        doors();

        assertThat(suggested()).containsExactly("a", "b");
        var _ =
                web.disablePiped(
                        DisablePipedRequest.newBuilder().setPipedId(home.piped().value()).build());
        assertThat(suggested()).isEmpty();
    }

    private static ApplicationInfo info(String path) {
        return ApplicationInfo.newBuilder().setName(path).setRepoId("demo").setPath(path).build();
    }

    private List<String> suggested() {
        return web
                .listUnregisteredApplications(
                        ListUnregisteredApplicationsRequest.getDefaultInstance())
                .getApplicationsList()
                .stream()
                .map(ApplicationInfo::getPath)
                .toList();
    }

    @Test
    void anAgentIsRenamedToldItsVersionAndRestarted() {
        var id = home.piped().value();
        var _ =
                web.updatePiped(
                        UpdatePipedRequest.newBuilder()
                                .setPipedId(id)
                                .setName("north")
                                .setDesc("moved")
                                .build());
        var _ =
                web.updatePipedDesiredVersion(
                        UpdatePipedDesiredVersionRequest.newBuilder()
                                .addPipedIds(id)
                                .setVersion("v0.57.1")
                                .build());
        var command =
                web.restartPiped(RestartPipedRequest.newBuilder().setPipedId(id).build())
                        .getCommandId();

        var piped = web.getPiped(GetPipedRequest.newBuilder().setPipedId(id).build()).getPiped();
        assertThat(List.of(piped.getName(), piped.getDesc())).containsExactly("north", "moved");
        assertThat(
                        home.calls()
                                .getDesiredVersion(GetDesiredVersionRequest.getDefaultInstance())
                                .getVersion())
                .isEqualTo("v0.57.1");
        assertThat(
                        home.calls()
                                .listUnhandledCommands(
                                        ListUnhandledCommandsRequest.getDefaultInstance())
                                .getCommandsList())
                .extracting(Command::getId, Command::getType)
                .containsExactly(tuple(command, Command.Type.RESTART_PIPED));
    }

    private void planned(PipelineStage stage) {
        home.create("d1");
        var _ =
                home.calls()
                        .reportDeploymentPlanned(
                                ReportDeploymentPlannedRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .addStages(stage)
                                        .build());
    }

    private String skip() {
        return web.skipStage(
                        SkipStageRequest.newBuilder()
                                .setDeploymentId("d1")
                                .setStageId("s1")
                                .build())
                .getCommandId();
    }

    @Test
    void aStageThatSaysItCanBeSkippedIsSkipped() {
        planned(
                Samples.stage("s1", "SOAK", false).toBuilder()
                        .setAvailableOperation(ManualOperation.MANUAL_OPERATION_SKIP)
                        .build());
        fails(Status.Code.FAILED_PRECONDITION, "expected: a running stage", this::skip);

        home.stage("d1", "s1", StageStatus.STAGE_RUNNING);

        assertThat(skip()).isNotEmpty();
    }

    @Test
    void aStageThatCannotBeSkippedIsNot() {
        planned(Samples.stage("s1", "SCRIPT_RUN", false));
        home.stage("d1", "s1", StageStatus.STAGE_RUNNING);

        fails(Status.Code.FAILED_PRECONDITION, "that can be skipped", this::skip);
    }
}
