// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Calls.fails;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.*;
import dev.pipecd.wire.web.ApproveStageRequest;
import dev.pipecd.wire.web.CancelDeploymentRequest;
import dev.pipecd.wire.web.DeleteApplicationRequest;
import dev.pipecd.wire.web.DisableApplicationRequest;
import dev.pipecd.wire.web.GetCommandRequest;
import dev.pipecd.wire.web.SyncApplicationRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SteeringDoorsTest {
    @TempDir Path folder;
    private World world;
    private Samples.Home home;
    private WebServiceBlockingStub web;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        web = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Editor")));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private List<Command> unhandled() {
        return home.calls()
                .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance())
                .getCommandsList();
    }

    private void handled(String command, CommandStatus status) {
        handled(command, status, "out");
    }

    private void handled(String command, CommandStatus status, String output) {
        var _ =
                home.calls()
                        .reportCommandHandled(
                                ReportCommandHandledRequest.newBuilder()
                                        .setCommandId(command)
                                        .setStatus(status)
                                        .putMetadata("TriggeredDeploymentID", "d1")
                                        .setHandledAt(7)
                                        .setOutput(ByteString.copyFromUtf8(output))
                                        .build());
    }

    @Test
    void aSyncReachesTheAgentAndItsAnswerThePerson() {
        var id =
                web.syncApplication(
                                SyncApplicationRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .build())
                        .getCommandId();
        assertThat(unhandled()).extracting(Command::getId).containsExactly(id);
        assertThat(unhandled().getFirst().getCommander()).isEqualTo("ann");

        handled(id, CommandStatus.COMMAND_SUCCEEDED);
        handled(id, CommandStatus.COMMAND_SUCCEEDED);

        assertThat(unhandled()).isEmpty();
        var answer =
                web.getCommand(GetCommandRequest.newBuilder().setCommandId(id).build())
                        .getCommand();
        assertThat(answer.getStatus()).isEqualTo(CommandStatus.COMMAND_SUCCEEDED);
        assertThat(answer.getMetadataMap()).isEqualTo(Map.of("TriggeredDeploymentID", "d1"));
        assertThat(world.file("command-output/" + id + ".json")).hasContent("out");
        fails(
                Status.Code.FAILED_PRECONDITION,
                "expected: the first answer",
                () -> handled(id, CommandStatus.COMMAND_FAILED));
    }

    @Test
    void theFirstAnswerOfAnAgentStandsWithWhatItProduced() {
        var id =
                web.syncApplication(
                                SyncApplicationRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .build())
                        .getCommandId();
        handled(id, CommandStatus.COMMAND_SUCCEEDED, "first");

        fails(
                Status.Code.FAILED_PRECONDITION,
                "expected: the first answer",
                () -> handled(id, CommandStatus.COMMAND_FAILED, "contradicting"));
        handled(id, CommandStatus.COMMAND_SUCCEEDED, "again");

        assertThat(world.file("command-output/" + id + ".json")).hasContent("first");
    }

    /// As the public system answers; its agents log that and go on.
    @Test
    void whatAnAgentTellsOfADeletedApplicationIsRefused() {
        var calls = home.calls();
        var _ =
                web.deleteApplication(
                        DeleteApplicationRequest.newBuilder()
                                .setApplicationId(home.application())
                                .build());
        var told = "application: " + home.application() + " is deleted";

        fails(
                Status.Code.INVALID_ARGUMENT,
                told,
                () ->
                        calls.reportApplicationSyncState(
                                ReportApplicationSyncStateRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .setState(ApplicationSyncState.newBuilder().setTimestamp(1))
                                        .build()));
        fails(
                Status.Code.INVALID_ARGUMENT,
                told,
                () ->
                        calls.reportApplicationDeployingStatus(
                                ReportApplicationDeployingStatusRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .setDeploying(true)
                                        .build()));
    }

    @Test
    void aDisabledApplicationIsNeitherSyncedNorListedToItsAgent() {
        var _ =
                web.disableApplication(
                        DisableApplicationRequest.newBuilder()
                                .setApplicationId(home.application())
                                .build());

        assertThat(
                        home.calls()
                                .listApplications(ListApplicationsRequest.getDefaultInstance())
                                .getApplicationsList())
                .isEmpty();
        fails(
                Status.Code.FAILED_PRECONDITION,
                "application: site is disabled",
                () ->
                        web.syncApplication(
                                SyncApplicationRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .build()));
    }

    private ThrowingCallable approving(String stage) {
        return () -> {
            var _ =
                    web.approveStage(
                            ApproveStageRequest.newBuilder()
                                    .setDeploymentId("d1")
                                    .setStageId(stage)
                                    .build());
        };
    }

    @Test
    void onlyARunningStageThatWaitsIsApprovedAndOnlyByThoseItNames() throws Throwable {
        home.running("d1");
        fails(Status.Code.FAILED_PRECONDITION, "expected: a running stage", approving("s1"));
        fails(Status.Code.FAILED_PRECONDITION, "expected: a running stage", approving("s2"));
        fails(Status.Code.NOT_FOUND, "stage: s9 is unknown", approving("s9"));
        home.stage("d1", "s2", StageStatus.STAGE_RUNNING);
        home.approvers("d1", "s2", "bob, eve");
        fails(Status.Code.PERMISSION_DENIED, "expected: one of [bob, eve]", approving("s2"));
        home.approvers("d1", "s2", "bob, ann");

        approving("s2").call();

        assertThat(unhandled())
                .extracting(c -> c.getType() + " " + c.getStageId())
                .containsExactly("APPROVE_STAGE s2");
    }

    @Test
    void aCancelSaysWhatBecomesOfTheChangesAndComesBeforeTheEnd() {
        home.running("d1");
        var cancel = CancelDeploymentRequest.newBuilder().setDeploymentId("d1");
        fails(
                Status.Code.INVALID_ARGUMENT,
                "expected: at most one",
                () ->
                        web.cancelDeployment(
                                cancel.clone()
                                        .setForceRollback(true)
                                        .setForceNoRollback(true)
                                        .build()));

        var _ = web.cancelDeployment(cancel.clone().setForceNoRollback(true).build());

        assertThat(unhandled())
                .extracting(Command::getCancelDeployment)
                .containsExactly(
                        Command.CancelDeployment.newBuilder()
                                .setDeploymentId("d1")
                                .setForceNoRollback(true)
                                .build());
        home.complete("d1", DeploymentStatus.DEPLOYMENT_CANCELLED);
        fails(
                Status.Code.FAILED_PRECONDITION,
                "is completed",
                () -> web.cancelDeployment(cancel.build()));
    }
}
