// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import java.time.Duration;

/// Tells whoever waits that something about some plugin is not as it was.
public final class Changes {
    private long count;

    synchronized void happened() {
        count++;
        notifyAll();
    }

    /// To be taken before one looks: what changes meanwhile is then not slept through.
    public synchronized long count() {
        return count;
    }

    /// Comes back at the first change after `seen`, or when the time is over.
    public synchronized void await(long seen, Duration patience) throws InterruptedException {
        var deadline = System.nanoTime() + patience.toNanos();
        for (var left = patience.toNanos();
                count == seen && left > 0;
                left = deadline - System.nanoTime()) wait(Math.max(1, left / 1_000_000));
    }
}
