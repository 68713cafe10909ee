// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/// The real one: virtual threads and the system's own time.
record ThisMachine(InstantSource clock) implements Machine {
    private static final Duration LONGEST = Duration.ofDays(365);

    @Override
    public Instant instant() {
        return clock.instant();
    }

    @Override
    public Duration uptime() {
        return Duration.ofNanos(System.nanoTime());
    }

    @Override
    public Thread start(String name, Runnable work) {
        return Thread.ofVirtual().name(name).start(work);
    }

    @Override
    public Bell bell() {
        var lock = new ReentrantLock();
        var rung = lock.newCondition();
        return new Bell() {
            @Override
            public void ring() {
                lock.lock();
                try {
                    rung.signalAll();
                } finally {
                    lock.unlock();
                }
            }

            @Override
            public boolean await(BooleanSupplier come, Duration atMost)
                    throws InterruptedException {
                lock.lockInterruptibly();
                try {
                    var left = (atMost.compareTo(LONGEST) > 0 ? LONGEST : atMost).toNanos();
                    while (!come.getAsBoolean()) {
                        if (left <= 0) return false;
                        left = rung.awaitNanos(left);
                    }
                    return true;
                } finally {
                    lock.unlock();
                }
            }
        };
    }
}
