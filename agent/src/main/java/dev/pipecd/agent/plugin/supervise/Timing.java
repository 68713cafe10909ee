// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import java.time.Duration;

/// How patient supervision is.
///
/// @param readyWithin a process that is not ready by then is started again
/// @param silence a process that gave no sign of life for so long hangs
/// @param firstDelay the pause before the first restart; it doubles up to `longestDelay`
/// @param healthyAfter a run that was ready and well for this long forgives the ends before it, and
///   only ends within so long are counted together
/// @param grace the time a process gets to leave by itself
public record Timing(
        Duration readyWithin,
        Duration silence,
        Duration firstDelay,
        Duration longestDelay,
        Duration healthyAfter,
        Duration grace) {
    public static final Timing USUAL =
            new Timing(
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(10),
                    Duration.ofMillis(200),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(8));

    public Timing leavingWithin(Duration grace) {
        return new Timing(readyWithin, silence, firstDelay, longestDelay, healthyAfter, grace);
    }

    /// For programs of others: they may be busy starting, and to kill one in vain repeats its work.
    public Timing forOthers() {
        return new Timing(
                readyWithin.multipliedBy(2),
                silence.multipliedBy(3),
                firstDelay,
                longestDelay,
                healthyAfter,
                grace);
    }
}
