// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import dev.pipecd.wire.delivery.GetStageLogRequest;
import dev.pipecd.wire.delivery.GetStageLogResponse;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.ManualOperation;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchTest {
    private static final String[] WATCH = {
        "deployment", "get", "--deployment-id=d1", "--watch", "--logs"
    };

    private final RecordingApiService api = RecordingApiService.ours();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void inATerminalTheViewIsRedrawnAndLogsScrollAboveIt() {
        twoLooks();

        var run = new Surroundings().inATerminal().pipectl(server, WATCH);

        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err()).isEqualTo("Deployment d1 of site ended as FAILURE.\n");
        assertThat(run.out())
                .isEqualTo(
                        """
                        == SCRIPT_RUN
                        2026-11-15T20:00:00Z hello
                        ^[[?7lsite  d1  RUNNING  5s^[[?7h
                        ^[[?7l  [>] SCRIPT_RUN     RUNNING  5s^[[?7h
                        ^[[?7l  [ ] WAIT_APPROVAL  NOT_STARTED_YET^[[?7h
                        ^[[3F^[[J^[[?7lsite  d1  FAILURE  7s^[[?7h
                        ^[[?7l  [!] SCRIPT_RUN     FAILURE  5s (exit\\u{9}code 1)^[[?7h
                        ^[[?7l  [ ] WAIT_APPROVAL  NOT_STARTED_YET^[[?7h
                        """
                                .replace("^[", "\u001b"));
    }

    @Test
    void elsewhereEachChangeIsALine() {
        twoLooks();

        var run = new Surroundings().pipectl(server, WATCH);

        assertThat(run.err())
                .isEqualTo(
                        """
                        Deployment d1 is RUNNING
                          stage SCRIPT_RUN is RUNNING
                        Deployment d1 is FAILURE
                          stage SCRIPT_RUN is FAILURE (exit\\u{9}code 1)
                        Deployment d1 of site ended as FAILURE.
                        """);
    }

    @Test
    void aCiThatPretendsToBeATerminalGetsLines() {
        twoLooks();

        var run = new Surroundings().inATerminal().with("CI", "true").pipectl(server, WATCH);

        assertThat(run.err()).doesNotContain("\u001b").startsWith("Deployment d1 is RUNNING\n");
    }

    @Test
    void aStageThatWaitsSaysHowToApproveIt() {
        api.answer(
                GetDeploymentRequest.class,
                seen(
                        DeploymentStatus.DEPLOYMENT_RUNNING,
                        stage("s1", "GATE", StageStatus.STAGE_RUNNING).toBuilder()
                                .setAvailableOperation(ManualOperation.MANUAL_OPERATION_APPROVE)
                                .build()),
                seen(DeploymentStatus.DEPLOYMENT_CANCELLED));

        var run =
                new Surroundings().pipectl(server, "deployment", "get", "--deployment-id=d1", "-w");

        assertThat(run.code()).isEqualTo(4);
        assertThat(run.err())
                .contains(
                        "  stage GATE waits for approval: `pipectl deployment approve --deployment-id d1 --stage-id s1`\n");
    }

    @Test
    void ofManyStagesThoseAroundTheOneAtWorkAreShown() {
        var stages =
                IntStream.range(0, 40)
                        .mapToObj(i ->
                                stage(
                                                "s" + i,
                                                "STAGE_" + i,
                                                i < 20
                                                        ? StageStatus.STAGE_SUCCESS
                                                        : i == 20
                                                                ? StageStatus.STAGE_RUNNING
                                                                : StageStatus.STAGE_NOT_STARTED_YET)
                                        .toBuilder()
                                        .setIndex(i)
                                        .build())
                        .toArray(PipelineStage[]::new);
        api.answer(GetDeploymentRequest.class, seen(DeploymentStatus.DEPLOYMENT_FAILURE, stages));

        var run =
                new Surroundings()
                        .inATerminal()
                        .pipectl(server, "deployment", "get", "--deployment-id=d1", "-w");

        assertThat(run.out().lines().count()).isEqualTo(15);
        assertThat(run.out())
                .contains("  … 10 stages before", "[>] STAGE_20", "  … 18 stages after");
    }

    @Test
    void aWatchedListShowsChangedRowsUntilItIsStopped() {
        api.answer(
                ListDeploymentsRequest.class,
                listed(row("d1", DeploymentStatus.DEPLOYMENT_RUNNING)),
                listed(row("d1", DeploymentStatus.DEPLOYMENT_RUNNING)),
                listed(
                        row("d2", DeploymentStatus.DEPLOYMENT_PENDING),
                        row("d1", DeploymentStatus.DEPLOYMENT_RUNNING)));

        var run =
                new Surroundings().stoppedAfter(4).pipectl(server, "deployment", "list", "--watch");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                """
                                ID  APPLICATION  STATUS   COMMIT  CREATED  SUMMARY
                                d1  site         RUNNING  -       -        -
                                d2  site         PENDING  -       -        -
                                """,
                                "Error: interrupted.\n"));
    }

    @Test
    void aWatchedListIsRedrawnInATerminal() {
        api.answer(
                ListDeploymentsRequest.class,
                listed(row("d1", DeploymentStatus.DEPLOYMENT_RUNNING)));

        var run =
                new Surroundings()
                        .inATerminal()
                        .stoppedAfter(2)
                        .pipectl(server, "deployment", "list", "--watch");

        assertThat(run.out().split("\u001b\\[2F\u001b\\[J", -1)).hasSize(2);
    }

    @Test
    void watchingAsJsonIsRefused() {
        var run = new Surroundings().pipectl(server, "deployment", "list", "--watch", "-o", "json");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .startsWith(
                        "Error: --watch: with -o json (expected: one of the two; what is followed is shown as text)\n");
    }

    @Test
    void logsWithoutWatchAreRefused() {
        var run =
                new Surroundings()
                        .pipectl(server, "deployment", "get", "--deployment-id=d1", "--logs");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).startsWith("Error: --logs: without --watch (expected: both; ");
    }

    /// On a pseudo terminal, as a person sees it who keeps the progress in a file.
    @Test
    void aRealTerminalIsKnownAsOneAndAFileGetsNoCodes(@TempDir Path folder)
            throws IOException, InterruptedException {
        twoLooks();
        var progress = folder.resolve("progress.log");
        var java = Path.of(System.getProperty("java.home"), "bin", "java");
        var classPath =
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"));
        var call =
                "exec '%s' --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -cp '%s' dev.pipecd.cli.Pipectl %s --insecure --api-key=k --address=%s 2>'%s'"
                        .formatted(
                                java,
                                classPath,
                                String.join(" ", WATCH),
                                server.address(),
                                progress);
        var builder =
                new ProcessBuilder("script", "--quiet", "--return", "--command", call, "/dev/null")
                        .redirectErrorStream(true);
        builder.environment().put("TERM", "xterm");
        builder.environment().remove("CI");
        var process = builder.start();
        process.getOutputStream().close();
        var told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(told).isEqualTo(3);
        assertThat(told)
                .contains("\u001b[?7l  [>] SCRIPT_RUN", "\u001b[3F\u001b[J", " hello\r\n")
                .doesNotContain("stage SCRIPT_RUN is RUNNING");
        assertThat(progress).hasContent("Deployment d1 of site ended as FAILURE.\n");
    }

    private void twoLooks() {
        var waiting = stage("s2", "WAIT_APPROVAL", StageStatus.STAGE_NOT_STARTED_YET);
        var running =
                stage("s1", "SCRIPT_RUN", StageStatus.STAGE_RUNNING).toBuilder()
                        .setCreatedAt(1_794_772_795)
                        .build();
        var failed =
                running.toBuilder()
                        .setStatus(StageStatus.STAGE_FAILURE)
                        .setStatusReason("exit\tcode 1")
                        .setCompletedAt(1_794_772_800)
                        .build();
        var ended =
                seen(DeploymentStatus.DEPLOYMENT_FAILURE, failed, waiting)
                        .getDeployment()
                        .toBuilder()
                        .setCompletedAt(1_794_772_802);
        api.answer(
                        GetDeploymentRequest.class,
                        seen(DeploymentStatus.DEPLOYMENT_RUNNING, running, waiting),
                        GetDeploymentResponse.newBuilder().setDeployment(ended).build())
                .answer(
                        GetStageLogRequest.class,
                        GetStageLogResponse.newBuilder()
                                .addBlocks(
                                        LogBlock.newBuilder()
                                                .setLog("hello")
                                                .setCreatedAt(1_794_772_800))
                                .build(),
                        GetStageLogResponse.newBuilder().setCompleted(true).build());
    }

    private static GetDeploymentResponse seen(DeploymentStatus status, PipelineStage... stages) {
        return GetDeploymentResponse.newBuilder()
                .setDeployment(
                        Deployment.newBuilder()
                                .setId("d1")
                                .setApplicationName("site")
                                .setStatus(status)
                                .setCreatedAt(1_794_772_795)
                                .addAllStages(java.util.List.of(stages)))
                .build();
    }

    private static PipelineStage stage(String id, String name, StageStatus status) {
        return PipelineStage.newBuilder().setId(id).setName(name).setStatus(status).build();
    }

    private static Deployment row(String id, DeploymentStatus status) {
        return Deployment.newBuilder()
                .setId(id)
                .setApplicationName("site")
                .setStatus(status)
                .build();
    }

    private static ListDeploymentsResponse listed(Deployment... rows) {
        return ListDeploymentsResponse.newBuilder()
                .addAllDeployments(java.util.List.of(rows))
                .build();
    }
}
