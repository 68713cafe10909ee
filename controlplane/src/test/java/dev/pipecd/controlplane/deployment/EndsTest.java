// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import static dev.pipecd.controlplane.Samples.stage;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_CANCELLED;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_FAILURE;
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
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What public agents tell of deployments that have turned or end, beside the ordinary walk.
class EndsTest {
    private static final Instant NOW = Instant.ofEpochSecond(1000);
    private static final List<PipelineStage> STAGES =
            List.of(
                    stage("s1", "SCRIPT_RUN", false),
                    stage("s2", "WAIT", false),
                    stage("r1", "SCRIPT_RUN_ROLLBACK", true));

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

    private static Deployment rollingBack(StageStatus s1, StageStatus s2, StageStatus r1) {
        return stored(DEPLOYMENT_ROLLING_BACK, s1, s2, r1);
    }

    /// As if the agent itself had told how the stages ended.
    private static Deployment told(Deployment deployment) {
        var told = deployment.toBuilder();
        told.getStagesBuilderList().forEach(s -> s.setCompletedAt(55));
        return told.build();
    }

    @Test
    void anEndIsTrueAlsoForAStageThatWasTakenForStopped() {
        var running =
                stored(DEPLOYMENT_RUNNING, STAGE_SUCCESS, STAGE_RUNNING, STAGE_NOT_STARTED_YET);
        var turned = changed(Transitions.moved(running, DEPLOYMENT_ROLLING_BACK, "cancelled"));
        assertThat(statuses(turned))
                .containsExactly(STAGE_SUCCESS, STAGE_FAILURE, STAGE_NOT_STARTED_YET);

        var ended =
                changed(
                        Ends.completed(
                                turned,
                                end(
                                        DEPLOYMENT_CANCELLED,
                                        Map.of("s2", STAGE_CANCELLED, "r1", STAGE_SUCCESS))));

        assertThat(ended.getStatus()).isEqualTo(DEPLOYMENT_CANCELLED);
        assertThat(statuses(ended)).containsExactly(STAGE_SUCCESS, STAGE_CANCELLED, STAGE_SUCCESS);
    }

    @Test
    void theLastWordOnAStageIsTheOneToldWithTheEnd() {
        for (var last : List.of(STAGE_FAILURE, STAGE_CANCELLED, STAGE_SKIPPED)) {
            var before = told(rollingBack(STAGE_FAILURE, STAGE_NOT_STARTED_YET, STAGE_SUCCESS));

            var ended =
                    changed(Ends.completed(before, end(DEPLOYMENT_FAILURE, Map.of("r1", last))));

            assertThat(statuses(ended)).containsExactly(STAGE_FAILURE, STAGE_NOT_STARTED_YET, last);
        }
    }

    @Test
    void anEndedStageDoesNotRunAgainBecauseTheEndTellsItLate() {
        for (var late : List.of(STAGE_RUNNING, STAGE_NOT_STARTED_YET)) {
            var before = rollingBack(STAGE_FAILURE, STAGE_NOT_STARTED_YET, STAGE_SUCCESS);

            var ended =
                    changed(
                            Ends.completed(
                                    before,
                                    end(DEPLOYMENT_FAILURE, Map.of("s1", late, "r1", late))));

            assertThat(statuses(ended))
                    .containsExactly(STAGE_FAILURE, STAGE_NOT_STARTED_YET, STAGE_SUCCESS);
        }
    }

    @Test
    void aStageThatWasStartedBesideARollbackIsStoppedByTheEnd() {
        for (var before :
                List.of(
                        rollingBack(STAGE_SUCCESS, STAGE_NOT_STARTED_YET, STAGE_SUCCESS),
                        rollingBack(STAGE_SUCCESS, STAGE_RUNNING, STAGE_SUCCESS))) {
            var ended =
                    changed(
                            Ends.completed(
                                    before,
                                    end(DEPLOYMENT_CANCELLED, Map.of("s2", STAGE_RUNNING))));

            assertThat(statuses(ended))
                    .containsExactly(STAGE_SUCCESS, STAGE_CANCELLED, STAGE_SUCCESS);
        }
    }

    @Test
    void anEndThatNamesAStageOfNoPlanIsRefused() {
        refused(() ->
                Ends.completed(
                        stored(DEPLOYMENT_RUNNING),
                        end(DEPLOYMENT_FAILURE, Map.of("s9", STAGE_FAILURE))));
    }

    @Test
    void anEndWhosePlanNeverArrivedIsTaken() {
        var pending = Deployment.newBuilder().setId("d1").build();

        var ended =
                changed(
                        Ends.completed(
                                pending, end(DEPLOYMENT_FAILURE, Map.of("s1", STAGE_FAILURE))));

        assertThat(ended.getStatus()).isEqualTo(DEPLOYMENT_FAILURE);
    }

    @Test
    void aSuccessSaysNothingAboutRollbacks() {
        var ended =
                changed(
                        Ends.completed(
                                stored(
                                        DEPLOYMENT_RUNNING,
                                        STAGE_SUCCESS,
                                        STAGE_SUCCESS,
                                        STAGE_NOT_STARTED_YET),
                                end(DEPLOYMENT_SUCCESS, Map.of("r1", STAGE_SUCCESS))));

        assertThat(statuses(ended))
                .containsExactly(STAGE_SUCCESS, STAGE_SUCCESS, STAGE_NOT_STARTED_YET);
    }

    @Test
    void aStageThatWasStartedBesideARollbackTellsItsWay() {
        var before = rollingBack(STAGE_SUCCESS, STAGE_NOT_STARTED_YET, STAGE_RUNNING);

        var running = changed(Transitions.stage(before, stageReport("s2", STAGE_RUNNING), NOW));
        var ended = changed(Transitions.stage(running, stageReport("s2", STAGE_CANCELLED), NOW));

        assertThat(statuses(running)).containsExactly(STAGE_SUCCESS, STAGE_RUNNING, STAGE_RUNNING);
        assertThat(statuses(ended)).containsExactly(STAGE_SUCCESS, STAGE_CANCELLED, STAGE_RUNNING);
        assertThat(ended.getStatus()).isEqualTo(DEPLOYMENT_ROLLING_BACK);
        refused(() -> Transitions.stage(ended, stageReport("s2", STAGE_SUCCESS), NOW));
    }

    @Test
    void whatWasOnlyTakenForStoppedIsCorrectedByItsAgent() {
        for (var turned : List.of(DEPLOYMENT_ROLLING_BACK, DEPLOYMENT_FAILURE)) {
            var before = stored(turned, STAGE_SUCCESS, STAGE_FAILURE, STAGE_SUCCESS);

            var corrected =
                    changed(Transitions.stage(before, stageReport("s2", STAGE_CANCELLED), NOW));

            assertThat(statuses(corrected))
                    .containsExactly(STAGE_SUCCESS, STAGE_CANCELLED, STAGE_SUCCESS);
            assertThat(corrected.getStatus()).isEqualTo(turned);
            refused(() -> Transitions.stage(told(before), stageReport("s2", STAGE_CANCELLED), NOW));
        }
    }

    @Test
    void aRollbackStageThatIsRunAgainTellsItsNewEnd() {
        var before = told(rollingBack(STAGE_FAILURE, STAGE_NOT_STARTED_YET, STAGE_SUCCESS));

        assertThat(Transitions.stage(before, stageReport("r1", STAGE_RUNNING), NOW))
                .isEqualTo(new Edit.Unchanged<>());
        var again = changed(Transitions.stage(before, stageReport("r1", STAGE_FAILURE), NOW));

        assertThat(statuses(again))
                .containsExactly(STAGE_FAILURE, STAGE_NOT_STARTED_YET, STAGE_FAILURE);
    }

    @Test
    void whoRollsBackHasRun() {
        assertThat(Transitions.moved(stored(DEPLOYMENT_ROLLING_BACK), DEPLOYMENT_RUNNING, ""))
                .isEqualTo(new Edit.Unchanged<>());
    }

    @Test
    void everyOldNameOfARollbackIsKnownWithoutTheFlag() {
        for (var name : List.of("ROLLBACK", "SCRIPT_RUN_ROLLBACK", "CUSTOM_SYNC_ROLLBACK"))
            assertThat(Walk.rollback(stage("r1", name, false))).as(name).isTrue();
        assertThat(Walk.rollback(stage("s1", "CUSTOM_SYNC", false))).isFalse();
    }
}
