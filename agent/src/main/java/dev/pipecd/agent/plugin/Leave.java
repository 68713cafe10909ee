// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.domain.Problem;
import java.util.function.BooleanSupplier;

/// To set out with a stage: what was let pass may not go on any more by the time that all it needs
/// is at hand.
///
/// @param coming comes back when it may go on; false when it was stopped meanwhile
/// @param given whether it may go on just now
public record Leave(Wait coming, BooleanSupplier given) {
    /// Nothing ever takes it away.
    public static final Leave GIVEN = new Leave(() -> true, () -> true);

    public boolean isGiven() {
        return given.getAsBoolean();
    }

    /// Throws a `Problem` when it was stopped meanwhile.
    public void await() throws InterruptedException {
        if (!coming.isOver())
            throw new Problem(
                    Problem.Code.TRANSITION_REFUSED,
                    "stage: stopped before it was handed to its plugin (expected: one that runs)",
                    "Sync again.");
    }

    /// Waits until something may go on; false when it was stopped meanwhile.
    @FunctionalInterface
    public interface Wait {
        boolean isOver() throws InterruptedException;
    }
}
