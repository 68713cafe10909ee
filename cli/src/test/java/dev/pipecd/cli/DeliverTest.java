// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.api.GetCommandResponse;
import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.api.RegisterEventResponse;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.api.SyncApplicationResponse;
import dev.pipecd.wire.delivery.GetEventRequest;
import dev.pipecd.wire.delivery.GetEventResponse;
import dev.pipecd.wire.delivery.GetStageLogRequest;
import dev.pipecd.wire.delivery.GetStageLogResponse;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;
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
        synced("d1");
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
        synced("d1");
        api.answer(GetDeploymentRequest.class, seen(status, StageStatus.STAGE_SUCCESS));

        var run = new Surroundings().pipectl(server, "deliver", "--app-id=a1", "--logs=false");

        assertThat(run.code()).isEqualTo(code);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void whenTheTimeIsUpTheDeploymentGoesOn() {
        synced("d1");
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
        synced("d1");
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
    void theDeploymentsOfAnEventAreKnownByTheCommitThatTheCiTells() {
        registered(EventStatus.EVENT_NOT_HANDLED);
        var earlier = caused("d0", "a1", "abc");
        api.answer(
                        ListDeploymentsRequest.class,
                        listed(earlier),
                        listed(earlier, caused("dx", "a1", "another")),
                        listed(caused("d1", "a1", "abc"), earlier))
                .answer(
                        GetDeploymentRequest.class,
                        seen(DeploymentStatus.DEPLOYMENT_SUCCESS, StageStatus.STAGE_SUCCESS))
                .answer(GetStageLogRequest.class, lines(true));

        var run =
                new Surroundings()
                        .with("CI", "true")
                        .with("GITHUB_SHA", "abc")
                        .with("GITHUB_SERVER_URL", "https://github.com")
                        .with("GITHUB_REPOSITORY", "org/repo")
                        .with("GITHUB_ACTOR", "ann")
                        .pipectl(server, "deliver", "--event=built", "--data=v2");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                "",
                                """
                                Event built is registered (e1); waiting for an agent to take it.
                                Deployment d1 is SUCCESS
                                  stage SCRIPT_RUN is SUCCESS
                                Deployment d1 of site ended as SUCCESS.
                                """));
        assertThat(api.requests(RegisterEventRequest.class))
                .containsExactly(
                        RegisterEventRequest.newBuilder()
                                .setName("built")
                                .setData("v2")
                                .setCommitHash("abc")
                                .setCommitUrl("https://github.com/org/repo/commit/abc")
                                .setCommitAuthor("ann")
                                .build());
        assertThat(api.requests(GetDeploymentRequest.class))
                .extracting(GetDeploymentRequest::getDeploymentId)
                .containsOnly("d1");
    }

    @Test
    void everyApplicationThatIsNamedIsWaitedFor() {
        registered(EventStatus.EVENT_SUCCESS);
        api.answer(
                ListDeploymentsRequest.class,
                listed(),
                listed(caused("d1", "a1", "abc"), caused("d9", "a9", "abc")),
                listed(caused("d1", "a1", "abc")),
                listed(caused("d2", "a2", "abc"), caused("d1", "a1", "abc")));
        Function<GetDeploymentRequest, Object> ended =
                request ->
                        GetDeploymentResponse.newBuilder()
                                .setDeployment(
                                        deployment(
                                                request.getDeploymentId(),
                                                request.getDeploymentId().equals("d1")
                                                        ? DeploymentStatus.DEPLOYMENT_CANCELLED
                                                        : DeploymentStatus.DEPLOYMENT_FAILURE))
                                .build();
        api.answer(GetDeploymentRequest.class, ended);

        var run =
                new Surroundings()
                        .pipectl(
                                server,
                                "deliver",
                                "--event=built",
                                "--data=v2",
                                "--commit-hash=abc",
                                "--app-id=a1,a2");

        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err())
                .contains("Deployment d1 of site ended as CANCELLED.\n")
                .contains("Deployment d2 of site ended as FAILURE.\n")
                .doesNotContain("d9");
    }

    @Test
    void anEventThatNobodyTakesIsGivenUp() {
        registered(EventStatus.EVENT_NOT_HANDLED);
        api.answer(ListDeploymentsRequest.class, listed());

        var run =
                new Surroundings()
                        .pipectl(
                                server,
                                "deliver",
                                "--event=built",
                                "--data=v2",
                                "--commit-hash=abc",
                                "--start-timeout=2m");

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err())
                .endsWith(
                        "Error: event: e1 has led to 0 deployments after 2m (expected: one of each application). Check that an agent watches for it, and that its data is new; --start-timeout waits longer.\n");
    }

    @Test
    void anEventThatFailedIsNotWaitedFor() {
        registered(EventStatus.EVENT_FAILURE);
        api.answer(ListDeploymentsRequest.class, listed());

        var run =
                new Surroundings()
                        .pipectl(
                                server,
                                "deliver",
                                "--event=built",
                                "--data=v2",
                                "--commit-hash=abc");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .endsWith(
                        "Error: event: e1 ended as FAILURE (expected: SUCCESS): no file to change. See the agent's log for the cause.\n");
    }

    @Test
    void thePublicControlPlaneIsEnough() {
        var plain = RecordingApiService.publicOne();
        plain.answer(
                        RegisterEventRequest.class,
                        RegisterEventResponse.newBuilder().setEventId("e1").build())
                .answer(
                        ListDeploymentsRequest.class,
                        listed(),
                        listed(),
                        listed(caused("d1", "a1", "abc")))
                .answer(
                        GetDeploymentRequest.class,
                        seen(DeploymentStatus.DEPLOYMENT_SUCCESS, StageStatus.STAGE_SUCCESS));
        try (var other = LoopbackServer.plaintext(plain)) {
            var run =
                    new Surroundings()
                            .pipectl(
                                    other,
                                    "deliver",
                                    "--event=built",
                                    "--data=v2",
                                    "--commit-hash=abc",
                                    "--logs=false");

            assertThat(run.code()).as(run.err()).isZero();
        }
    }

    @Test
    void withoutACommitTheDeploymentsCouldNotBeKnown() {
        var run = new Surroundings().pipectl(server, "deliver", "--event=built", "--data=v2");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).startsWith("Error: --commit-hash: missing (expected: ");
        assertThat(api.requests(RegisterEventRequest.class)).isEmpty();
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
        synced("d1");
        api.answer(
                GetDeploymentRequest.class,
                seen(DeploymentStatus.DEPLOYMENT_SUCCESS, StageStatus.STAGE_SUCCESS));

        var run = new Surroundings().pipectl(server, "deliver", "--app-id=a1", "--output=json");

        assertThat(run.out()).startsWith("[{\n  \"id\": \"d1\",\n");
        assertThat(api.requests(GetStageLogRequest.class)).isEmpty();
    }

    @Test
    void aControlPlaneThatIsAwayForAWhileIsOutlasted() {
        synced("d1");
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

    private void synced(String deployment) {
        api.answer(
                        SyncApplicationRequest.class,
                        SyncApplicationResponse.newBuilder().setCommandId("c1").build())
                .answer(
                        GetCommandRequest.class,
                        GetCommandResponse.newBuilder()
                                .setCommand(
                                        Command.newBuilder()
                                                .setId("c1")
                                                .setStatus(CommandStatus.COMMAND_SUCCEEDED)
                                                .putMetadata("TriggeredDeploymentID", deployment))
                                .build())
                .answer(GetStageLogRequest.class, lines(false));
    }

    private void registered(EventStatus status) {
        api.answer(
                        RegisterEventRequest.class,
                        RegisterEventResponse.newBuilder().setEventId("e1").build())
                .answer(
                        GetEventRequest.class,
                        GetEventResponse.newBuilder()
                                .setEvent(
                                        Event.newBuilder()
                                                .setId("e1")
                                                .setStatus(status)
                                                .setStatusDescription("no file to change"))
                                .build())
                .answer(GetStageLogRequest.class, lines(false));
    }

    private static GetDeploymentResponse seen(DeploymentStatus status, StageStatus stage) {
        return GetDeploymentResponse.newBuilder()
                .setDeployment(
                        deployment("d1", status).toBuilder()
                                .addStages(
                                        PipelineStage.newBuilder()
                                                .setId("s1")
                                                .setName("SCRIPT_RUN")
                                                .setStatus(stage)))
                .build();
    }

    private static Deployment deployment(String id, DeploymentStatus status) {
        return Deployment.newBuilder()
                .setId(id)
                .setApplicationId("a1")
                .setApplicationName("site")
                .setStatus(status)
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setCommit(Commit.newBuilder().setHash("0123abc")))
                .build();
    }

    private static Deployment caused(String id, String application, String commit) {
        return Deployment.newBuilder()
                .setId(id)
                .setApplicationId(application)
                .setDeploymentTraceCommitHash(commit)
                .build();
    }

    private static ListDeploymentsResponse listed(Deployment... deployments) {
        return ListDeploymentsResponse.newBuilder()
                .addAllDeployments(Stream.of(deployments).toList())
                .build();
    }

    private static GetStageLogResponse lines(boolean completed, LogBlock... blocks) {
        return GetStageLogResponse.newBuilder()
                .addAllBlocks(Stream.of(blocks).toList())
                .setCompleted(completed)
                .build();
    }

    private static LogBlock line(int index, String text) {
        return LogBlock.newBuilder()
                .setIndex(index)
                .setLog(text)
                .setCreatedAt(1_794_772_800)
                .build();
    }
}
