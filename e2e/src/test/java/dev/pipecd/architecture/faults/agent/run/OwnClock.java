// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.agent.run;

import java.time.Instant;
import java.util.UUID;
import java.util.function.LongConsumer;

/// Rule 7: time, sleep and chance taken from the machine.
public final class OwnClock {
    public Instant now() {
        return Instant.now();
    }

    public UUID chance() {
        return UUID.randomUUID();
    }

    public LongConsumer naps() {
        Nap nap = Thread::sleep;
        return millis -> {
            try {
                nap.take(millis);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    private interface Nap {
        void take(long millis) throws InterruptedException;
    }
}
