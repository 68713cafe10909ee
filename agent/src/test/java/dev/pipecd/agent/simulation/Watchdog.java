// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Ends everything when one run hangs: threads that wait for each other would otherwise keep a
/// build from ever telling which seed it was.
final class Watchdog implements AutoCloseable {
    /// Of a run that takes a tenth of a second.
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile String run = "";
    private volatile long since = System.nanoTime();

    Watchdog() {
        Thread.ofPlatform().name("watchdog").daemon().start(this::watch);
    }

    void begins(String name) {
        since = System.nanoTime();
        run = name;
    }

    void ends() {
        run = "";
    }

    private void watch() {
        try {
            while (!closed.await(1, TimeUnit.SECONDS)) {
                var hanging = run;
                if (hanging.isEmpty() || System.nanoTime() - since < LONGEST.toNanos()) continue;
                System.err.printf("%s hangs for %s%n", hanging, LONGEST);
                Runtime.getRuntime().halt(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
