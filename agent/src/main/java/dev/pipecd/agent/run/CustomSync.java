// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.util.Optional;

/// CUSTOM_SYNC of the old form: it is undone by the script of the commit that runs now, where that
/// commit's pipeline is nothing but this stage.
final class CustomSync {
    private static final String STAGE = "CUSTOM_SYNC";
    private static final String ROLLBACK = "CUSTOM_SYNC_ROLLBACK";

    private CustomSync() {}

    static boolean isRollback(PipelineStage stage) {
        return stage.getName().equals(ROLLBACK);
    }

    /// What was never begun needs no undoing; one rollback is for all stages of this kind.
    static Optional<String> unneeded(Deployment deployment) {
        var begun =
                deployment.getStagesList().stream()
                        .filter(s -> s.getName().equals(STAGE))
                        .anyMatch(s ->
                                s.getStatus() != StageStatus.STAGE_NOT_STARTED_YET
                                        && s.getStatus() != StageStatus.STAGE_SKIPPED);
        return begun ? Optional.empty() : Optional.of("the stage it undoes was not begun");
    }

    /// @param running the configuration of the commit that runs now
    static ObjectNode options(ApplicationConfig running) {
        var stages = running.stages();
        if (stages.size() == 1 && stages.getFirst().name().equals(STAGE))
            return stages.getFirst().with();
        throw nothingToGoBackTo(
                "the pipeline of the commit that runs now has %d stage(s)"
                        .formatted(stages.size()));
    }

    static Problem nothingToGoBackTo(String why) {
        return new Problem(
                Problem.Code.CONFIG_INVALID,
                "CUSTOM_SYNC cannot be undone: %s (expected: one, CUSTOM_SYNC)".formatted(why),
                "Undo it by hand, or use SCRIPT_RUN with onRollback instead.");
    }
}
