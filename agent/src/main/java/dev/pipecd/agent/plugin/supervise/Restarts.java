// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import java.time.Duration;
import java.util.ArrayDeque;

/// When to start a process again, and when to call it hopeless. Times are nanoseconds of one clock.
final class Restarts {
    private static final int HOPELESS = 5;

    /// Each of these took as long as one is waited for.
    private static final int HOPELESSLY_STUCK = 3;

    private final Timing timing;
    private final ArrayDeque<Long> ends = new ArrayDeque<>();
    private int inARow;
    private int neverReady;
    private int stuck;
    private boolean hopeless;

    Restarts(Timing timing) {
        this.timing = timing;
    }

    /// How a run of the process went.
    ///
    /// @param lastSign when it last gave a sign of life: one that hangs is not well any more
    /// @param ready whether it ever was
    /// @param stuck whether it had to be ended: it hung, or was not ready in time
    record Run(long began, long lastSign, long ended, boolean ready, boolean stuck) {}

    /// A run is over: how long to wait before the next.
    Duration after(Run run) {
        if (run.ready && run.lastSign - run.began >= timing.healthyAfter().toNanos()) {
            inARow = 0;
            stuck = 0;
            ends.clear();
        }
        ends.addLast(run.ended);
        while (run.ended - ends.getFirst() > timing.healthyAfter().toNanos()) ends.removeFirst();
        neverReady = run.ready ? 0 : neverReady + 1;
        stuck = run.stuck ? stuck + 1 : 0;
        hopeless =
                ends.size() >= HOPELESS
                        || neverReady >= HOPELESS
                        || stuck >= HOPELESSLY_STUCK
                        || (hopeless && !run.ready);
        var doubled = timing.firstDelay().multipliedBy(1L << Math.min(inARow++, 20));
        return hopeless || doubled.compareTo(timing.longestDelay()) > 0
                ? timing.longestDelay()
                : doubled;
    }

    /// Whether a process that was given up is well again: it lived on for as long as is waited for
    /// the next try.
    ///
    /// @param ready when it became ready
    /// @param lastSign when it last gave a sign of life
    boolean recovered(long ready, long lastSign) {
        return lastSign - ready >= timing.longestDelay().toNanos();
    }

    /// It ends again and again: whoever waits for it should stop waiting.
    boolean hopeless() {
        return hopeless;
    }
}
