// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.api.GetCommandResponse;
import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.delivery.ApproveStageRequest;
import dev.pipecd.wire.delivery.ApproveStageResponse;
import dev.pipecd.wire.delivery.CancelDeploymentRequest;
import dev.pipecd.wire.delivery.CancelDeploymentResponse;
import dev.pipecd.wire.delivery.Rollback;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.ManualOperation;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SteeringTest {
    private final RecordingApiService api = RecordingApiService.ours();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theStageThatWaitsIsApproved() {
        running(stage("s1", StageStatus.STAGE_SUCCESS), stage("s2", StageStatus.STAGE_RUNNING));
        api.answer(
                ApproveStageRequest.class,
                ApproveStageResponse.newBuilder().setCommandId("c1").build());
        handled(CommandStatus.COMMAND_NOT_HANDLED_YET, CommandStatus.COMMAND_SUCCEEDED);

        var run = pipectl(server, "deployment", "approve", "--deployment-id", "d1");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                "Approved stage s2 of deployment d1\n",
                                "The order (command c1) is given; waiting for the agent.\n"));
        assertThat(api.requests(ApproveStageRequest.class))
                .containsExactly(
                        ApproveStageRequest.newBuilder()
                                .setDeploymentId("d1")
                                .setStageId("s2")
                                .build());
        assertThat(server.credentials()).containsOnly("API-KEY k1.secret");
    }

    @Test
    void ofSeveralStagesThatWaitOneMustBeNamed() {
        running(stage("s1", StageStatus.STAGE_RUNNING), stage("s2", StageStatus.STAGE_RUNNING));

        var run = pipectl(server, "deployment", "approve", "--deployment-id", "d1");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: --stage-id: missing (expected: one of s1 GATE, s2 GATE). Several stages wait: say which.\n"));
    }

    @Test
    void nothingToApproveIsTold() {
        running(stage("s1", StageStatus.STAGE_SUCCESS));

        var run = pipectl(server, "deployment", "approve", "--deployment-id", "d1");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo(
                        "Error: deployment: d1 has no stage that waits (expected: one that waits for approval). See `pipectl deployment get --deployment-id d1`.\n");
    }

    @ParameterizedTest
    @CsvSource({
        "configured, ROLLBACK_AS_CONFIGURED",
        "always, ROLLBACK_ALWAYS",
        "never, ROLLBACK_NEVER"
    })
    void cancelTellsWhatBecomesOfTheChange(String flag, Rollback rollback) {
        api.answer(
                CancelDeploymentRequest.class,
                CancelDeploymentResponse.newBuilder().setCommandId("c1").build());
        handled(CommandStatus.COMMAND_SUCCEEDED);

        var run = pipectl(server, "deployment", "cancel", "--deployment-id=d1", "--rollback", flag);

        assertThat(run.code()).isZero();
        assertThat(run.out()).isEqualTo("Cancelled deployment d1\n");
        assertThat(api.requests(CancelDeploymentRequest.class))
                .containsExactly(
                        CancelDeploymentRequest.newBuilder()
                                .setDeploymentId("d1")
                                .setRollback(rollback)
                                .build());
    }

    @Test
    void anOrderThatTheAgentRefusesIsAFailure() {
        api.answer(
                CancelDeploymentRequest.class,
                CancelDeploymentResponse.newBuilder().setCommandId("c1").build());
        handled(CommandStatus.COMMAND_FAILED);

        var run = pipectl(server, "deployment", "cancel", "--deployment-id=d1");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .endsWith(
                        "Error: command: c1 ended as FAILED (expected: SUCCEEDED). See the deployment's page in the web UI and the agent's log for the cause.\n");
    }

    @Test
    void whyTheAgentRefusedIsTold() {
        api.answer(
                        CancelDeploymentRequest.class,
                        CancelDeploymentResponse.newBuilder().setCommandId("c1").build())
                .answer(
                        GetCommandRequest.class,
                        GetCommandResponse.newBuilder()
                                .setCommand(
                                        Command.newBuilder()
                                                .setId("c1")
                                                .setStatus(CommandStatus.COMMAND_FAILED)
                                                .putMetadata("Reason", "it has ended already"))
                                .build());

        assertThat(pipectl(server, "deployment", "cancel", "--deployment-id=d1").err())
                .endsWith(
                        "Error: command: c1 ended as FAILED (expected: SUCCEEDED): it has ended already. See the deployment's page in the web UI and the agent's log for the cause.\n");
    }

    @Test
    void thePublicControlPlaneCannotBeSteeredWithAKey() {
        try (var plain = LoopbackServer.plaintext(RecordingApiService.publicOne())) {
            assertThat(pipectl(plain, "deployment", "cancel", "--deployment-id=d1"))
                    .isEqualTo(
                            new Run(
                                    1,
                                    "",
                                    "Error: deployment cancel: not offered by this control plane (expected: the service pipecd.delivery.v1). The public control plane lets only people in its web UI do this.\n"));
        }
    }

    private void running(PipelineStage... stages) {
        api.answer(
                GetDeploymentRequest.class,
                GetDeploymentResponse.newBuilder()
                        .setDeployment(
                                Deployment.newBuilder()
                                        .setId("d1")
                                        .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING)
                                        .addAllStages(List.of(stages)))
                        .build());
    }

    private void handled(CommandStatus... inTurn) {
        api.answer(
                GetCommandRequest.class,
                List.of(inTurn).stream()
                        .map(status ->
                                GetCommandResponse.newBuilder()
                                        .setCommand(
                                                Command.newBuilder().setId("c1").setStatus(status))
                                        .build())
                        .toArray());
    }

    private static PipelineStage stage(String id, StageStatus status) {
        return PipelineStage.newBuilder()
                .setId(id)
                .setName("GATE")
                .setStatus(status)
                .setAvailableOperation(ManualOperation.MANUAL_OPERATION_APPROVE)
                .build();
    }
}
