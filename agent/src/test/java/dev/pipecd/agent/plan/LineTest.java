// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.plugin.StageToPlan;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class LineTest {
    private static StageToPlan asked(int index) {
        return new StageToPlan("WAIT", "", index, ByteString.EMPTY);
    }

    private final AtomicInteger last = new AtomicInteger();
    private final Line line =
            new Line(() -> "id" + last.incrementAndGet(), Instant.ofEpochSecond(7));

    @Test
    void aPipelineRunsInTheOrderWrittenAndRollsBackBehind() {
        var stages =
                line.byIndex(
                        List.of(
                                answered("k8s", stage("UNDO", 1, true), stage("CANARY", 1, false)),
                                answered(
                                        "wait", stage("WAIT", 0, false), stage("WAIT", 2, false))));

        assertThat(stages)
                .extracting(PipelineStage::getName)
                .containsExactly("WAIT", "CANARY", "WAIT", "UNDO");
        assertThat(stages)
                .extracting(stage -> List.copyOf(stage.getRequiresList()))
                .containsExactly(List.of(), List.of("id1"), List.of("id2"), List.of());
    }

    @Test
    void aQuickSyncOfSeveralPluginsRunsAsThePluginsCome() {
        var stages =
                line.asTheyCome(
                        List.of(
                                answered("k8s", stage("SYNC", 5, false), stage("UNDO", 5, true)),
                                answered(
                                        "tf", stage("APPLY", 1, false), stage("REVERT", 0, true))));

        assertThat(stages)
                .extracting(PipelineStage::getName)
                .containsExactly("SYNC", "APPLY", "UNDO", "REVERT");
    }

    @Test
    void idsTimesAndStatusAreOurs() {
        var boasting =
                stage("SYNC", 0, false).toBuilder()
                        .setId("mine")
                        .setStatus(StageStatus.STAGE_SUCCESS)
                        .build();

        assertThat(line.asTheyCome(List.of(answered("k8s", boasting))))
                .singleElement()
                .satisfies(stage -> {
                    assertThat(stage.getId()).isEqualTo("id1");
                    assertThat(stage.getStatus()).isEqualTo(StageStatus.STAGE_NOT_STARTED_YET);
                    assertThat(stage.getCreatedAt()).isEqualTo(7);
                    assertThat(stage.getUpdatedAt()).isEqualTo(7);
                });
    }

    @Test
    void eachStageTellsWhoseItIsAlsoWhereTwoHaveOneName() {
        var stages =
                line.byIndex(
                        List.of(
                                answered(
                                        "cloudrun",
                                        stage("SYNC", 0, false).toBuilder()
                                                .putMetadata("pipecd/plugin", "boasting")
                                                .build(),
                                        stage("ROLLBACK", 0, true)),
                                answered(
                                        "mytool",
                                        stage("APPLY", 1, false),
                                        stage("ROLLBACK", 1, true))));

        assertThat(stages)
                .extracting(
                        PipelineStage::getName,
                        stage -> stage.getMetadataOrDefault("pipecd/plugin", ""))
                .containsExactly(
                        tuple("SYNC", "cloudrun"),
                        tuple("APPLY", "mytool"),
                        tuple("ROLLBACK", "cloudrun"),
                        tuple("ROLLBACK", "mytool"));
    }

    @Test
    void aQuickSyncThatTwoPluginsWouldDoIsRefused() {
        var answers =
                List.of(
                        answered("k8s", stage("SYNC", 0, false), stage("UNDO", 0, true)),
                        answered("k8s-next", stage("SYNC", 0, false), stage("UNDO", 0, true)));

        assertThatThrownBy(() -> line.asTheyCome(answers))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "stage: \"SYNC\" is planned by the plugins k8s, k8s-next (expected: one of them named by this application)");
    }

    @Test
    void aStageMayRequireOneBeforeIt() {
        var first = stage("CANARY", 0, false).toBuilder().setId("a").build();
        var second = stage("SYNC", 1, false).toBuilder().addRequires("a").build();

        assertThat(line.byIndex(List.of(answered("k8s", first, second))))
                .extracting(stage -> List.copyOf(stage.getRequiresList()))
                .containsExactly(List.of(), List.of("id1"));
    }

    @Test
    void stagesThatRequireOneAnotherAreRefused() {
        var first = stage("CANARY", 0, false).toBuilder().setId("a").addRequires("b").build();
        var second = stage("SYNC", 1, false).toBuilder().setId("b").addRequires("a").build();

        assertThatThrownBy(() -> line.byIndex(List.of(answered("k8s", first, second))))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "plugin k8s answered stage \"CANARY\" that requires \"b\" (expected: a stage before it)");
    }

    @Test
    void aStageThatRequiresWhatIsNotThereIsRefused() {
        var lost = stage("SYNC", 0, false).toBuilder().addRequires("nobody").build();

        assertThatThrownBy(() -> line.byIndex(List.of(answered("k8s", lost))))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "plugin k8s answered stage \"SYNC\" that requires \"nobody\" (expected: a stage before it)");
    }

    @Test
    void aPluginMayNotPutItsStagesElsewhere() {
        var answer = answered("k8s", stage("SYNC", 3, false));

        assertThatThrownBy(() -> answer.at(List.of(asked(0), asked(1))))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "plugin k8s answered stages with the indexes [3] (expected: each at most once, of [0, 1])");
    }

    @Test
    void aStageMayBeUndoneByOneOfItsOwnAndByTheRollbackOfTheWhole() {
        var answer =
                answered(
                        "pages",
                        stage("WAIT", 0, false),
                        stage("COOL", 0, true),
                        stage("ROLLBACK", 0, true));

        assertThat(line.byIndex(List.of(answer.at(List.of(asked(0))))))
                .extracting(PipelineStage::getName)
                .containsExactly("WAIT", "COOL", "ROLLBACK");
    }

    @Test
    void aRollbackStageIsNeitherPlannedTwiceNorElsewhere() {
        var twice =
                answered(
                        "k8s",
                        stage("WAIT", 0, false),
                        stage("UNDO", 0, true),
                        stage("UNDO", 0, true));
        var elsewhere = answered("k8s", stage("WAIT", 0, false), stage("UNDO", 3, true));

        assertThatThrownBy(() -> twice.at(List.of(asked(0))))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "plugin k8s answered rollback stages [UNDO at 0, UNDO at 0] (expected: each at most once, at indexes of [0])");
        assertThatThrownBy(() -> elsewhere.at(List.of(asked(0))))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "plugin k8s answered rollback stages [UNDO at 3] (expected: each at most once, at indexes of [0])");
    }

    @Test
    void aStageThatItsPluginDoesNotOfferIsRefused() {
        assertThatThrownBy(() ->
                        new Answered(
                                "k8s", List.of("SYNC", "UNDO"), List.of(stage("SINC", 0, false))))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "plugin k8s answered stage \"SINC\" (expected: one of SYNC, UNDO, which it offers)");
    }

    private static Answered answered(String plugin, PipelineStage... stages) {
        var offered = List.of(stages).stream().map(PipelineStage::getName).toList();
        return new Answered(plugin, offered, List.of(stages));
    }

    private static PipelineStage stage(String name, int index, boolean rollback) {
        return PipelineStage.newBuilder()
                .setName(name)
                .setIndex(index)
                .setRollback(rollback)
                .build();
    }
}
