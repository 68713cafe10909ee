// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Calls.fails;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.delivery.ApproveStageRequest;
import dev.pipecd.wire.delivery.CancelDeploymentRequest;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc.DeliveryServiceBlockingStub;
import dev.pipecd.wire.delivery.GetEventRequest;
import dev.pipecd.wire.delivery.GetStageLogRequest;
import dev.pipecd.wire.delivery.Rollback;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ReportStageLogsRequest;
import io.grpc.Status;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeliveryDoorTest {
    @TempDir Path folder;
    private World world;
    private Samples.Home home;
    private DeliveryServiceBlockingStub delivery;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        delivery = DeliveryServiceGrpc.newBlockingStub(world.as(World.holder(HERE, true)));
        home.running("d1");
    }

    @AfterEach
    void close() {
        world.close();
    }

    private Command order() {
        return home.calls()
                .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance())
                .getCommands(0);
    }

    @Test
    void aPipelineApprovesWhatWaitsForIt() {
        home.stage("d1", "s1", StageStatus.STAGE_SUCCESS);
        home.stage("d1", "s2", StageStatus.STAGE_RUNNING);

        var command =
                delivery.approveStage(
                                ApproveStageRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .setStageId("s2")
                                        .build())
                        .getCommandId();

        assertThat(order().getId()).isEqualTo(command);
        assertThat(order().getType()).isEqualTo(Command.Type.APPROVE_STAGE);
        assertThat(order().getCommander()).isEqualTo("key-1");
    }

    @Test
    void aPipelineCancelsAndSaysWhatBecomesOfTheChange() {
        var _ =
                delivery.cancelDeployment(
                        CancelDeploymentRequest.newBuilder()
                                .setDeploymentId("d1")
                                .setRollback(Rollback.ROLLBACK_NEVER)
                                .build());

        assertThat(order().getCancelDeployment().getForceNoRollback()).isTrue();
        assertThat(order().getCancelDeployment().getForceRollback()).isFalse();
    }

    @Test
    void aLogThatHasNotBegunIsEmptyAndAStageThatIsNotThereIsUnknown() {
        var asked = GetStageLogRequest.newBuilder().setDeploymentId("d1").setStageId("s1");
        assertThat(delivery.getStageLog(asked.build()).getBlocksList()).isEmpty();
        var _ =
                home.calls()
                        .reportStageLogs(
                                ReportStageLogsRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .setStageId("s1")
                                        .addBlocks(Samples.line(1, "one"))
                                        .addBlocks(Samples.line(2, "two"))
                                        .build());

        assertThat(delivery.getStageLog(asked.setOffsetIndex(2).build()).getBlocksList())
                .extracting(LogBlock::getLog)
                .containsExactly("two");
        fails(
                Status.Code.NOT_FOUND,
                "stage: s9 is unknown",
                () -> delivery.getStageLog(asked.setStageId("s9").build()));
    }

    @Test
    void aPipelineLearnsWhatBecameOfItsEvent() {
        var id =
                APIServiceGrpc.newBlockingStub(world.as(World.holder(HERE, true)))
                        .registerEvent(
                                RegisterEventRequest.newBuilder()
                                        .setName("image")
                                        .setData("v1")
                                        .build())
                        .getEventId();

        assertThat(
                        delivery.getEvent(GetEventRequest.newBuilder().setEventId(id).build())
                                .getEvent()
                                .getData())
                .isEqualTo("v1");
    }
}
