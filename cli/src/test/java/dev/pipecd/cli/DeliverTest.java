// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Deliveries.STORE_AWAY;
import static dev.pipecd.cli.Deliveries.line;
import static dev.pipecd.cli.Deliveries.lines;
import static dev.pipecd.cli.Deliveries.seen;
import static dev.pipecd.cli.Deliveries.synced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.delivery.GetStageLogRequest;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliverTest {
    private final RecordingApiService api = RecordingApiService.ours();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

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

        assertThat(run.out())
                .isEqualTo(
                        """
                        [{"id":"d1","application_id":"a1","application_name":"site","trigger":{"commit":{"hash":"0123abc"}},"status":4,"stages":[{"id":"s1","name":"SCRIPT_RUN","status":2}]}]
                        """);
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

    @Test
    void aStoreThatIsAwayForAWhileIsOutlasted() {
        synced(api, "d1");
        api.answer(
                GetDeploymentRequest.class,
                seen(DeploymentStatus.DEPLOYMENT_RUNNING, StageStatus.STAGE_RUNNING),
                STORE_AWAY,
                STORE_AWAY,
                seen(DeploymentStatus.DEPLOYMENT_SUCCESS, StageStatus.STAGE_SUCCESS));

        var run = new Surroundings().pipectl(server, "deliver", "--app-id=a1", "--logs=false");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err())
                .contains(
                        """
                        Still trying: The control plane cannot do it now: store: unavailable. Look at the log of the control plane and at its database, then try again.
                        The control plane is back.
                        """);
    }

    @Test
    void logsThatAreAwayAreToldOnceAndShownWhenTheyAreBack() {
        synced(api, "d1");
        var running = seen(DeploymentStatus.DEPLOYMENT_RUNNING, StageStatus.STAGE_RUNNING);
        api.answer(
                        GetDeploymentRequest.class,
                        running,
                        running,
                        running,
                        seen(DeploymentStatus.DEPLOYMENT_SUCCESS, StageStatus.STAGE_SUCCESS))
                .answer(
                        GetStageLogRequest.class,
                        STORE_AWAY,
                        STORE_AWAY,
                        lines(false, line(0, "Deploying")));

        var run = new Surroundings().pipectl(server, "deliver", "--app-id=a1");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).containsOnlyOnce("Still trying: ");
        assertThat(run.out()).contains(" Deploying\n");
    }

    @ParameterizedTest
    @CsvSource({"DEPLOYMENT_SUCCESS, 5", "DEPLOYMENT_FAILURE, 3"})
    void logsThatStayAwayAreToldAndTheDeliveryDoesNotEndWell(DeploymentStatus status, int code) {
        synced(api, "d1");
        api.answer(GetDeploymentRequest.class, seen(status, StageStatus.STAGE_SUCCESS))
                .answer(GetStageLogRequest.class, STORE_AWAY);

        var run = new Surroundings().pipectl(server, "deliver", "--app-id=a1");

        assertThat(run.code()).isEqualTo(code);
        assertThat(run.err())
                .endsWith(
                        "Error: logs: those of deployment d1 are not whole (expected: all that its stages wrote). Try `pipectl deployment logs --deployment-id d1` later.\n");
    }

    @Test
    void noLineIsLostWhenTheLogOfALaterStageCannotBeRead() {
        synced(api, "d1");
        var ended =
                seen(DeploymentStatus.DEPLOYMENT_SUCCESS, StageStatus.STAGE_SUCCESS).toBuilder();
        ended.getDeploymentBuilder()
                .addStages(
                        PipelineStage.newBuilder()
                                .setId("s2")
                                .setIndex(1)
                                .setName("WAIT")
                                .setStatus(StageStatus.STAGE_SUCCESS));
        api.answer(GetDeploymentRequest.class, ended.build())
                .answer(
                        GetStageLogRequest.class,
                        lines(true, line(0, "of the first")),
                        STORE_AWAY,
                        lines(true, line(0, "of the second")));

        var run = new Surroundings().pipectl(server, "deliver", "--app-id=a1");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out())
                .isEqualTo(
                        """
                        == SCRIPT_RUN
                        2026-11-15T20:00:00Z of the first
                        == WAIT
                        2026-11-15T20:00:00Z of the second
                        """);
        assertThat(api.requests(GetStageLogRequest.class))
                .extracting(GetStageLogRequest::getStageId)
                .containsExactly("s1", "s2", "s2");
    }
}
