// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Progress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UndoingTest {
    private static final Cause CAUSE = new Cause.StageFailed("exit 1");
    private static final Undoing WITHOUT_A_STAGE =
            new Undoing(new Plan(List.of(), Duration.ofHours(1), true), Progress.NONE, CAUSE);

    @Test
    void aRollbackWithoutAStageHasUndoneNothing() {
        assertThat(WITHOUT_A_STAGE.completed())
                .isEqualTo(
                        new Outcome.RollbackFailed(
                                CAUSE,
                                "it has no rollback stage; look at the target, then sync again"));
    }

    @Test
    void norHasOneThatWasStopped() {
        assertThat(WITHOUT_A_STAGE.stopped(new Cause.CancelledBy("ann")))
                .isEqualTo(new Outcome.RollbackFailed(CAUSE, "the rollback was stopped by ann"));
    }
}
