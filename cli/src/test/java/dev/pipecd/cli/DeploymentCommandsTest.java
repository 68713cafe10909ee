// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.cli.flag.StatusName;
import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import dev.pipecd.wire.api.ListStageLogsRequest;
import dev.pipecd.wire.api.ListStageLogsResponse;
import dev.pipecd.wire.api.StageLog;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.LogSeverity;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeploymentCommandsTest {
    private static final String ID = "22222222-aaaa-4bbb-8ccc-000000000001";

    private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);
    private static final Duration SIX_MINUTES = Duration.ofMinutes(6);

    private final RecordingApiService api = RecordingApiService.publicOne();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void listPrintsATable() {
        var running =
                deployment(DeploymentStatus.DEPLOYMENT_RUNNING).toBuilder()
                        .setApplicationName("site")
                        .setTrigger(
                                DeploymentTrigger.newBuilder()
                                        .setCommit(Commit.newBuilder().setHash("0123456789abcdef")))
                        .setCreatedAt(1_794_772_800)
                        .setSummary("Sync with the pipeline")
                        .build();
        var pending = Deployment.newBuilder().setId("d2").setApplicationName("größe").build();
        api.answer(
                ListDeploymentsRequest.class,
                ListDeploymentsResponse.newBuilder()
                        .addDeployments(running)
                        .addDeployments(pending)
                        .build());

        var run = pipectl(server, "deployment", "list");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                """
                                ID                                    APPLICATION  STATUS   COMMIT   CREATED               SUMMARY
                                22222222-aaaa-4bbb-8ccc-000000000001  site         RUNNING  0123456  2026-11-15T20:00:00Z  Sync with the pipeline
                                d2                                    größe        PENDING  -        -                     -
                                """,
                                ""));
    }

    @Test
    void listSendsItsFilters() {
        api.answer(ListDeploymentsRequest.class, ListDeploymentsResponse.getDefaultInstance());

        var run =
                pipectl(
                        server,
                        "deployment",
                        "list",
                        "--status",
                        "running",
                        "--app-id",
                        "a1",
                        "--app-kind=ECS",
                        "--app-name",
                        "site",
                        "--label",
                        "env:prod",
                        "--cursor",
                        "c1");

        assertThat(run).isEqualTo(new Run(0, "", "No deployment matches.\n"));
        assertThat(api.requests())
                .containsExactly(
                        ListDeploymentsRequest.newBuilder()
                                .addStatuses("DEPLOYMENT_RUNNING")
                                .addApplicationIds("a1")
                                .addKinds("ECS")
                                .setApplicationName("site")
                                .putLabels("env", "prod")
                                .setLimit(30)
                                .setCursor("c1")
                                .build());
    }

    @Test
    void waitStatusEndsWhenTheStatusIsReachedAndTellsTheWay() {
        var first = stage("s1", "SCRIPT_RUN", StageStatus.STAGE_RUNNING);
        var later = stage("s2", "WAIT", StageStatus.STAGE_NOT_STARTED_YET);
        api.answer(
                GetDeploymentRequest.class,
                answer(deployment(DeploymentStatus.DEPLOYMENT_PENDING)),
                answer(deployment(DeploymentStatus.DEPLOYMENT_RUNNING, first, later)),
                answer(deployment(DeploymentStatus.DEPLOYMENT_RUNNING, first, later)),
                answer(
                        deployment(
                                DeploymentStatus.DEPLOYMENT_SUCCESS,
                                stage("s1", "SCRIPT_RUN", StageStatus.STAGE_SUCCESS),
                                stage("s2", "WAIT", StageStatus.STAGE_SUCCESS))));

        var run =
                pipectl(
                        server,
                        "deployment",
                        "wait-status",
                        "--deployment-id",
                        ID,
                        "--status",
                        "DEPLOYMENT_SUCCESS");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                "Deployment " + ID + " reached SUCCESS\n",
                                """
                                Deployment 22222222-aaaa-4bbb-8ccc-000000000001 is PENDING
                                Deployment 22222222-aaaa-4bbb-8ccc-000000000001 is RUNNING
                                  stage SCRIPT_RUN is RUNNING
                                Deployment 22222222-aaaa-4bbb-8ccc-000000000001 is SUCCESS
                                  stage SCRIPT_RUN is SUCCESS
                                  stage WAIT is SUCCESS
                                """));
    }

    /// The public control plane says so of every error of its database.
    @Test
    void waitStatusOutlastsAControlPlaneThatFailsForAWhile() {
        api.answer(
                GetDeploymentRequest.class,
                Status.INTERNAL.withDescription("Failed to get deployment"),
                Status.INTERNAL.withDescription("Failed to get deployment"),
                answer(deployment(DeploymentStatus.DEPLOYMENT_SUCCESS)));

        var run =
                pipectl(
                        server,
                        "deployment",
                        "wait-status",
                        "--deployment-id",
                        ID,
                        "--status",
                        "SUCCESS");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                "Deployment " + ID + " reached SUCCESS\n",
                                """
                                Still trying: The control plane failed: Failed to get deployment
                                The control plane is back.
                                Deployment 22222222-aaaa-4bbb-8ccc-000000000001 is SUCCESS
                                """));
    }

    @Test
    void aControlPlaneThatFailsOnIsWaitedForNoLongerThanTheTimeLimit() {
        api.answer(GetDeploymentRequest.class, Status.INTERNAL);

        var run =
                pipectl(
                        server,
                        "deployment",
                        "wait-status",
                        "--deployment-id",
                        ID,
                        "--status",
                        "SUCCESS",
                        "--timeout=500ms");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .containsOnlyOnce("Still trying: ")
                .contains("Error: deployment: " + ID + " is not seen after 0.5s ");
    }

    @Test
    void waitStatusFailsAtOnceWhenTheDeploymentEndsElsewhere() {
        var failed =
                deployment(DeploymentStatus.DEPLOYMENT_FAILURE).toBuilder()
                        .setStatusReason("Stage WAIT failed")
                        .build();
        api.answer(GetDeploymentRequest.class, answer(failed));

        var run =
                pipectl(
                        server,
                        "deployment",
                        "wait-status",
                        "--deployment-id",
                        ID,
                        "--status",
                        "Running",
                        "--status",
                        "success");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Deployment %1$s is FAILURE
                                Error: deployment: %1$s ended as FAILURE (expected: RUNNING or SUCCESS): Stage WAIT failed. See `pipectl deployment logs --deployment-id %1$s`.
                                """
                                        .formatted(ID)));
        assertThat(api.requests()).hasSize(1);
    }

    @Test
    void waitStatusGivesUpInTheEnd() {
        api.answer(
                GetDeploymentRequest.class,
                answer(deployment(DeploymentStatus.DEPLOYMENT_RUNNING)));

        var run =
                pipectl(
                        server,
                        "deployment",
                        "wait-status",
                        "--deployment-id",
                        ID,
                        "--status",
                        "SUCCESS",
                        "--timeout=500ms");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .endsWith(
                        """
                        Error: deployment: %1$s is RUNNING after 0.5s (expected: SUCCESS). Wait longer with --timeout, or see `pipectl deployment logs --deployment-id %1$s`.
                        """
                                .formatted(ID));
    }

    @Test
    void logsAreShownStageByStage() {
        api.answer(
                        GetDeploymentRequest.class,
                        answer(
                                deployment(
                                        DeploymentStatus.DEPLOYMENT_FAILURE,
                                        stage("r", "ROLLBACK", StageStatus.STAGE_SUCCESS)
                                                .toBuilder()
                                                .setRollback(true)
                                                .build(),
                                        stage("s2", "WAIT", StageStatus.STAGE_FAILURE).toBuilder()
                                                .setIndex(1)
                                                .setStatusReason("no luck")
                                                .build(),
                                        stage("s1", "SCRIPT_RUN", StageStatus.STAGE_SUCCESS))))
                .answer(
                        ListStageLogsRequest.class,
                        logs(
                                        "s1",
                                        line(2, "two\nlines"),
                                        line(1, "\u001b[32mgreen\u001b[0m\u001b[2J\ttab"))
                                .toBuilder()
                                .putStageLogs(
                                        "s2",
                                        StageLog.newBuilder()
                                                .addBlocks(
                                                        line(1, "broken").toBuilder()
                                                                .setSeverity(LogSeverity.ERROR))
                                                .build())
                                .build());

        var run = pipectl(server, "deployment", "logs", "--deployment-id", ID);

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                """
                                == SCRIPT_RUN: SUCCESS
                                2026-11-15T20:00:01Z \u001b[32mgreen\u001b[0m\\u{1b}[2J\ttab
                                2026-11-15T20:00:02Z two
                                2026-11-15T20:00:02Z lines
                                == WAIT: FAILURE (no luck)
                                2026-11-15T20:00:01Z ERROR broken
                                == ROLLBACK: SUCCESS
                                """,
                                ""));
    }

    @Test
    void followedLogsAreShownOnceEachUntilTheEnd() {
        var one = stage("s1", "SCRIPT_RUN", StageStatus.STAGE_RUNNING);
        var two = stage("s2", "WAIT", StageStatus.STAGE_RUNNING).toBuilder().setIndex(1).build();
        api.answer(
                        GetDeploymentRequest.class,
                        answer(deployment(DeploymentStatus.DEPLOYMENT_PENDING)),
                        answer(deployment(DeploymentStatus.DEPLOYMENT_RUNNING, one)),
                        answer(deployment(DeploymentStatus.DEPLOYMENT_RUNNING, one, two)),
                        answer(deployment(DeploymentStatus.DEPLOYMENT_SUCCESS, one, two)))
                .answer(
                        ListStageLogsRequest.class,
                        logs("s1", line(1, "a")),
                        logs("s1", line(1, "a"), line(2, "b")),
                        logs("s2", line(1, "c")).toBuilder()
                                .putAllStageLogs(
                                        logs("s1", line(1, "a"), line(2, "b")).getStageLogsMap())
                                .build());

        var run = pipectl(server, "deployment", "logs", "--deployment-id", ID, "-f");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                """
                                == SCRIPT_RUN
                                2026-11-15T20:00:01Z a
                                2026-11-15T20:00:02Z b
                                == WAIT
                                2026-11-15T20:00:01Z c
                                """,
                                """
                                Deployment 22222222-aaaa-4bbb-8ccc-000000000001 is PENDING
                                Deployment 22222222-aaaa-4bbb-8ccc-000000000001 is RUNNING
                                  stage SCRIPT_RUN is RUNNING
                                  stage WAIT is RUNNING
                                Deployment 22222222-aaaa-4bbb-8ccc-000000000001 is SUCCESS
                                Deployment 22222222-aaaa-4bbb-8ccc-000000000001 of site ended as SUCCESS.
                                """));
    }

    @Test
    void followedLogsThatAreAwayWhenTheDeploymentHasEndedAreShownWhenTheyAreBack() {
        api.answer(
                        GetDeploymentRequest.class,
                        answer(
                                deployment(
                                        DeploymentStatus.DEPLOYMENT_SUCCESS,
                                        stage("s1", "WAIT", StageStatus.STAGE_SUCCESS))))
                .answer(
                        ListStageLogsRequest.class,
                        Deliveries.STORE_AWAY,
                        Deliveries.STORE_AWAY,
                        logs("s1", line(1, "a")));

        var run = pipectl(server, "deployment", "logs", "--deployment-id", ID, "-f");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("== WAIT\n2026-11-15T20:00:01Z a\n");
        assertThat(api.requests(GetDeploymentRequest.class)).hasSize(1);
    }

    @Test
    void followedLogsThatStayAwayAreAFailure() {
        api.answer(
                        GetDeploymentRequest.class,
                        answer(
                                deployment(
                                        DeploymentStatus.DEPLOYMENT_SUCCESS,
                                        stage("s1", "WAIT", StageStatus.STAGE_SUCCESS))))
                .answer(ListStageLogsRequest.class, Deliveries.STORE_AWAY);
        var around = new Surroundings();
        var begin = around.now();

        var run = around.pipectl(server, "deployment", "logs", "--deployment-id", ID, "-f");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .containsOnlyOnce("Still trying: ")
                .endsWith(
                        """
                        Deployment %1$s of site ended as SUCCESS.
                        Error: logs: those of deployment %1$s are not whole (expected: all that its stages wrote). Try `pipectl deployment logs --deployment-id %1$s` later.
                        """
                                .formatted(ID));
        assertThat(Duration.between(begin, around.now())).isBetween(FIVE_MINUTES, SIX_MINUTES);
    }

    @Test
    void followingAsJsonIsRefused() {
        var run =
                pipectl(
                        server,
                        "deployment",
                        "logs",
                        "--deployment-id",
                        ID,
                        "--follow",
                        "-o",
                        "json");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                2,
                                "",
                                """
                                Error: --follow: with -o json (expected: one of the two; what is followed is shown as text)
                                See `pipectl deployment logs --help`.
                                """));
        assertThat(api.requests()).isEmpty();
    }

    @Test
    void everyPublicStatusCanBeNamed() {
        var names =
                Stream.of(DeploymentStatus.values())
                        .filter(status -> status != DeploymentStatus.UNRECOGNIZED)
                        .map(Enum::name);

        assertThat(StatusName.ALL.stream().map(name -> "DEPLOYMENT_" + name))
                .containsExactlyElementsOf(names.toList());
    }

    private static Deployment deployment(DeploymentStatus status, PipelineStage... stages) {
        return Deployment.newBuilder()
                .setId(ID)
                .setApplicationName("site")
                .setStatus(status)
                .addAllStages(List.of(stages))
                .build();
    }

    private static GetDeploymentResponse answer(Deployment deployment) {
        return GetDeploymentResponse.newBuilder().setDeployment(deployment).build();
    }

    private static PipelineStage stage(String id, String name, StageStatus status) {
        return PipelineStage.newBuilder().setId(id).setName(name).setStatus(status).build();
    }

    private static LogBlock line(int index, String log) {
        return LogBlock.newBuilder()
                .setIndex(index)
                .setLog(log)
                .setCreatedAt(1_794_772_800 + index)
                .build();
    }

    private static ListStageLogsResponse logs(String stage, LogBlock... lines) {
        return ListStageLogsResponse.newBuilder()
                .putStageLogs(stage, StageLog.newBuilder().addAllBlocks(List.of(lines)).build())
                .build();
    }
}
