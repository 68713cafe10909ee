// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/// What one stream has still to tell its reader: equal hints are one, and the number is bounded, so
/// that a slow reader costs nobody time or memory.
public final class Pending<H> {
    private final int capacity;
    private final long pace;
    private final Lock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private Set<H> hints = new LinkedHashSet<>();
    private boolean overflown;
    private long notBefore = System.nanoTime();

    /// @param pace the shortest time between two batches
    public Pending(int capacity, Duration pace) {
        this.capacity = capacity;
        this.pace = pace.toNanos();
    }

    /// Never blocks: who tells of a change must not wait for those who hear of it.
    public void add(H hint) {
        lock.lock();
        try {
            if (hints.size() < capacity) hints.add(hint);
            else if (!hints.contains(hint)) overflown = true;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Waits for hints, but not longer than given; the batch may be empty.
    public Batch<H> take(Duration atMost) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            var deadline = System.nanoTime() + atMost.toNanos();
            while (true) {
                var now = System.nanoTime();
                var ready = hints.isEmpty() ? deadline : later(notBefore, now);
                if (now - ready >= 0 || now - deadline >= 0) break;
                arrived.awaitNanos(Math.min(ready - now, deadline - now));
            }
            return drained();
        } finally {
            lock.unlock();
        }
    }

    private Batch<H> drained() {
        var now = System.nanoTime();
        if (now - notBefore < 0) return new Batch<>(Set.of(), false);
        var batch = new Batch<>(hints, overflown);
        if (!hints.isEmpty()) notBefore = now + pace;
        hints = new LinkedHashSet<>();
        overflown = false;
        return batch;
    }

    private static long later(long a, long b) {
        return a - b >= 0 ? a : b;
    }

    /// @param overflown there were more than could be kept
    public record Batch<H>(Set<H> hints, boolean overflown) {}
}
