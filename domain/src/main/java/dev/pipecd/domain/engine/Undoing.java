// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.engine;

import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.domain.deployment.Progress;
import dev.pipecd.domain.deployment.StageState;
import java.util.List;

/// What a rollback has come to when nothing of it runs any more, told honestly.
record Undoing(Plan plan, Progress progress, Cause cause) {
    /// It went through to its last stage.
    Outcome completed() {
        return outcome(
                plan.rollback().isEmpty()
                        ? "it has no rollback stage; look at the target, then sync again"
                        : "no rollback stage completed: " + String.join(", ", names(failed())));
    }

    /// It was stopped before that.
    Outcome stopped(Cause why) {
        return outcome(
                why instanceof Cause.CancelledBy(var person)
                        ? "the rollback was stopped by " + person
                        : why.told());
    }

    private Outcome outcome(String reason) {
        var failed = failed();
        // Where nothing is there to undo it, nothing is undone.
        if (plan.rollback().isEmpty()) return new Outcome.RollbackFailed(cause, reason);
        if (failed.isEmpty()) return new Outcome.RolledBack(cause);
        if (failed.size() < plan.rollback().size())
            return new Outcome.PartlyRolledBack(cause, failed.stream().map(this::told).toList());
        return new Outcome.RollbackFailed(cause, reason);
    }

    private List<PlannedStage> failed() {
        return plan.rollback().stream()
                .filter(s ->
                        !(progress.stage(s.id()) instanceof StageState.Done(var result)
                                && result.accomplished()))
                .toList();
    }

    private static List<String> names(List<PlannedStage> stages) {
        return stages.stream().map(PlannedStage::name).toList();
    }

    private String told(PlannedStage stage) {
        return progress.stage(stage.id()) instanceof StageState.Done(var result)
                ? "%s (%s)".formatted(stage.name(), result.told())
                : stage.name() + " (not begun)";
    }
}
