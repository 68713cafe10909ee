// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Deliveries.deployment;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.api.GetCommandResponse;
import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.api.SyncApplicationResponse;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.DeploymentStatus;
import io.grpc.Status;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The applications are a1, a2, …; their orders c1, c2, … and their deployments d1, d2, …
class DeliverSeveralTest {
    private final RecordingApiService api = RecordingApiService.ours();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @BeforeEach
    void everyApplicationIsOrdered() {
        Function<SyncApplicationRequest, Object> ordered =
                request ->
                        request.getApplicationId().equals("a9")
                                ? Status.NOT_FOUND.withDescription("application: a9 is not there.")
                                : SyncApplicationResponse.newBuilder()
                                        .setCommandId(request.getApplicationId().replace('a', 'c'))
                                        .build();
        api.answer(SyncApplicationRequest.class, ordered);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void whatIsRefusedDoesNotKeepTheOthersFromBeingFollowed() {
        orders(
                Map.of(
                        "c1", CommandStatus.COMMAND_FAILED,
                        "c2", CommandStatus.COMMAND_SUCCEEDED));
        deployments(Map.of("d2", DeploymentStatus.DEPLOYMENT_SUCCESS));

        var run = deliver("--app-id=a1,a9,a2");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Sync of a1 is ordered (command c1); waiting for its agent.
                                Sync of a2 is ordered (command c2); waiting for its agent.
                                Error: application: a9 is not there.
                                Error: command: c1 ended as FAILED without a deployment (expected: SUCCEEDED with a deployment). See the application's page in the web UI and the agent's log for the cause.
                                Deployment d2 is SUCCESS
                                Deployment d2 of site ended as SUCCESS.
                                """));
    }

    @Test
    void whatNobodyTakesDoesNotKeepTheOthersFromBeingFollowed() {
        orders(
                Map.of(
                        "c1", CommandStatus.COMMAND_NOT_HANDLED_YET,
                        "c2", CommandStatus.COMMAND_SUCCEEDED));
        deployments(Map.of("d2", DeploymentStatus.DEPLOYMENT_SUCCESS));

        var run = deliver("--app-id=a1,a2");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                5,
                                "",
                                """
                                Sync of a1 is ordered (command c1); waiting for its agent.
                                Sync of a2 is ordered (command c2); waiting for its agent.
                                Deployment d2 is SUCCESS
                                Error: command: c1 is not handled after 10m (expected: its agent takes it). Check that the application's agent is online; the order stays open and is carried out when it is.
                                Deployment d2 of site ended as SUCCESS.
                                """));
    }

    @Test
    void theWholeTimeLimitsTheStartToo() {
        orders(Map.of("c1", CommandStatus.COMMAND_NOT_HANDLED_YET));

        var run = deliver("--app-id=a1", "--timeout=2m");

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err())
                .endsWith(
                        "Error: command: c1 is not handled after 2m (expected: its agent takes it). Check that the application's agent is online; the order stays open and is carried out when it is.\n");
    }

    @Test
    void whatHasBegunIsFollowedBeyondTheStartButNotBeyondTheWholeTime() {
        orders(
                Map.of(
                        "c1", CommandStatus.COMMAND_NOT_HANDLED_YET,
                        "c2", CommandStatus.COMMAND_SUCCEEDED));
        deployments(Map.of("d2", DeploymentStatus.DEPLOYMENT_RUNNING));

        var run = deliver("--app-id=a1,a2", "--start-timeout=1m", "--timeout=2m");

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err())
                .contains("Error: command: c1 is not handled after 1m (")
                .endsWith(
                        "Error: deployment: d2 is RUNNING after 2m (expected: to have ended). Wait longer with --timeout; it goes on meanwhile.\n");
    }

    @ParameterizedTest
    @CsvSource({
        "SUCCESS, CANCELLED, 4",
        "CANCELLED, RUNNING, 5",
        "RUNNING, none, 1",
        "FAILURE, none, 3",
        "FAILURE, RUNNING, 3",
        "FAILURE, CANCELLED, 3"
    })
    void theExitCodeIsThatOfTheWorst(String one, String other, int code) {
        var refused = other.equals("none");
        orders(
                Map.of(
                        "c1",
                        CommandStatus.COMMAND_SUCCEEDED,
                        "c2",
                        refused ? CommandStatus.COMMAND_FAILED : CommandStatus.COMMAND_SUCCEEDED));
        var first = DeploymentStatus.valueOf("DEPLOYMENT_" + one);
        deployments(
                refused
                        ? Map.of("d1", first)
                        : Map.of(
                                "d1",
                                first,
                                "d2",
                                DeploymentStatus.valueOf("DEPLOYMENT_" + other)));

        assertThat(deliver("--app-id=a1,a2", "--timeout=5s").code()).isEqualTo(code);
        assertThat(deliver("--app-id=a2,a1", "--timeout=5s").code()).isEqualTo(code);
    }

    @Test
    void whatIsNamedTwiceIsOrderedOnce() {
        orders(Map.of("c1", CommandStatus.COMMAND_SUCCEEDED));
        deployments(Map.of("d1", DeploymentStatus.DEPLOYMENT_SUCCESS));

        var run = deliver("--app-id=a1,a1");

        assertThat(run.code()).isZero();
        assertThat(api.requests(SyncApplicationRequest.class)).hasSize(1);
    }

    private Run deliver(String... flags) {
        var args = Stream.concat(Stream.of("deliver", "--logs=false"), Stream.of(flags));
        return new Surroundings().pipectl(server, args.toArray(String[]::new));
    }

    private void orders(Map<String, CommandStatus> statuses) {
        Function<GetCommandRequest, Object> handled =
                request -> {
                    var id = request.getCommandId();
                    var command = Command.newBuilder().setId(id).setStatus(statuses.get(id));
                    if (statuses.get(id) == CommandStatus.COMMAND_SUCCEEDED)
                        command.putMetadata("TriggeredDeploymentID", id.replace('c', 'd'));
                    return GetCommandResponse.newBuilder().setCommand(command).build();
                };
        api.answer(GetCommandRequest.class, handled);
    }

    private void deployments(Map<String, DeploymentStatus> statuses) {
        Function<GetDeploymentRequest, Object> seen =
                request ->
                        GetDeploymentResponse.newBuilder()
                                .setDeployment(
                                        deployment(
                                                request.getDeploymentId(),
                                                requireNonNull(
                                                        statuses.get(request.getDeploymentId()))))
                                .build();
        api.answer(GetDeploymentRequest.class, seen);
    }
}
