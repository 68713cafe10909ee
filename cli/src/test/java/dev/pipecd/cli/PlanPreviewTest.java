// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.pipecd.wire.api.GetPlanPreviewResultsRequest;
import dev.pipecd.wire.api.GetPlanPreviewResultsResponse;
import dev.pipecd.wire.api.RequestPlanPreviewRequest;
import dev.pipecd.wire.api.RequestPlanPreviewResponse;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import dev.pipecd.wire.model.PlanPreviewCommandResult;
import dev.pipecd.wire.model.PluginPlanPreviewResult;
import dev.pipecd.wire.model.SyncStrategy;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlanPreviewTest {
    private final RecordingApiService api = RecordingApiService.publicOne();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @TempDir Path folder;

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void resultsAreWaitedForAndShown() {
        ordered("c1", "c2");
        api.answer(
                GetPlanPreviewResultsRequest.class,
                Status.NOT_FOUND.withDescription("not ready"),
                answers());

        var run = preview("--sort-label-keys", "tier");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                """
                                Application shop (env: prod): PIPELINE
                                  kubernetes(tokyo): 1 added
                                    + x
                                    - y
                                Application site (env: prod): QUICK_SYNC
                                  2 added, 1 changed
                                    - a
                                    + b\\u{1b}[2J
                                Application bad: cannot be planned
                                  reason: no plugin
                                Agent other (p2) gave no plan
                                  reason: maybe offline
                                """,
                                "Plan preview is ordered (commands c1, c2); waiting for 2 agents.\n"));
        assertThat(api.requests())
                .startsWith(
                        RequestPlanPreviewRequest.newBuilder()
                                .setRepoRemoteUrl("git@x:y.git")
                                .setHeadBranch("change")
                                .setHeadCommit("abc")
                                .setBaseBranch("main")
                                .setTimeout(300)
                                .build(),
                        GetPlanPreviewResultsRequest.newBuilder()
                                .addCommands("c1")
                                .addCommands("c2")
                                .setCommandHandleTimeout(300)
                                .build());
    }

    @Test
    @SuppressWarnings("deprecation") // what old agents tell
    void ofWhatCannotBePlannedItIsShownWhatTheToolsWrote() {
        ordered("c1");
        var old =
                ApplicationPlanPreviewResult.newBuilder()
                        .setApplicationName("net")
                        .setError("failed to run terraform plan")
                        .setPlanDetails(
                                ByteString.copyFromUtf8("Error: no such module\n  on a.tf\n"));
        var withPlugins =
                ApplicationPlanPreviewResult.newBuilder()
                        .setApplicationName("shop")
                        .setError("one of its targets cannot be planned")
                        .addPluginPlanResults(
                                PluginPlanPreviewResult.newBuilder()
                                        .setPluginName("kubernetes")
                                        .setDeployTarget("tokyo")
                                        .setPlanSummary(ByteString.copyFromUtf8("1 added"))
                                        .setPlanDetails(ByteString.copyFromUtf8("+ x\n")));
        api.answer(
                GetPlanPreviewResultsRequest.class,
                GetPlanPreviewResultsResponse.newBuilder()
                        .addResults(
                                PlanPreviewCommandResult.newBuilder()
                                        .addResults(old)
                                        .addResults(withPlugins))
                        .build());

        assertThat(preview().out())
                .isEqualTo(
                        """
                        Application net: cannot be planned
                          reason: failed to run terraform plan
                            Error: no such module
                              on a.tf
                        Application shop: cannot be planned
                          reason: one of its targets cannot be planned
                          kubernetes(tokyo): 1 added
                            + x
                        """);
    }

    /// As the public command line does: what reads the file counts on the order.
    @Test
    void labelsSortTheApplicationsOfEachAgentAndAgentsComeFirst() {
        ordered("c1", "c2");
        api.answer(
                GetPlanPreviewResultsRequest.class,
                GetPlanPreviewResultsResponse.newBuilder()
                        .addResults(
                                PlanPreviewCommandResult.newBuilder()
                                        .setPipedId("p2")
                                        .addResults(tiered("a", "back", "p2")))
                        .addResults(
                                PlanPreviewCommandResult.newBuilder()
                                        .setPipedId("p1")
                                        .addResults(tiered("b", "web", "p1"))
                                        .addResults(tiered("d", "back", "p1"))
                                        .addResults(tiered("c", "back", "p1")))
                        .build());

        var run = preview("--sort-label-keys", "tier");

        assertThat(run.out().lines())
                .containsExactly(
                        "Application c: QUICK_SYNC",
                        "Application d: QUICK_SYNC",
                        "Application b: QUICK_SYNC",
                        "Application a: QUICK_SYNC");
    }

    private static ApplicationPlanPreviewResult tiered(String name, String tier, String agent) {
        return ApplicationPlanPreviewResult.newBuilder()
                .setApplicationName(name)
                .setPipedId(agent)
                .putLabels("tier", tier)
                .setSyncStrategy(SyncStrategy.QUICK_SYNC)
                .build();
    }

    /// As the public command line writes it, but for its spelling of the angle brackets.
    @Test
    void theFileHasThePublicForm() throws IOException {
        ordered("c1");
        api.answer(GetPlanPreviewResultsRequest.class, answers());
        var file = folder.resolve("preview.json");

        preview("--out", file.toString());

        assertThat(Files.readString(file))
                .isEqualTo(
                        "{\"Applications\":[{\"ApplicationID\":\"a2\",\"ApplicationName\":\"shop\",\"ApplicationURL\":\"\",\"ApplicationKind\":\"KUBERNETES\",\"ApplicationDirectory\":\"apps/shop\",\"Env\":\"prod\",\"PlannedPluginNames\":\"kubernetes\",\"AllPluginNames\":\"kubernetes, wait\",\"SyncStrategy\":\"PIPELINE\",\"PlanSummary\":\"\",\"PlanDetails\":\"\",\"NoChange\":false,\"PluginPlanResults\":[{\"plugin_name\":\"kubernetes\",\"deploy_target\":\"tokyo\",\"plan_summary\":\"MSBhZGRlZA==\",\"plan_details\":\"KyB4Ci0geQo=\",\"diff_language\":\"diff\"}]},"
                                + "{\"ApplicationID\":\"a1\",\"ApplicationName\":\"site\",\"ApplicationURL\":\"http://cp/applications/a1\",\"ApplicationKind\":\"KUBERNETES\",\"ApplicationDirectory\":\"apps/site\",\"Env\":\"prod\",\"PlannedPluginNames\":\"\",\"AllPluginNames\":\"\",\"SyncStrategy\":\"QUICK_SYNC\",\"PlanSummary\":\"2 added, 1 changed\",\"PlanDetails\":\"- a\\n+ b\\u001b[2J\\n\",\"NoChange\":false,\"PluginPlanResults\":null}],"
                                + "\"FailureApplications\":[{\"ApplicationID\":\"a3\",\"ApplicationName\":\"bad\",\"ApplicationURL\":\"\",\"ApplicationKind\":\"KUBERNETES\",\"ApplicationDirectory\":\"apps/bad\",\"Env\":\"\",\"PlannedPluginNames\":\"\",\"AllPluginNames\":\"<unknown>\",\"Reason\":\"no plugin\",\"PlanDetails\":\"\",\"PluginPlanResults\":null}],"
                                + "\"FailurePipeds\":[{\"PipedID\":\"p2\",\"PipedName\":\"other\",\"PipedURL\":\"http://cp/settings/piped\",\"Reason\":\"maybe offline\"}]}");
    }

    @Test
    void theFileAppearsWholeOrNotAtAllAndNothingIsLeftBesideIt() throws IOException {
        ordered("c1");
        api.answer(GetPlanPreviewResultsRequest.class, Status.NOT_FOUND);
        var file = folder.resolve("preview.json");

        preview("--out", file.toString(), "--timeout", "90s");
        assertThat(folder).isEmptyDirectory();

        api.answer(GetPlanPreviewResultsRequest.class, answers());
        preview("--out", file.toString());
        assertThat(folder.toFile().list()).containsExactly("preview.json");
        assertThat(Files.readString(file)).endsWith("\"Reason\":\"maybe offline\"}]}");
    }

    @Test
    void aFileThatIsThereIsWrittenInItsPlace() throws IOException {
        ordered("c1");
        api.answer(
                GetPlanPreviewResultsRequest.class,
                GetPlanPreviewResultsResponse.getDefaultInstance());
        var file = folder.resolve("preview.json");
        Files.writeString(file, "what an earlier and much longer preview has left here".repeat(9));
        var link = Files.createSymbolicLink(folder.resolve("link.json"), file);

        preview("--out", link.toString());

        assertThat(link).isSymbolicLink();
        assertThat(Files.readString(file))
                .isEqualTo(
                        "{\"Applications\":null,\"FailureApplications\":null,\"FailurePipeds\":null}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"no/such/folder/x.json", "."})
    void aFileThatCannotBeWrittenIsToldBeforeAnythingIsOrdered(String name) {
        var file = folder.resolve(name);

        var run = preview("--out", file.toString());

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: --out: %s (expected: a file that can be written). Check the path and its permissions.\n"
                                        .formatted(file)));
        assertThat(api.requests()).isEmpty();
    }

    @Test
    void noAgentForTheRepositoryIsToldAndNoFailure() {
        api.answer(
                RequestPlanPreviewRequest.class, RequestPlanPreviewResponse.getDefaultInstance());

        assertThat(preview())
                .isEqualTo(
                        new Run(
                                0,
                                "No application is touched.\n",
                                "No agent watches this branch of this repository.\n"));
    }

    @Test
    void noPreviewInTimeIsAFailure() {
        ordered("c1");
        api.answer(GetPlanPreviewResultsRequest.class, Status.NOT_FOUND);

        var run = preview("--timeout", "90s");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .endsWith(
                        "Error: plan preview: no result after 1m30s (expected: an answer of 1 agents). Check that the agents are online, or wait longer with --timeout.\n");
    }

    @Test
    void jsonAndYamlAreForPrograms() {
        ordered("c1");
        api.answer(
                GetPlanPreviewResultsRequest.class,
                GetPlanPreviewResultsResponse.getDefaultInstance());

        assertThat(preview("-o", "json").out())
                .isEqualTo(
                        "{\"Applications\":null,\"FailureApplications\":null,\"FailurePipeds\":null}\n");
        assertThat(preview("-o", "yaml").out())
                .isEqualTo("Applications: null\nFailureApplications: null\nFailurePipeds: null\n");
    }

    private void ordered(String... commands) {
        api.answer(
                RequestPlanPreviewRequest.class,
                RequestPlanPreviewResponse.newBuilder()
                        .addAllCommands(Stream.of(commands).toList())
                        .build());
    }

    private Run preview(String... flags) {
        var args =
                Stream.of(
                        "plan-preview",
                        "--repo-remote-url=git@x:y.git",
                        "--head-branch=change",
                        "--head-commit=abc",
                        "--base-branch=main");
        return Run.pipectl(server, Stream.concat(args, Stream.of(flags)).toArray(String[]::new));
    }

    @SuppressWarnings("deprecation") // what old agents tell
    private static GetPlanPreviewResultsResponse answers() {
        var old =
                ApplicationPlanPreviewResult.newBuilder()
                        .setApplicationId("a1")
                        .setApplicationName("site")
                        .setApplicationUrl("http://cp/applications/a1")
                        .setApplicationDirectory("apps/site")
                        .setPipedId("p1")
                        .putLabels("env", "prod")
                        .putLabels("tier", "web")
                        .setSyncStrategy(SyncStrategy.QUICK_SYNC)
                        .setPlanSummary(ByteString.copyFromUtf8("2 added, 1 changed"))
                        .setPlanDetails(ByteString.copyFromUtf8("- a\n+ b\u001b[2J\n"));
        var withPlugins =
                ApplicationPlanPreviewResult.newBuilder()
                        .setApplicationId("a2")
                        .setApplicationName("shop")
                        .setApplicationDirectory("apps/shop")
                        .setPipedId("p1")
                        .putLabels("env", "prod")
                        .putLabels("tier", "shop")
                        .setSyncStrategy(SyncStrategy.PIPELINE)
                        .addPluginNames("kubernetes")
                        .addPluginNames("wait")
                        .addPluginPlanResults(
                                PluginPlanPreviewResult.newBuilder()
                                        .setPluginName("kubernetes")
                                        .setDeployTarget("tokyo")
                                        .setPlanSummary(ByteString.copyFromUtf8("1 added"))
                                        .setPlanDetails(ByteString.copyFromUtf8("+ x\n- y\n"))
                                        .setDiffLanguage("diff"));
        var bad =
                ApplicationPlanPreviewResult.newBuilder()
                        .setApplicationId("a3")
                        .setApplicationName("bad")
                        .setApplicationDirectory("apps/bad")
                        .setPipedId("p1")
                        .addPluginNames("<unknown>")
                        .setError("no plugin");
        return GetPlanPreviewResultsResponse.newBuilder()
                .addResults(
                        PlanPreviewCommandResult.newBuilder()
                                .setPipedId("p1")
                                .addResults(old)
                                .addResults(withPlugins)
                                .addResults(bad))
                .addResults(
                        PlanPreviewCommandResult.newBuilder()
                                .setPipedId("p2")
                                .setPipedName("other")
                                .setPipedUrl("http://cp/settings/piped")
                                .setError("maybe offline"))
                .build();
    }
}
