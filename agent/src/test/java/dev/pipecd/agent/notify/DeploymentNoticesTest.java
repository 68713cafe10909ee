// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.report.Marks;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DeploymentNoticesTest {
    private static final Instant LATER = Samples.AT.plusSeconds(60);
    private static final StageId APPROVAL = new StageId("s1");
    private static final StageId PUBLISH = new StageId("s2");
    private static final Deployment SHEET =
            Samples.DEPLOYMENT.toBuilder()
                    .addStages(
                            Samples.STAGE.toBuilder()
                                    .putMetadata("pipecd/stage-approved-users", "ann, bob"))
                    .addStages(PipelineStage.newBuilder().setId("s2").setName("PUBLISH"))
                    .build();

    @Test
    void planningAndBeginningAreTold() {
        assertThat(
                        kinds(
                                new DeploymentEvent.PlanMade(
                                        new Plan(List.of(), Duration.ofHours(1), true))))
                .containsExactly(EventKind.DEPLOYMENT_PLANNED);
        assertThat(kinds(new DeploymentEvent.Began(Samples.AT, LATER)))
                .containsExactly(EventKind.DEPLOYMENT_STARTED);
    }

    @Test
    void aStageThatNeedsApprovalIsToldToWaitAndWhoApproved() {
        assertThat(kinds(started(APPROVAL)))
                .containsExactly(EventKind.STAGE_STARTED, EventKind.DEPLOYMENT_WAIT_APPROVAL);
        assertThat(kinds(started(PUBLISH))).containsExactly(EventKind.STAGE_STARTED);

        var ended = of(ended(APPROVAL, new StageResult.Succeeded()));
        assertThat(ended)
                .extracting(Event::kind)
                .containsExactly(EventKind.DEPLOYMENT_APPROVED, EventKind.STAGE_SUCCEEDED);
        assertThat(ended.getFirst())
                .isInstanceOfSatisfying(
                        Event.DeploymentApproved.class,
                        approved -> assertThat(approved.approver()).isEqualTo("ann, bob"));
    }

    @Test
    void eachEndOfAStageIsTold() {
        assertThat(kinds(ended(PUBLISH, new StageResult.Succeeded())))
                .containsExactly(EventKind.STAGE_SUCCEEDED);
        assertThat(kinds(ended(PUBLISH, new StageResult.Exited("enough"))))
                .containsExactly(EventKind.STAGE_SUCCEEDED);
        assertThat(kinds(ended(PUBLISH, new StageResult.Skipped("not needed"))))
                .containsExactly(EventKind.STAGE_SKIPPED);
        assertThat(kinds(ended(PUBLISH, new StageResult.Failed("broken"))))
                .containsExactly(EventKind.STAGE_FAILED);
        assertThat(kinds(ended(PUBLISH, new StageResult.TimedOut("too long"))))
                .containsExactly(EventKind.STAGE_FAILED);
        assertThat(kinds(ended(PUBLISH, new StageResult.Cancelled("ann"))))
                .containsExactly(EventKind.STAGE_CANCELLED);
    }

    @Test
    void aStageIsToldAsItIsNow() {
        assertThat(of(ended(PUBLISH, new StageResult.Failed("broken"))).getFirst())
                .isInstanceOfSatisfying(
                        Event.StageFailed.class,
                        failed -> {
                            assertThat(failed.stage().getStatus())
                                    .isEqualTo(StageStatus.STAGE_FAILURE);
                            assertThat(failed.stage().getStatusReason()).isEqualTo("broken");
                            assertThat(failed.deployment().getStatus())
                                    .isEqualTo(DeploymentStatus.DEPLOYMENT_RUNNING);
                        });
    }

    @Test
    void aRollbackIsToldWithItsCause() {
        assertThat(of(new DeploymentEvent.RollbackBegan(new Cause.StageFailed("broken"), LATER)))
                .singleElement()
                .isInstanceOfSatisfying(
                        Event.DeploymentRollingBack.class,
                        back -> {
                            assertThat(back.reason()).isEqualTo("broken");
                            assertThat(back.deployment().getStatus())
                                    .isEqualTo(DeploymentStatus.DEPLOYMENT_ROLLING_BACK);
                        });
    }

    @Test
    void anEndIsToldOfTheDeploymentAndOfItsApplication() {
        assertThat(kinds(new DeploymentEvent.Ended(new Outcome.Succeeded())))
                .containsExactly(EventKind.DEPLOYMENT_SUCCEEDED, EventKind.APPLICATION_SYNCED);
        assertThat(kinds(new DeploymentEvent.Ended(new Outcome.Failed("broken"))))
                .containsExactly(EventKind.DEPLOYMENT_FAILED, EventKind.APPLICATION_OUT_OF_SYNC);
        assertThat(kinds(new DeploymentEvent.Ended(new Outcome.Lost("given up"))))
                .containsExactly(EventKind.DEPLOYMENT_FAILED, EventKind.APPLICATION_OUT_OF_SYNC);
        assertThat(kinds(new DeploymentEvent.Ended(new Outcome.Cancelled("ann"))))
                .containsExactly(EventKind.DEPLOYMENT_CANCELLED, EventKind.APPLICATION_OUT_OF_SYNC);
    }

    @Test
    void whatIsSupersededSaysNothingOfItsApplication() {
        assertThat(kinds(new DeploymentEvent.Ended(new Outcome.Superseded("d2"))))
                .containsExactly(EventKind.DEPLOYMENT_CANCELLED);
    }

    @Test
    void whileAnotherIsUnderWayTheEndSaysNothingOfItsApplication() {
        var notices = new DeploymentNotices(SHEET, false, Samples.AT);

        assertThat(notices.of(new DeploymentEvent.Ended(new Outcome.Cancelled("ann"))))
                .extracting(Event::kind)
                .containsExactly(EventKind.DEPLOYMENT_CANCELLED);
        assertThat(notices.of(new DeploymentEvent.Ended(new Outcome.TimedOut("too long"))))
                .extracting(Event::kind)
                .containsExactly(EventKind.DEPLOYMENT_FAILED);
    }

    @Test
    void anApplicationWhoseFileCannotBeReadIsNotCalledOutOfSync() {
        var unreadable = SHEET.toBuilder();
        unreadable.getMetadataV2Builder().getSharedBuilder().putKeyValues(Marks.UNREADABLE, "true");

        assertThat(
                        new DeploymentNotices(unreadable.build(), true, Samples.AT)
                                .of(new DeploymentEvent.Ended(new Outcome.Failed("not valid"))))
                .extracting(Event::kind)
                .containsExactly(EventKind.DEPLOYMENT_FAILED);
    }

    @Test
    void whoCancelledIsToldAlsoAfterARollback() {
        assertThat(
                        of(new DeploymentEvent.Ended(
                                        new Outcome.RolledBack(new Cause.CancelledBy("ann"))))
                                .getFirst())
                .isInstanceOfSatisfying(
                        Event.DeploymentCancelled.class,
                        cancelled -> {
                            assertThat(cancelled.commander()).isEqualTo("ann");
                            assertThat(cancelled.reason())
                                    .isEqualTo("rolled back: cancelled by ann");
                            assertThat(cancelled.deployment().getCompletedAt())
                                    .isEqualTo(1_700_000_000);
                        });
    }

    @Test
    void whatOnlyTheLogNeedsIsNotTold() {
        assertThat(of(new DeploymentEvent.HaltOrdered(new Cause.StageFailed("broken"), true)))
                .isEmpty();
        assertThat(of(new DeploymentEvent.AbortOrdered(new Cause.CancelledBy("ann")))).isEmpty();
    }

    private static DeploymentEvent started(StageId stage) {
        return new DeploymentEvent.StageMoved(stage, new StageEvent.Started(Samples.AT, LATER));
    }

    private static DeploymentEvent ended(StageId stage, StageResult result) {
        return new DeploymentEvent.StageMoved(stage, new StageEvent.Ended(result));
    }

    private static List<Event> of(DeploymentEvent event) {
        return new DeploymentNotices(SHEET, true, Samples.AT).of(event);
    }

    private static List<EventKind> kinds(DeploymentEvent event) {
        return of(event).stream().map(Event::kind).toList();
    }
}
