// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.model.PipelineStage;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CustomRollbackTest {
    private static final List<String> ANY =
            List.of(
                    "K8S_CANARY_ROLLOUT",
                    "K8S_ROLLBACK",
                    "SCRIPT_RUN_ROLLBACK",
                    "CUSTOM_SYNC",
                    "CUSTOM_SYNC_ROLLBACK");

    @Test
    void aPipelineWithCustomSyncIsNotUndoneByItsPlatform() {
        var platform =
                answered("kubernetes", stage("K8S_CANARY_ROLLOUT", 0), undo("K8S_ROLLBACK", 0));
        var scripts =
                answered(
                        "scriptrun",
                        stage("CUSTOM_SYNC", 1),
                        undo("CUSTOM_SYNC_ROLLBACK", 1),
                        undo("SCRIPT_RUN_ROLLBACK", 2));

        assertThat(names(CustomRollback.alone(List.of(platform, scripts))))
                .containsExactly(
                        "K8S_CANARY_ROLLOUT",
                        "CUSTOM_SYNC",
                        "CUSTOM_SYNC_ROLLBACK",
                        "SCRIPT_RUN_ROLLBACK");
    }

    @Test
    void whatServedBeforeIsBroughtBackOnceHoweverManyStagesThereAre() {
        var scripts =
                answered(
                        "scriptrun",
                        stage("CUSTOM_SYNC", 0),
                        undo("CUSTOM_SYNC_ROLLBACK", 0),
                        stage("CUSTOM_SYNC", 1),
                        undo("CUSTOM_SYNC_ROLLBACK", 1));

        assertThat(names(CustomRollback.alone(List.of(scripts))))
                .containsExactly("CUSTOM_SYNC", "CUSTOM_SYNC_ROLLBACK", "CUSTOM_SYNC");
    }

    @Test
    void aPipelineWithoutCustomSyncIsAsItWas() {
        var platform =
                List.of(
                        answered(
                                "kubernetes",
                                stage("K8S_CANARY_ROLLOUT", 0),
                                undo("K8S_ROLLBACK", 0)));

        assertThat(CustomRollback.alone(platform)).isEqualTo(platform);
    }

    private static List<String> names(List<Answered> answers) {
        return answers.stream()
                .flatMap(answer -> answer.stages().stream())
                .map(PipelineStage::getName)
                .toList();
    }

    private static Answered answered(String plugin, PipelineStage... stages) {
        return new Answered(plugin, ANY, List.of(stages));
    }

    private static PipelineStage stage(String name, int index) {
        return PipelineStage.newBuilder().setName(name).setIndex(index).build();
    }

    private static PipelineStage undo(String name, int index) {
        return stage(name, index).toBuilder().setRollback(true).build();
    }
}
