// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.time.Duration;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/// The machine the agent runs on: its clock, its threads, and how they wait. A simulation puts its
/// own in the place of all three.
public interface Machine extends InstantSource {
    /// This machine, by that clock; a clock that is a machine is that machine.
    static Machine of(InstantSource clock) {
        return clock instanceof Machine machine ? machine : new ThisMachine(clock);
    }

    /// Time since some moment. Unlike the clock, nobody can set it.
    Duration uptime();

    Thread start(String name, Runnable work);

    Bell bell();

    /// Wakes those who wait for something to become true.
    interface Bell {
        /// Something may have become true.
        void ring();

        /// False when the time passed first.
        boolean await(BooleanSupplier come, Duration atMost) throws InterruptedException;
    }
}
