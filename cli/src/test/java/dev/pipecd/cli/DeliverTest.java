// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Deliveries.deployment;
import static dev.pipecd.cli.Deliveries.line;
import static dev.pipecd.cli.Deliveries.lines;
import static dev.pipecd.cli.Deliveries.seen;
import static dev.pipecd.cli.Deliveries.synced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.delivery.GetStageLogRequest;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliverTest {
    private final RecordingApiService api = RecordingApiService.ours();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @TempDir Path folder;

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aSyncIsFollowedWithItsLogsToTheEnd() {
        synced(api, "d1");
        api.answer(
                        GetDeploymentRequest.class,
                        seen(DeploymentStatus.DEPLOYMENT_RUNNING, StageStatus.STAGE_RUNNING),
                        seen(DeploymentStatus.DEPLOYMENT_RUNNING, StageStatus.STAGE_RUNNING),
                        seen(DeploymentStatus.DEPLOYMENT_SUCCESS, StageStatus.STAGE_SUCCESS))
                .answer(
                        GetStageLogRequest.class,
                        lines(false, line(0, "one"), line(1, "two")),
                        lines(false),
                        lines(true, line(2, "three")));

        var run = new Surroundings().pipectl(server, "deliver", "--app-id", "a1");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                """
                                == SCRIPT_RUN
                                2026-11-15T20:00:00Z one
                                2026-11-15T20:00:00Z two
                                2026-11-15T20:00:00Z three
                                """,
                                """
                                Sync of a1 is ordered (command c1); waiting for its agent.
                                Deployment d1 is RUNNING
                                  stage SCRIPT_RUN is RUNNING
                                Deployment d1 is SUCCESS
                                  stage SCRIPT_RUN is SUCCESS
                                Deployment d1 of site ended as SUCCESS.
                                """));
        assertThat(api.requests(GetStageLogRequest.class))
                .extracting(GetStageLogRequest::getOffsetIndex)
                .containsExactly(0L, 2L, 2L);
    }

    @ParameterizedTest
    @CsvSource({"DEPLOYMENT_SUCCESS, 0", "DEPLOYMENT_FAILURE, 3", "DEPLOYMENT_CANCELLED, 4"})
    void theExitCodeIsTheOutcome(DeploymentStatus status, int code) {
        synced(api, "d1");
        api.answer(GetDeploymentRequest.class, seen(status, StageStatus.STAGE_SUCCESS));

        var run = new Surroundings().pipectl(server, "deliver", "--app-id=a1", "--logs=false");

        assertThat(run.code()).isEqualTo(code);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void whenTheTimeIsUpTheDeploymentGoesOn() {
        synced(api, "d1");
        api.answer(
                GetDeploymentRequest.class,
                seen(DeploymentStatus.DEPLOYMENT_RUNNING, StageStatus.STAGE_RUNNING));

        var run =
                new Surroundings()
                        .pipectl(server, "deliver", "--app-id=a1", "--logs=false", "--timeout=90s");

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err())
                .endsWith(
                        "Error: deployment: d1 is RUNNING after 1m30s (expected: to have ended). Wait longer with --timeout; it goes on meanwhile.\n");
    }

    @Test
    void thePageOfTheCiGetsASummaryThatNobodyCanBreakOutOf() throws IOException {
        synced(api, "d1");
        var failed =
                deployment("d1", DeploymentStatus.DEPLOYMENT_FAILURE).toBuilder()
                        .setStatusReason("<img src=x> [click](http://evil) | a")
                        .setCreatedAt(1_794_772_800)
                        .setCompletedAt(1_794_772_872)
                        .addStages(
                                PipelineStage.newBuilder()
                                        .setId("s1")
                                        .setName("SCRIPT_RUN")
                                        .setStatus(StageStatus.STAGE_FAILURE)
                                        .setStatusReason("exit code 1")
                                        .setCreatedAt(1_794_772_800)
                                        .setCompletedAt(1_794_772_805))
                        .addStages(
                                // Planned with the first, begun after it.
                                PipelineStage.newBuilder()
                                        .setId("s2")
                                        .setIndex(1)
                                        .setName("WAIT")
                                        .addRequires("s1")
                                        .setStatus(StageStatus.STAGE_SUCCESS)
                                        .setCreatedAt(1_794_772_800)
                                        .setCompletedAt(1_794_772_807))
                        .addStages(
                                PipelineStage.newBuilder()
                                        .setId("s3")
                                        .setIndex(2)
                                        .setName("ANALYSIS")
                                        .addRequires("s2")
                                        .putMetadata("pipecd/started-at", "2026-11-16T00:00:20Z")
                                        .setStatus(StageStatus.STAGE_SUCCESS)
                                        .setCreatedAt(1_794_772_800)
                                        .setCompletedAt(1_794_787_223))
                        .build();
        api.answer(
                GetDeploymentRequest.class,
                GetDeploymentResponse.newBuilder().setDeployment(failed).build());
        var page = Files.writeString(folder.resolve("page.md"), "Before\n");

        var run =
                new Surroundings()
                        .with("GITHUB_STEP_SUMMARY", page.toString())
                        .pipectl(server, "deliver", "--app-id=a1", "--logs=false");

        assertThat(run.code()).isEqualTo(3);
        assertThat(Files.readString(page))
                .isEqualTo(
                        """
                        Before
                        ### ❌ site: FAILURE

                        &#60;img src=x&#62; &#91;click&#93;&#40;http&#58;//evil&#41; &#124; a

                        Deployment `d1`, commit `0123abc`, 1m12s

                        | Stage | Outcome | |
                        |---|---|---|
                        | SCRIPT&#95;RUN | FAILURE, 5s | exit code 1 |
                        | WAIT | SUCCESS, 2s | &#45; |
                        | ANALYSIS | SUCCESS, 3s | &#45; |

                        """);
    }

    @Test
    void aPageThatCannotBeWrittenIsToldBeforeAnythingIsOrdered() {
        var run =
                new Surroundings()
                        .pipectl(server, "deliver", "--app-id=a1", "--summary=/no/such/page");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .startsWith(
                        "Error: --summary: /no/such/page (expected: a file that can be written)");
        assertThat(api.requests()).isEmpty();
    }

    @Test
    void nothingToDeliverIsACallingMistake() {
        var run = new Surroundings().pipectl(server, "deliver");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .startsWith(
                        "Error: --app-id: missing (expected: applications to sync, or --event with an event to register)\n");
    }

    @Test
    void forProgramsTheResultIsTheDeploymentsAlone() {
        synced(api, "d1");
        api.answer(
                GetDeploymentRequest.class,
                seen(DeploymentStatus.DEPLOYMENT_SUCCESS, StageStatus.STAGE_SUCCESS));

        var run = new Surroundings().pipectl(server, "deliver", "--app-id=a1", "--output=json");

        assertThat(run.out()).startsWith("[{\n  \"id\": \"d1\",\n");
        assertThat(api.requests(GetStageLogRequest.class)).isEmpty();
    }

    @Test
    void aControlPlaneThatIsAwayForAWhileIsOutlasted() {
        synced(api, "d1");
        api.answer(
                GetDeploymentRequest.class,
                seen(DeploymentStatus.DEPLOYMENT_RUNNING, StageStatus.STAGE_RUNNING),
                Status.UNAVAILABLE.withDescription("restarting"),
                seen(DeploymentStatus.DEPLOYMENT_SUCCESS, StageStatus.STAGE_SUCCESS));

        var run = new Surroundings().pipectl(server, "deliver", "--app-id=a1", "--logs=false");

        assertThat(run.code()).isZero();
        assertThat(run.err())
                .contains("The control plane is away, still trying: ")
                .contains("The control plane is back.\n");
    }
}
