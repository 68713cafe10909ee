// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import dev.pipecd.wire.model.PipelineStage;
import java.util.List;

/// CUSTOM_SYNC of the old form stands in the place of a platform's sync, so its rollback stands in
/// the place of the platform's: both would undo the same thing twice.
final class CustomRollback {
    private static final String STAGE = "CUSTOM_SYNC_ROLLBACK";

    private CustomRollback() {}

    /// The stages of a pipeline, with this rollback once and without those of others where it is.
    static List<Answered> alone(List<Answered> answers) {
        var places =
                answers.stream()
                        .flatMap(answer -> answer.stages().stream())
                        .filter(CustomRollback::isCustom)
                        .map(PipelineStage::getIndex)
                        .sorted()
                        .toList();
        if (places.isEmpty()) return answers;
        return answers.stream().map(answer -> without(answer, places.getFirst())).toList();
    }

    private static Answered without(Answered answer, int place) {
        var own = answer.stages().stream().anyMatch(CustomRollback::isCustom);
        var kept =
                answer.stages().stream()
                        .filter(stage ->
                                !stage.getRollback()
                                        || (own && (!isCustom(stage) || stage.getIndex() == place)))
                        .toList();
        return new Answered(answer.plugin(), answer.offered(), kept);
    }

    private static boolean isCustom(PipelineStage stage) {
        return stage.getName().equals(STAGE);
    }
}
