// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.GetApplicationRequest;
import dev.pipecd.wire.api.GetApplicationResponse;
import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.api.GetCommandResponse;
import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.api.ListApplicationsResponse;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.api.SyncApplicationResponse;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ApplicationCommandsTest {
    private static final String SITE = "11111111-aaaa-4bbb-8ccc-000000000001";
    private static final String SHOP = "11111111-aaaa-4bbb-8ccc-000000000002";
    private static final String DEPLOYMENT = "22222222-aaaa-4bbb-8ccc-000000000001";

    private final RecordingApiService api = RecordingApiService.publicOne();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void listPrintsATableWithWholeIds() {
        api.answer(ListApplicationsRequest.class, applications(site(), shop()));

        var run = pipectl(server, "application", "list");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                """
                                ID                                    NAME           STATUS     LATEST DEPLOYMENT                     TRIGGERED
                                11111111-aaaa-4bbb-8ccc-000000000001  site           SYNCED     22222222-aaaa-4bbb-8ccc-000000000001  2026-11-15T20:00:00Z
                                11111111-aaaa-4bbb-8ccc-000000000002  sh\\u{1b}[2Jop  DEPLOYING  -                                     -
                                """,
                                ""));
    }

    @Test
    void listSendsItsFiltersAndTheKey() {
        api.answer(ListApplicationsRequest.class, applications());

        var run =
                pipectl(
                        server,
                        "application",
                        "list",
                        "--app-name=site",
                        "--app-kind",
                        "KUBERNETES",
                        "--piped-id",
                        "p1",
                        "--disabled",
                        "--label",
                        "env:prod,team:web",
                        "--label=a:b:c",
                        "--limit",
                        "5",
                        "--cursor=c1");

        assertThat(run).isEqualTo(new Run(0, "", "No application matches.\n"));
        assertThat(api.requests())
                .containsExactly(
                        ListApplicationsRequest.newBuilder()
                                .setName("site")
                                .setKind("KUBERNETES")
                                .setPipedId("p1")
                                .setDisabled(true)
                                .putLabels("env", "prod")
                                .putLabels("team", "web")
                                .putLabels("a", "b:c")
                                .setLimit(5)
                                .setCursor("c1")
                                .build());
        assertThat(server.credentials()).containsExactly("API-KEY k1.secret");
    }

    @Test
    void listAsksForTenUnlessToldOtherwise() {
        api.answer(ListApplicationsRequest.class, applications());

        pipectl(server, "application", "list");

        assertThat(api.requests())
                .containsExactly(ListApplicationsRequest.newBuilder().setLimit(10).build());
    }

    @Test
    void aFullPageTellsHowToGoOn() {
        api.answer(
                ListApplicationsRequest.class,
                applications(site()).toBuilder().setCursor("next").build());

        var run = pipectl(server, "application", "list", "--limit", "1");

        assertThat(run.err())
                .isEqualTo(
                        "There may be more: go on with --cursor next, or show more with --limit.\n");
    }

    @Test
    void getPrintsOneApplicationInFull() {
        api.answer(
                GetApplicationRequest.class,
                GetApplicationResponse.newBuilder().setApplication(site()).build());

        var run = pipectl(server, "application", "get", "--app-id", SITE);

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                """
                                ID:                 11111111-aaaa-4bbb-8ccc-000000000001
                                Name:               site
                                Description:        -
                                Status:             SYNCED
                                Reason:             -
                                Checked:            2026-11-15T20:00:00Z
                                Agent:              p1
                                Project:            quickstart
                                Repository:         demo
                                Branch:             main
                                Directory:          apps/site
                                Config file:        app.pipecd.yaml
                                Deploy targets:     script: here, there; wait: -
                                Labels:             env:prod, team:web
                                Latest deployment:  22222222-aaaa-4bbb-8ccc-000000000001 at 2026-11-15T20:00:00Z
                                Last successful:    -
                                Created:            2026-11-15T20:00:00Z
                                Updated:            -
                                """,
                                ""));
        assertThat(api.requests())
                .containsExactly(GetApplicationRequest.newBuilder().setApplicationId(SITE).build());
    }

    @Test
    void syncPrintsTheDeploymentOnceTheAgentHasTakenTheOrder() {
        api.answer(
                        SyncApplicationRequest.class,
                        SyncApplicationResponse.newBuilder().setCommandId("c1").build())
                .answer(
                        GetCommandRequest.class,
                        command(CommandStatus.COMMAND_NOT_HANDLED_YET, ""),
                        command(CommandStatus.COMMAND_SUCCEEDED, DEPLOYMENT));

        var run = pipectl(server, "application", "sync", "--app-id", SITE);

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                "Triggered deployment " + DEPLOYMENT + "\n",
                                "Sync of "
                                        + SITE
                                        + " is ordered (command c1); waiting for its agent.\n"));
        assertThat(api.requests())
                .startsWith(SyncApplicationRequest.newBuilder().setApplicationId(SITE).build());
    }

    @Test
    void syncWaitsForTheDeploymentWhenAsked() {
        api.answer(
                        SyncApplicationRequest.class,
                        SyncApplicationResponse.newBuilder().setCommandId("c1").build())
                .answer(
                        GetCommandRequest.class,
                        command(CommandStatus.COMMAND_SUCCEEDED, DEPLOYMENT))
                .answer(
                        GetDeploymentRequest.class,
                        deployment(DeploymentStatus.DEPLOYMENT_RUNNING),
                        deployment(DeploymentStatus.DEPLOYMENT_SUCCESS));

        var run =
                pipectl(
                        server,
                        "application",
                        "sync",
                        "--app-id",
                        SITE,
                        "--wait-status",
                        "success,failure");

        assertThat(run.code()).isZero();
        assertThat(run.out())
                .isEqualTo(
                        "Triggered deployment %s\nDeployment %s reached SUCCESS\n"
                                .formatted(DEPLOYMENT, DEPLOYMENT));
    }

    @Test
    void syncGivesTheDeploymentTheWholeTimeHoweverLongTheAgentTook() {
        var around = new Surroundings();
        var taken = around.now().plus(Duration.ofMinutes(3));
        var ended = taken.plus(Duration.ofMinutes(4));
        Function<GetCommandRequest, GetCommandResponse> command =
                _ ->
                        around.now().isBefore(taken)
                                ? command(CommandStatus.COMMAND_NOT_HANDLED_YET, "")
                                : command(CommandStatus.COMMAND_SUCCEEDED, DEPLOYMENT);
        Function<GetDeploymentRequest, GetDeploymentResponse> deployment =
                _ ->
                        around.now().isBefore(ended)
                                ? deployment(DeploymentStatus.DEPLOYMENT_RUNNING)
                                : deployment(DeploymentStatus.DEPLOYMENT_SUCCESS);
        api.answer(
                        SyncApplicationRequest.class,
                        SyncApplicationResponse.newBuilder().setCommandId("c1").build())
                .answer(GetCommandRequest.class, command)
                .answer(GetDeploymentRequest.class, deployment);

        var run =
                around.pipectl(
                        server,
                        "application",
                        "sync",
                        "--app-id",
                        SITE,
                        "--wait-status=SUCCESS",
                        "--timeout=5m");

        assertThat(run.code()).as(run.err()).isZero();
    }

    @Test
    void syncSaysWhenTheAgentRefused() {
        api.answer(
                        SyncApplicationRequest.class,
                        SyncApplicationResponse.newBuilder().setCommandId("c1").build())
                .answer(GetCommandRequest.class, command(CommandStatus.COMMAND_FAILED, ""));

        var run = pipectl(server, "application", "sync", "--app-id", SITE);

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .endsWith(
                        "Error: command: c1 ended as FAILED without a deployment (expected: SUCCEEDED with a deployment). "
                                + "See the application's page in the web UI and the agent's log for the cause.\n");
    }

    @Test
    void syncTellsTheReasonOfTheAgent() {
        var refused = command(CommandStatus.COMMAND_FAILED, "").toBuilder();
        refused.getCommandBuilder().putMetadata("Reason", "branch main is gone\n");
        api.answer(
                        SyncApplicationRequest.class,
                        SyncApplicationResponse.newBuilder().setCommandId("c1").build())
                .answer(GetCommandRequest.class, refused.build());

        var run = pipectl(server, "application", "sync", "--app-id", SITE);

        assertThat(run.err())
                .contains(
                        "(expected: SUCCEEDED with a deployment): branch main is gone\\u{a}. See the ");
    }

    @Test
    void syncGivesUpWhenNoAgentTakesTheOrder() {
        api.answer(
                        SyncApplicationRequest.class,
                        SyncApplicationResponse.newBuilder().setCommandId("c1").build())
                .answer(
                        GetCommandRequest.class,
                        command(CommandStatus.COMMAND_NOT_HANDLED_YET, ""));

        var run = pipectl(server, "application", "sync", "--app-id", SITE, "--timeout", "300ms");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .endsWith(
                        "Error: command: c1 is not handled after 0.3s (expected: its agent takes it). "
                                + "Check that the application's agent is online; the order stays open and is carried out when it is.\n");
    }

    @Test
    void syncThatIsWatchedSaysThatTheTimeWasUpWhenNoAgentTakesTheOrder() {
        api.answer(
                        SyncApplicationRequest.class,
                        SyncApplicationResponse.newBuilder().setCommandId("c1").build())
                .answer(
                        GetCommandRequest.class,
                        command(CommandStatus.COMMAND_NOT_HANDLED_YET, ""));

        var run = pipectl(server, "application", "sync", "--app-id", SITE, "--watch");

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err())
                .endsWith(
                        "Error: command: c1 is not handled after 5m (expected: its agent takes it). "
                                + "Check that the application's agent is online; the order stays open and is carried out when it is.\n");
    }

    @Test
    void syncOutlastsAStoreThatIsAwayForAWhile() {
        api.answer(
                        SyncApplicationRequest.class,
                        SyncApplicationResponse.newBuilder().setCommandId("c1").build())
                .answer(
                        GetCommandRequest.class,
                        Deliveries.STORE_AWAY,
                        command(CommandStatus.COMMAND_SUCCEEDED, DEPLOYMENT));

        var run = pipectl(server, "application", "sync", "--app-id", SITE);

        assertThat(run.code()).isZero();
        assertThat(run.err())
                .endsWith(
                        """
                        Still trying: The control plane cannot do it now: store: unavailable. Look at the log of the control plane and at its database, then try again.
                        The control plane is back.
                        """);
    }

    private static ListApplicationsResponse applications(Application... applications) {
        return ListApplicationsResponse.newBuilder()
                .addAllApplications(java.util.List.of(applications))
                .build();
    }

    private static Application site() {
        return Application.newBuilder()
                .setId(SITE)
                .setName("site")
                .setPipedId("p1")
                .setProjectId("quickstart")
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(
                                        ApplicationGitRepository.newBuilder()
                                                .setId("demo")
                                                .setBranch("main"))
                                .setPath("apps/site")
                                .setConfigFilename("app.pipecd.yaml"))
                .putLabels("team", "web")
                .putLabels("env", "prod")
                .putDeployTargetsByPlugin(
                        "wait", DeployTargets.newBuilder().addDeployTargets("-").build())
                .putDeployTargetsByPlugin(
                        "script",
                        DeployTargets.newBuilder()
                                .addDeployTargets("here")
                                .addDeployTargets("there")
                                .build())
                .setSyncState(
                        ApplicationSyncState.newBuilder()
                                .setStatus(ApplicationSyncStatus.SYNCED)
                                .setTimestamp(1_794_772_800))
                .setMostRecentlyTriggeredDeployment(
                        ApplicationDeploymentReference.newBuilder()
                                .setDeploymentId(DEPLOYMENT)
                                .setTrigger(
                                        DeploymentTrigger.newBuilder().setTimestamp(1_794_772_800)))
                .setCreatedAt(1_794_772_800)
                .build();
    }

    private static Application shop() {
        return Application.newBuilder()
                .setId(SHOP)
                .setName("sh\u001b[2Jop")
                .setDeploying(true)
                .build();
    }

    private static GetCommandResponse command(CommandStatus status, String deployment) {
        var command = Command.newBuilder().setId("c1").setStatus(status);
        if (!deployment.isEmpty()) command.putMetadata("TriggeredDeploymentID", deployment);
        return GetCommandResponse.newBuilder().setCommand(command).build();
    }

    private static GetDeploymentResponse deployment(DeploymentStatus status) {
        return GetDeploymentResponse.newBuilder()
                .setDeployment(Deployment.newBuilder().setId(DEPLOYMENT).setStatus(status))
                .build();
    }
}
