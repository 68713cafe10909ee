// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.ops;

import dev.pipecd.config.Cron;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;

/// Something that is to be done again and again. Done twice it must do no harm: the turn may change
/// hands in its midst.
///
/// @param first when it is due for the first time, given when the process began
/// @param next when it is due again, given when it was done
public record Chore(
        String name, UnaryOperator<Instant> first, UnaryOperator<Instant> next, Work work) {

    /// At the start and then with that much time between.
    public static Chore every(Duration pause, String name, Work work) {
        return new Chore(name, began -> began, done -> done.plus(pause), work);
    }

    public static Chore at(Cron times, String name, Work work) {
        return new Chore(name, times::after, times::after, work);
    }

    @FunctionalInterface
    public interface Work {
        /// Leaves off when it is no longer this process's turn.
        void done(Turn turn);
    }
}
