// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// A rule does not hold, and how.
final class Breach extends RuntimeException {
    private static final Duration LOOK = Duration.ofMillis(20);

    private final List<String> wanting;

    Breach(String how) {
        this(how, List.of());
    }

    /// @param wanting tools it asked for in vain just before it gave up
    Breach(String how, List<String> wanting) {
        super(how);
        this.wanting = List.copyOf(wanting);
    }

    List<String> wanting() {
        return wanting;
    }

    String how() {
        return String.valueOf(getMessage());
    }

    static void unless(boolean holds, String how) {
        if (!holds) throw new Breach(how);
    }

    /// Whether something becomes so within the bound.
    static boolean within(Duration bound, BooleanSupplier so) throws InterruptedException {
        var never = new CountDownLatch(1);
        var deadline = System.nanoTime() + bound.toNanos();
        while (!so.getAsBoolean()) {
            if (System.nanoTime() > deadline) return false;
            var _ = never.await(LOOK.toMillis(), TimeUnit.MILLISECONDS);
        }
        return true;
    }
}
