// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.pipecd.wire.api.AddApplicationRequest;
import dev.pipecd.wire.api.AddApplicationResponse;
import dev.pipecd.wire.api.GetApplicationRequest;
import dev.pipecd.wire.api.GetApplicationResponse;
import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.api.ListApplicationsResponse;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import dev.pipecd.wire.api.ListStageLogsRequest;
import dev.pipecd.wire.api.ListStageLogsResponse;
import dev.pipecd.wire.api.StageLog;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.LogSeverity;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What the four public commands that print JSON print with `-o json`. The expected lines were
/// written by Go's `json.Marshal` from structs with the field tags of the public messages.
class PublicJsonTest {
    private static final String SITE =
            "{\"id\":\"a1\",\"name\":\"site\",\"piped_id\":\"p1\",\"project_id\":\"quickstart\",\"kind\":5,\"git_path\":{\"repo\":{\"id\":\"demo\",\"branch\":\"main\"},\"path\":\"apps/site\",\"config_filename\":\"app.pipecd.yaml\"},\"deploy_targets_by_plugin\":{\"kubernetes\":{\"deploy_targets\":[\"tokyo\",\"osaka\"]},\"wait\":{}},\"description\":\"R\\u0026D \\u003csite\\u003e\",\"labels\":{\"env\":\"prod\",\"team\":\"\"},\"most_recently_triggered_deployment\":{\"deployment_id\":\"d1\",\"trigger\":{\"commit\":{\"hash\":\"abc\",\"pull_request\":7},\"timestamp\":1794772800}},\"sync_state\":{\"status\":1,\"timestamp\":1794772801},\"deploying\":true,\"created_at\":1794772800,\"updated_at\":1794772802}";

    private final RecordingApiService api = RecordingApiService.publicOne();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void anApplication() {
        api.answer(
                GetApplicationRequest.class,
                GetApplicationResponse.newBuilder().setApplication(site()).build());

        assertPrints(SITE, "application", "get", "--app-id=a1");
    }

    @Test
    void aListOfApplications() {
        api.answer(
                ListApplicationsRequest.class,
                ListApplicationsResponse.newBuilder()
                        .addApplications(site())
                        .addApplications(Application.newBuilder().setId("a2"))
                        .setCursor("next")
                        .build());

        assertPrints(
                "{\"applications\":[" + SITE + ",{\"id\":\"a2\"}],\"cursor\":\"next\"}",
                "application",
                "list",
                "--limit=2");
    }

    @Test
    void anEmptyList() {
        api.answer(ListApplicationsRequest.class, ListApplicationsResponse.getDefaultInstance());

        assertPrints("{}", "application", "list");
    }

    @Test
    void aListOfDeployments() {
        var stage =
                PipelineStage.newBuilder()
                        .setId("s1")
                        .setName("WAIT")
                        .setVisible(true)
                        .setStatus(StageStatus.STAGE_SUCCESS)
                        .addRequires("s0")
                        .putMetadata("b", "2")
                        .putMetadata("a", "1")
                        .setCompletedAt(1_794_772_802);
        api.answer(
                ListDeploymentsRequest.class,
                ListDeploymentsResponse.newBuilder()
                        .addDeployments(
                                Deployment.newBuilder()
                                        .setId("d1")
                                        .setApplicationName("site")
                                        .setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                                        .addStages(stage)
                                        .setCompletedAt(1_794_772_803))
                        .addDeployments(
                                Deployment.newBuilder()
                                        .setId("d2")
                                        .setDeploymentChainBlockIndex(-1)) // unsigned
                        .setCursor("next")
                        .build());

        assertPrints(
                """
                {"deployments":[{"id":"d1","application_name":"site","status":4,"stages":[{"id":"s1","name":"WAIT","requires":["s0"],"visible":true,"status":2,"metadata":{"a":"1","b":"2"},"completed_at":1794772802}],"completed_at":1794772803},{"id":"d2","deployment_chain_block_index":4294967295}],"cursor":"next"}
                """,
                "deployment",
                "list",
                "--limit=2");
    }

    @Test
    void theLogsOfADeploymentInTheOrderOfTheStages() {
        var hello =
                LogBlock.newBuilder()
                        .setIndex(1)
                        .setLog("hello \"you\"")
                        .setCreatedAt(1_794_772_801);
        var broken =
                LogBlock.newBuilder().setIndex(2).setLog("broken").setSeverity(LogSeverity.ERROR);
        api.answer(
                ListStageLogsRequest.class,
                ListStageLogsResponse.newBuilder()
                        .putStageLogs("s2", StageLog.getDefaultInstance())
                        .putStageLogs(
                                "s1",
                                StageLog.newBuilder()
                                        .addBlocks(hello)
                                        .addBlocks(broken)
                                        .setCompleted(true)
                                        .build())
                        .build());

        var line =
                """
                {"stage_logs":{"s1":{"blocks":[{"index":1,"log":"hello \\"you\\"","created_at":1794772801},{"index":2,"log":"broken","severity":2}],"completed":true},"s2":{}}}
                """;
        assertThat(pipectl(server, "deployment", "logs", "--deployment-id=d1", "--output=json"))
                .isEqualTo(new Run(0, line, ""));
    }

    @Test
    void yamlHasTheSameNamesButEveryFieldAndTheNamesOfStatuses() {
        api.answer(
                ListApplicationsRequest.class,
                ListApplicationsResponse.newBuilder().addApplications(site()).build());

        assertThat(pipectl(server, "application", "list", "-o", "yaml").out())
                .startsWith("applications:\n- id: a1\n  name: site\n")
                .contains("\n  kind: ECS\n  git_path:\n    repo:\n")
                .contains("\n  sync_state:\n    status: SYNCED\n")
                .contains("\n  disabled: false\n")
                .endsWith("\ncursor: ''\n");
    }

    @Test
    void commandsThatPrintNoJsonInPublicHaveTheSameForm() {
        api.answer(
                AddApplicationRequest.class,
                AddApplicationResponse.newBuilder().setApplicationId("a1").build());

        assertPrints(
                "{\"application_id\":\"a1\"}",
                "application",
                "add",
                "--app-name=site",
                "--app-kind=ECS",
                "--piped-id=p1",
                "--platform-provider=ecs",
                "--repo-id=demo",
                "--app-dir=apps/site");
    }

    /// The order of the fields and how a character is escaped mean nothing in JSON; that it is one
    /// line does to a shell.
    private void assertPrints(String json, String... command) {
        var args = new java.util.ArrayList<>(java.util.List.of(command));
        args.add("-o=json");

        var run = pipectl(server, args.toArray(String[]::new));

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).endsWith("}\n").containsOnlyOnce("\n");
        assertThat(JsonParser.parseString(run.out())).isEqualTo(JsonParser.parseString(json));
    }

    private static Application site() {
        var latest =
                ApplicationDeploymentReference.newBuilder()
                        .setDeploymentId("d1")
                        .setTrigger(
                                DeploymentTrigger.newBuilder()
                                        .setCommit(
                                                Commit.newBuilder()
                                                        .setHash("abc")
                                                        .setPullRequest(7))
                                        .setTimestamp(1_794_772_800));
        return Application.newBuilder()
                .setId("a1")
                .setName("site")
                .setPipedId("p1")
                .setProjectId("quickstart")
                .setKind(ApplicationKind.ECS)
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(
                                        ApplicationGitRepository.newBuilder()
                                                .setId("demo")
                                                .setBranch("main"))
                                .setPath("apps/site")
                                .setConfigFilename("app.pipecd.yaml"))
                .putDeployTargetsByPlugin("wait", DeployTargets.getDefaultInstance())
                .putDeployTargetsByPlugin(
                        "kubernetes",
                        DeployTargets.newBuilder()
                                .addDeployTargets("tokyo")
                                .addDeployTargets("osaka")
                                .build())
                .setDescription("R&D <site>")
                .putLabels("team", "")
                .putLabels("env", "prod")
                .setMostRecentlyTriggeredDeployment(latest)
                .setSyncState(
                        ApplicationSyncState.newBuilder()
                                .setStatus(ApplicationSyncStatus.SYNCED)
                                .setTimestamp(1_794_772_801))
                .setDeploying(true)
                .setCreatedAt(1_794_772_800)
                .setUpdatedAt(1_794_772_802)
                .build();
    }
}
