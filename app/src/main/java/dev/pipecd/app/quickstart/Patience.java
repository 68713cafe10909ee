// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Looks again and again until something is there or the time is up.
final class Patience {
    private static final Duration LOOK_EVERY = Duration.ofMillis(50);

    private Patience() {}

    static <T> Optional<T> await(Duration most, Look<T> look)
            throws IOException, InterruptedException {
        var never = new CountDownLatch(1);
        for (var left = most.dividedBy(LOOK_EVERY); ; left--) {
            var seen = look.look();
            if (seen.isPresent() || left <= 0) return seen;
            never.await(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /// One look; empty means not yet.
    @FunctionalInterface
    interface Look<T> {
        Optional<T> look() throws IOException, InterruptedException;
    }
}
