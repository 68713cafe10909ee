// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import java.time.Duration;
import java.util.ArrayDeque;

/// When to start a process again, and when to call it hopeless. Times are nanoseconds of one clock.
final class Restarts {
    private static final int HOPELESS = 5;

    private final Timing timing;
    private final ArrayDeque<Long> ends = new ArrayDeque<>();
    private int inARow;
    private boolean hopeless;

    Restarts(Timing timing) {
        this.timing = timing;
    }

    /// A run that began and ended at these moments is over: how long to wait before the next.
    Duration afterEnd(long began, long ended, boolean wasReady) {
        if (ended - began >= timing.healthyAfter().toNanos()) {
            inARow = 0;
            ends.clear();
        }
        ends.addLast(ended);
        while (ended - ends.getFirst() > timing.healthyAfter().toNanos()) ends.removeFirst();
        hopeless = ends.size() >= HOPELESS || (hopeless && !wasReady);
        var doubled = timing.firstDelay().multipliedBy(1L << Math.min(inARow++, 20));
        return hopeless || doubled.compareTo(timing.longestDelay()) > 0
                ? timing.longestDelay()
                : doubled;
    }

    /// It ends again and again: whoever waits for it should stop waiting.
    boolean hopeless() {
        return hopeless;
    }
}
