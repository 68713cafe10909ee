// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WalkMarksTest {
    private static final Duration USUAL = Duration.ofHours(6);
    private static final Plan PLAN =
            new Plan(
                    List.of(
                            new PlannedStage(
                                    new StageId("s1"), "SYNC", false, Duration.ofMinutes(5)),
                            new PlannedStage(new StageId("s2"), "ROLLBACK", true, USUAL)),
                    Duration.ofSeconds(90),
                    false);

    @Test
    void aPlanIsFoundAgainAsItWasMade() {
        assertThat(WalkMarks.plan(document(WalkMarks.of(PLAN)))).isEqualTo(PLAN);
    }

    @Test
    void aPlanAsMostAreNeedsNoMarks() {
        var usual =
                new Plan(
                        PLAN.stages().stream()
                                .map(s -> new PlannedStage(s.id(), s.name(), s.rollback(), USUAL))
                                .toList(),
                        USUAL,
                        true);

        assertThat(WalkMarks.of(usual)).isEmpty();
        assertThat(WalkMarks.plan(document(Map.of()))).isEqualTo(usual);
    }

    @Test
    void whyItIsStoppedIsFoundAgain() {
        for (var cause :
                List.of(
                        new Cause.StageFailed("stage SYNC: exit 1"),
                        new Cause.CancelledBy("ann"),
                        new Cause.CancelledBy(""),
                        new Cause.TooLong("it took longer than 5m"))) {
            var marks = new HashMap<>(WalkMarks.of(new WalkMarks.Halt(cause, true)));
            assertThat(WalkMarks.halt(document(marks))).hasValue(new WalkMarks.Halt(cause, true));
            assertThat(WalkMarks.rollbackStopped(document(marks))).isEmpty();
            marks.putAll(WalkMarks.rollbackStopped(cause));
            assertThat(WalkMarks.rollbackStopped(document(marks))).hasValue(cause);
        }
        assertThat(WalkMarks.halt(document(Map.of()))).isEmpty();
    }

    @Test
    void marksOfAnotherVersionKeepNothingFromGoingOn() {
        var marks =
                Map.of(
                        "pipecd/limit",
                        "-PT1H",
                        "pipecd/stage-limits",
                        "soon PT1M",
                        "pipecd/stopped-for",
                        "tired");

        var plan = WalkMarks.plan(document(marks));

        assertThat(plan.limit()).isEqualTo(USUAL);
        assertThat(plan.stages())
                .extracting(PlannedStage::limit)
                .containsExactly(USUAL, Duration.ofMinutes(1));
        assertThat(WalkMarks.halt(document(marks))).isEmpty();
    }

    private static Deployment document(Map<String, String> marks) {
        var document = Deployment.newBuilder();
        for (var stage : PLAN.stages())
            document.addStages(
                    PipelineStage.newBuilder()
                            .setId(stage.id().value())
                            .setName(stage.name())
                            .setRollback(stage.rollback()));
        document.getMetadataV2Builder().getSharedBuilder().putAllKeyValues(marks);
        return document.build();
    }
}
