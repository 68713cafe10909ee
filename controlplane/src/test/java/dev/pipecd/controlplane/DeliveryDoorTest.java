// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.ELSEWHERE;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ReportStageLogsRequest;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a holder of an API key may do with a deployment that waits in `s2`.
class DeliveryDoorTest {
    private static final ApproveStageRequest APPROVE =
            ApproveStageRequest.newBuilder().setDeploymentId("d1").setStageId("s2").build();
    private static final CancelDeploymentRequest CANCEL =
            CancelDeploymentRequest.newBuilder().setDeploymentId("d1").build();
    private static final GetStageLogRequest LOG =
            GetStageLogRequest.newBuilder().setDeploymentId("d1").setStageId("s2").build();

    @TempDir Path folder;
    private World world;
    private Samples.Home home;
    private DeliveryServiceBlockingStub delivery;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        delivery = as(world.as(World.holder(HERE, true)));
        home.running("d1");
        home.stage("d1", "s2", StageStatus.STAGE_RUNNING);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static DeliveryServiceBlockingStub as(Channel channel) {
        return DeliveryServiceGrpc.newBlockingStub(channel);
    }

    @Test
    void anApprovalReachesTheAgentUnderTheNameOfTheKey() {
        var id = delivery.approveStage(APPROVE).getCommandId();

        var order = unhandled().getFirst();
        assertThat(order.getId()).isEqualTo(id);
        assertThat(order.getType()).isEqualTo(Command.Type.APPROVE_STAGE);
        assertThat(order.getApproveStage().getStageId()).isEqualTo("s2");
        assertThat(order.getCommander()).isEqualTo("key:robot");
    }

    @Test
    void aKeyNamedLikeAPersonIsNotThatApprover() {
        home.approvers("d1", "s2", "robot");
        assertThatThrownBy(() -> delivery.approveStage(APPROVE))
                .hasMessageContaining("PERMISSION_DENIED")
                .hasMessageContaining("approver: key:robot (expected: one of [robot])");
        assertThat(unhandled()).isEmpty();

        home.approvers("d1", "s2", "robot, key:robot");

        var id = delivery.approveStage(APPROVE).getCommandId();
        assertThat(unhandled()).extracting(Command::getId).containsExactly(id);
    }

    @ParameterizedTest
    @CsvSource({
        "ROLLBACK_AS_CONFIGURED, false, false",
        "ROLLBACK_ALWAYS, true, false",
        "ROLLBACK_NEVER, false, true"
    })
    void aCancelTellsTheAgentWhatBecomesOfTheChange(
            Rollback rollback, boolean force, boolean forceNot) {
        var _ = delivery.cancelDeployment(CANCEL.toBuilder().setRollback(rollback).build());

        assertThat(unhandled().getFirst().getCommander()).isEqualTo("key:robot");
        var order = unhandled().getFirst().getCancelDeployment();
        assertThat(order.getDeploymentId()).isEqualTo("d1");
        assertThat(order.getForceRollback()).isEqualTo(force);
        assertThat(order.getForceNoRollback()).isEqualTo(forceNot);
    }

    @Test
    void aLogIsReadFromAnIndexOn() {
        assertThat(delivery.getStageLog(LOG).getBlocksList()).isEmpty();

        var _ =
                home.calls()
                        .reportStageLogs(
                                ReportStageLogsRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .setStageId("s2")
                                        .addBlocks(Samples.line(1, "one"))
                                        .addBlocks(Samples.line(2, "two"))
                                        .build());

        assertThat(delivery.getStageLog(LOG).getBlocksList())
                .extracting(LogBlock::getLog)
                .containsExactly("one", "two");
        assertThat(delivery.getStageLog(LOG.toBuilder().setOffsetIndex(2).build()).getBlocksList())
                .extracting(LogBlock::getLog)
                .containsExactly("two");
    }

    @Test
    void whatBecameOfAnEventIsToldToItsProjectOnly() {
        var id =
                APIServiceGrpc.newBlockingStub(world.as(World.holder(HERE, true)))
                        .registerEvent(
                                RegisterEventRequest.newBuilder()
                                        .setName("built")
                                        .setData("v1")
                                        .build())
                        .getEventId();
        var request = GetEventRequest.newBuilder().setEventId(id).build();

        var event = as(world.as(World.holder(HERE, false))).getEvent(request).getEvent();

        assertThat(event.getName()).isEqualTo("built");
        assertThat(event.getStatus()).isEqualTo(EventStatus.EVENT_NOT_HANDLED);
        refused(
                Status.Code.NOT_FOUND,
                as(world.as(World.holder(ELSEWHERE, true))),
                List.of(stub -> {
                    var _ = stub.getEvent(request);
                }));
    }

    @Test
    void aKeyThatMayOnlyReadReadsAndOrdersNothing() {
        var reader = as(world.as(World.holder(HERE, false)));

        assertThat(reader.getStageLog(LOG).getCompleted()).isFalse();
        refused(Status.Code.PERMISSION_DENIED, reader, ORDERS);
        assertThat(unhandled()).isEmpty();
    }

    @Test
    void whatBelongsToOthersDoesNotExist() {
        refused(Status.Code.NOT_FOUND, as(world.as(World.holder(ELSEWHERE, true))), ALL);
        assertThat(unhandled()).isEmpty();
    }

    @Test
    void onlyHoldersOfAKeyComeIn() {
        refused(Status.Code.UNAUTHENTICATED, as(world.asNobody()), ALL);
        refused(Status.Code.UNAUTHENTICATED, as(world.as(home.agent())), ALL);
        refused(Status.Code.UNAUTHENTICATED, as(world.as(World.person(HERE, "Admin"))), ALL);
        assertThat(unhandled()).isEmpty();
    }

    private static final List<Consumer<DeliveryServiceBlockingStub>> ORDERS =
            List.of(
                    stub -> {
                        var _ = stub.approveStage(APPROVE);
                    },
                    stub -> {
                        var _ = stub.cancelDeployment(CANCEL);
                    });
    private static final List<Consumer<DeliveryServiceBlockingStub>> ALL =
            List.of(
                    ORDERS.getFirst(),
                    ORDERS.getLast(),
                    stub -> {
                        var _ = stub.getStageLog(LOG);
                    },
                    stub -> {
                        var _ =
                                stub.getEvent(
                                        GetEventRequest.newBuilder().setEventId("e1").build());
                    });

    private static void refused(
            Status.Code code,
            DeliveryServiceBlockingStub stub,
            List<Consumer<DeliveryServiceBlockingStub>> calls) {
        for (var call : calls)
            assertThatThrownBy(() -> call.accept(stub))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(code));
    }

    private List<Command> unhandled() {
        return home.calls()
                .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance())
                .getCommandsList();
    }
}
