// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.agent.process.Machine;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/// Who waits for something of a lane to be delivered: of a thousand that wait each for another lane
/// only those are woken that it concerns.
final class LaneBells {
    private final Machine machine;
    private final Map<Machine.Bell, String> awaiting = new ConcurrentHashMap<>();

    LaneBells(Machine machine) {
        this.machine = machine;
    }

    /// Answers whether it came in this time.
    boolean await(String lane, BooleanSupplier wanted, Duration atMost)
            throws InterruptedException {
        var bell = machine.bell();
        awaiting.put(bell, lane);
        try {
            return bell.await(wanted, atMost);
        } finally {
            awaiting.remove(bell);
        }
    }

    void ring(String lane) {
        awaiting.forEach((bell, awaited) -> {
            if (awaited.equals(lane)) bell.ring();
        });
    }
}
