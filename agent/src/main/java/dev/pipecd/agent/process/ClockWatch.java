// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.time.Duration;
import java.time.Instant;

/// Notices that the machine's clock was set, or that the machine slept: what has a deadline must
/// not lose its time by that.
public final class ClockWatch {
    /// Less than this is the clock being kept right.
    private static final Duration TOLERATED = Duration.ofMinutes(1);

    private final Machine machine;
    private Instant clock;
    private Duration uptime;

    public ClockWatch(Machine machine) {
        this.machine = machine;
        this.clock = machine.instant();
        this.uptime = machine.uptime();
    }

    /// By how much, since it was last asked; zero when nothing happened to it.
    public Duration jumped() {
        var now = machine.instant();
        var up = machine.uptime();
        var by = Duration.between(clock, now).minus(up.minus(uptime));
        clock = now;
        uptime = up;
        return by.abs().compareTo(TOLERATED) < 0 ? Duration.ZERO : by;
    }
}
