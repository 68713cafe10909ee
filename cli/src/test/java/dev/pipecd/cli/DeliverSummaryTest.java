// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Deliveries.deployment;
import static dev.pipecd.cli.Deliveries.listed;
import static dev.pipecd.cli.Deliveries.registered;
import static dev.pipecd.cli.Deliveries.seen;
import static dev.pipecd.cli.Deliveries.synced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.api.GetCommandResponse;
import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.api.SyncApplicationResponse;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.EventStatus;
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

/// What a delivery leaves on the page of the CI.
class DeliverSummaryTest {
    private final RecordingApiService api = RecordingApiService.ours();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @TempDir Path folder;

    @AfterEach
    void stop() {
        server.close();
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
    void anOrderThatIsRefusedStandsBesideWhatWasDelivered() throws IOException {
        Function<SyncApplicationRequest, Object> ordered =
                request ->
                        request.getApplicationId().equals("a1")
                                ? SyncApplicationResponse.newBuilder().setCommandId("c1").build()
                                : Status.NOT_FOUND.withDescription("application: a2 is not there.");
        synced(api, "d1");
        api.answer(SyncApplicationRequest.class, ordered)
                .answer(
                        GetDeploymentRequest.class,
                        seen(DeploymentStatus.DEPLOYMENT_SUCCESS, StageStatus.STAGE_SUCCESS));

        var page = delivered(1, "--app-id=a1,a2");

        assertThat(page)
                .isEqualTo(
                        """
                        ### ❌ a2: not delivered

                        application&#58; a2 is not there&#46;

                        ### ✅ site: SUCCESS

                        Deployment `d1`, commit `0123abc`

                        | Stage | Outcome | |
                        |---|---|---|
                        | SCRIPT&#95;RUN | SUCCESS | &#45; |

                        """);
    }

    @Test
    void anOrderThatNobodyTakesIsThere() throws IOException {
        api.answer(
                        SyncApplicationRequest.class,
                        SyncApplicationResponse.newBuilder().setCommandId("c1").build())
                .answer(
                        GetCommandRequest.class,
                        GetCommandResponse.newBuilder()
                                .setCommand(
                                        Command.newBuilder()
                                                .setId("c1")
                                                .setStatus(CommandStatus.COMMAND_NOT_HANDLED_YET))
                                .build());

        var page = delivered(5, "--app-id=a1");

        assertThat(page)
                .startsWith(
                        "### ⏳ a1: not delivered\n\ncommand&#58; c1 is not handled after 10m &#40;expected&#58; ");
    }

    @Test
    void anEventThatFailedIsThere() throws IOException {
        registered(api, EventStatus.EVENT_FAILURE);
        api.answer(ListDeploymentsRequest.class, listed());

        var page = delivered(1, "--event=built", "--data=v2", "--commit-hash=abc");

        assertThat(page)
                .isEqualTo(
                        """
                        ### ❌ built: not delivered

                        event&#58; e1 ended as FAILURE &#40;expected&#58; SUCCESS&#41;&#58; no file to change&#46; See the agent's log for the cause&#46;

                        """);
    }

    @Test
    void anEventThatLedToNothingIsThere() throws IOException {
        registered(api, EventStatus.EVENT_NOT_HANDLED);
        api.answer(ListDeploymentsRequest.class, listed());

        var page = delivered(5, "--event=built", "--data=v2", "--commit-hash=abc");

        assertThat(page)
                .startsWith(
                        "### ⏳ built: not delivered\n\nevent&#58; e1 has led to no deployment after 10m ");
    }

    @Test
    void anEventThatIsRefusedIsThere() throws IOException {
        api.answer(ListDeploymentsRequest.class, listed())
                .answer(
                        RegisterEventRequest.class,
                        Status.PERMISSION_DENIED.withDescription("the key may only read."));

        var page = delivered(1, "--event=built", "--data=v2", "--commit-hash=abc");

        assertThat(page)
                .startsWith("### ❌ built: not delivered\n\nAPI key&#58; that of ")
                .endsWith("the key may only read&#46;\n\n");
    }

    @Test
    void aControlPlaneThatDoesNotAnswerIsThere() {
        var page = folder.resolve("page.md");

        var run =
                new Surroundings()
                        .pipectl(
                                "deliver",
                                "--app-id=a1",
                                "--summary=" + page,
                                "--address=localhost:1",
                                "--insecure",
                                "--api-key=k1.secret");

        assertThat(run.code()).isEqualTo(1);
        assertThat(page)
                .content()
                .startsWith(
                        "### ❌ a1: not delivered\n\n&#45;&#45;address&#58; localhost&#58;1 &#40;expected&#58; ");
    }

    @Test
    void aCallThatWasWrongLeavesNothing() throws IOException {
        assertThat(delivered(2, "--event=built", "--data=v2")).isEmpty();
    }

    private String delivered(int code, String... flags) throws IOException {
        var page = folder.resolve("page.md");
        var args =
                Stream.concat(
                        Stream.of("deliver", "--logs=false", "--summary=" + page),
                        Stream.of(flags));
        var run = new Surroundings().pipectl(server, args.toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isEqualTo(code);
        return Files.readString(page);
    }
}
