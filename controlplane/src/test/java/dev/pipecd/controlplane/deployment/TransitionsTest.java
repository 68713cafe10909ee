// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import static dev.pipecd.controlplane.Samples.stage;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_CANCELLED;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_FAILURE;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_PENDING;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_PLANNED;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_ROLLING_BACK;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_RUNNING;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_SUCCESS;
import static dev.pipecd.wire.model.StageStatus.STAGE_CANCELLED;
import static dev.pipecd.wire.model.StageStatus.STAGE_FAILURE;
import static dev.pipecd.wire.model.StageStatus.STAGE_NOT_STARTED_YET;
import static dev.pipecd.wire.model.StageStatus.STAGE_RUNNING;
import static dev.pipecd.wire.model.StageStatus.STAGE_SKIPPED;
import static dev.pipecd.wire.model.StageStatus.STAGE_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.model.SyncStrategy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TransitionsTest {
    private static final Instant NOW = Instant.ofEpochSecond(1000);
    private static final List<PipelineStage> STAGES =
            List.of(
                    stage("s1", "SCRIPT_RUN", false),
                    stage("s2", "WAIT", false),
                    stage("r1", "SCRIPT_RUN_ROLLBACK", true));
    private static final DeploymentReport.Planned PLAN =
            new DeploymentReport.Planned(
                    "summary", "", "c0ffee", "", SyncStrategy.PIPELINE, List.of(), STAGES);

    private static Deployment stored(
            DeploymentStatus status, StageStatus s1, StageStatus s2, StageStatus r1) {
        return Deployment.newBuilder()
                .setId("d1")
                .setStatus(status)
                .addStages(STAGES.get(0).toBuilder().setStatus(s1))
                .addStages(STAGES.get(1).toBuilder().setStatus(s2))
                .addStages(STAGES.get(2).toBuilder().setStatus(r1))
                .build();
    }

    private static Deployment stored(DeploymentStatus status) {
        return stored(status, STAGE_NOT_STARTED_YET, STAGE_NOT_STARTED_YET, STAGE_NOT_STARTED_YET);
    }

    private static DeploymentReport.Stage stageReport(String id, StageStatus status) {
        return new DeploymentReport.Stage(new StageId(id), status, "why", List.of(), true, 0, 77);
    }

    private static DeploymentReport.Completed end(
            DeploymentStatus status, Map<String, StageStatus> stages) {
        return new DeploymentReport.Completed(status, "the end", stages, 99);
    }

    private static Deployment changed(Edit<Deployment> edit) {
        assertThat(edit).isInstanceOf(Edit.Changed.class);
        return ((Edit.Changed<Deployment>) edit).value();
    }

    private static List<StageStatus> statuses(Deployment deployment) {
        return deployment.getStagesList().stream().map(PipelineStage::getStatus).toList();
    }

    private static void refused(Runnable report) {
        assertThatThrownBy(report::run)
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> assertThat(p.code()).isEqualTo(Problem.Code.TRANSITION_REFUSED));
    }

    @Test
    void aPlanIsTakenOnceAndItsRepeatChangesNothing() {
        var pending = Deployment.newBuilder().setId("d1").build();

        var planned = changed(Transitions.planned(pending, PLAN));

        assertThat(planned.getStatus()).isEqualTo(DEPLOYMENT_PLANNED);
        assertThat(planned.getStagesList()).isEqualTo(STAGES);
        assertThat(planned.getTrigger().getSyncStrategy()).isEqualTo(SyncStrategy.PIPELINE);
        assertThat(Transitions.planned(planned, PLAN)).isEqualTo(new Edit.Unchanged<>());
        assertThat(Transitions.planned(stored(DEPLOYMENT_SUCCESS), PLAN))
                .isEqualTo(new Edit.Unchanged<>());
        refused(() ->
                Transitions.planned(
                        planned,
                        new DeploymentReport.Planned(
                                "", "", "", "", SyncStrategy.AUTO, List.of(), List.of())));
    }

    @Test
    void twoStagesOfOneIdAreNoPlan() {
        var pending = Deployment.newBuilder().setId("d1").build();
        var twice =
                new DeploymentReport.Planned(
                        "",
                        "",
                        "",
                        "",
                        SyncStrategy.AUTO,
                        List.of(),
                        List.of(STAGES.get(0), STAGES.get(0)));

        assertThatThrownBy(() -> Transitions.planned(pending, twice))
                .hasMessage("stages: two of one id (expected: every id once)");
    }

    @Test
    void workBeginsOnlyUponAPlan() {
        assertThat(changed(Transitions.moved(stored(DEPLOYMENT_PLANNED), DEPLOYMENT_RUNNING, "go")))
                .isEqualTo(stored(DEPLOYMENT_RUNNING).toBuilder().setStatusReason("go").build());
        refused(() -> Transitions.moved(stored(DEPLOYMENT_PENDING), DEPLOYMENT_RUNNING, ""));
        refused(() -> Transitions.moved(stored(DEPLOYMENT_PENDING), DEPLOYMENT_ROLLING_BACK, ""));
    }

    @Test
    void whatComesTwiceOrLateOfTheSameWalkChangesNothing() {
        var rollingBack =
                stored(DEPLOYMENT_ROLLING_BACK, STAGE_SUCCESS, STAGE_FAILURE, STAGE_RUNNING);
        var failed = stored(DEPLOYMENT_FAILURE, STAGE_SUCCESS, STAGE_FAILURE, STAGE_SUCCESS);

        for (var report : List.of(DEPLOYMENT_RUNNING, DEPLOYMENT_ROLLING_BACK)) {
            assertThat(Transitions.moved(rollingBack, report, ""))
                    .isEqualTo(new Edit.Unchanged<>());
            assertThat(Transitions.moved(failed, report, "")).isEqualTo(new Edit.Unchanged<>());
        }
        assertThat(Transitions.stage(failed, stageReport("s1", STAGE_RUNNING), NOW))
                .isEqualTo(new Edit.Unchanged<>());
        assertThat(Transitions.stage(failed, stageReport("s1", STAGE_SUCCESS), NOW))
                .isEqualTo(new Edit.Unchanged<>());
        assertThat(Ends.completed(failed, end(DEPLOYMENT_FAILURE, Map.of())))
                .isEqualTo(new Edit.Unchanged<>());
    }

    @Test
    void nothingMovesOutOfAnEnd() {
        var cancelled = stored(DEPLOYMENT_CANCELLED);

        refused(() -> Transitions.moved(cancelled, DEPLOYMENT_RUNNING, ""));
        refused(() -> Transitions.moved(cancelled, DEPLOYMENT_ROLLING_BACK, ""));
        refused(() -> Ends.completed(cancelled, end(DEPLOYMENT_SUCCESS, Map.of())));
        refused(() -> Transitions.stage(cancelled, stageReport("s1", STAGE_RUNNING), NOW));
        refused(() -> Transitions.stage(cancelled, stageReport("s1", STAGE_SKIPPED), NOW));
    }

    @Test
    void onlyALostDeploymentIsCorrectedByALateTrueReport() {
        var lost = stored(DEPLOYMENT_FAILURE).toBuilder().setStatusReason("lost: gone").build();

        var corrected = changed(Ends.completed(lost, end(DEPLOYMENT_SUCCESS, Map.of())));

        assertThat(corrected.getStatus()).isEqualTo(DEPLOYMENT_SUCCESS);
    }

    @Test
    void aRunningStageHasNoTimeOfCompletionWhateverIsSent() {
        var running =
                changed(
                        Transitions.stage(
                                stored(DEPLOYMENT_RUNNING), stageReport("s1", STAGE_RUNNING), NOW));
        assertThat(running.getStages(0).getCompletedAt()).isZero();
        assertThat(running.getStages(0).getStatus()).isEqualTo(STAGE_RUNNING);

        var ended = changed(Transitions.stage(running, stageReport("s1", STAGE_SUCCESS), NOW));
        assertThat(ended.getStages(0).getCompletedAt()).isEqualTo(77);
    }

    @Test
    void aStageEndsOnce() {
        var failed =
                stored(
                        DEPLOYMENT_RUNNING,
                        STAGE_FAILURE,
                        STAGE_NOT_STARTED_YET,
                        STAGE_NOT_STARTED_YET);

        refused(() -> Transitions.stage(failed, stageReport("s1", STAGE_SUCCESS), NOW));
    }

    @Test
    void aRollbackStageDoesNotRunBeforeTheRollback() {
        refused(() ->
                Transitions.stage(
                        stored(DEPLOYMENT_RUNNING), stageReport("r1", STAGE_RUNNING), NOW));
    }

    @Test
    void aWaitingStageTellsItsReason() {
        var waiting =
                changed(
                        Transitions.stage(
                                stored(DEPLOYMENT_RUNNING).toBuilder()
                                        .setStages(
                                                0, STAGES.get(0).toBuilder().setStatusReason("old"))
                                        .build(),
                                stageReport("s1", STAGE_NOT_STARTED_YET),
                                NOW));

        assertThat(waiting.getStages(0).getStatusReason()).isEqualTo("why");
        assertThat(waiting.getStages(0).getStatus()).isEqualTo(STAGE_NOT_STARTED_YET);
    }

    @Test
    void anUnknownStageIsABadRequest() {
        assertThatThrownBy(() ->
                        Transitions.stage(
                                stored(DEPLOYMENT_RUNNING),
                                stageReport("nope", STAGE_RUNNING),
                                NOW))
                .hasMessage("stage: nope (expected: one of deployment d1)");
    }

    @Test
    void aFailedEndStopsWhatStillRan() {
        var running =
                stored(DEPLOYMENT_RUNNING, STAGE_SUCCESS, STAGE_RUNNING, STAGE_NOT_STARTED_YET);

        var cancelled = changed(Ends.completed(running, end(DEPLOYMENT_CANCELLED, Map.of())));

        assertThat(statuses(cancelled))
                .containsExactly(STAGE_SUCCESS, STAGE_CANCELLED, STAGE_NOT_STARTED_YET);
        assertThat(cancelled.getCompletedAt()).isEqualTo(99);
        assertThat(cancelled.getStatusReason()).isEqualTo("the end");
    }

    @Test
    void successIsRefusedWhileAStageRuns() {
        var running =
                stored(DEPLOYMENT_RUNNING, STAGE_SUCCESS, STAGE_RUNNING, STAGE_NOT_STARTED_YET);

        refused(() -> Ends.completed(running, end(DEPLOYMENT_SUCCESS, Map.of())));
        assertThat(
                        statuses(
                                changed(
                                        Ends.completed(
                                                running,
                                                end(
                                                        DEPLOYMENT_SUCCESS,
                                                        Map.of("s2", STAGE_SUCCESS))))))
                .containsExactly(STAGE_SUCCESS, STAGE_SUCCESS, STAGE_NOT_STARTED_YET);
    }

    @Test
    void anEndMayTellOfARollbackThatWasNotToldBefore() {
        var running =
                stored(
                        DEPLOYMENT_RUNNING,
                        STAGE_RUNNING,
                        STAGE_NOT_STARTED_YET,
                        STAGE_NOT_STARTED_YET);

        var ended =
                changed(
                        Ends.completed(
                                running,
                                end(
                                        DEPLOYMENT_FAILURE,
                                        Map.of("s1", STAGE_FAILURE, "r1", STAGE_SUCCESS))));

        assertThat(statuses(ended))
                .containsExactly(STAGE_FAILURE, STAGE_NOT_STARTED_YET, STAGE_SUCCESS);
    }

    @Test
    void aRollbackNeverEndsInSuccess() {
        refused(() ->
                Ends.completed(stored(DEPLOYMENT_ROLLING_BACK), end(DEPLOYMENT_SUCCESS, Map.of())));
    }

    @Test
    void whatIsNoEndIsABadRequest() {
        assertThatThrownBy(() ->
                        Ends.completed(
                                stored(DEPLOYMENT_RUNNING), end(DEPLOYMENT_RUNNING, Map.of())))
                .hasMessage("status: DEPLOYMENT_RUNNING (expected: SUCCESS, FAILURE or CANCELLED)");
    }
}
