// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks at the trail again and again, because other processes write it too and nobody tells of
/// that for sure.
public final class Follower implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Follower.class);
    private static final Duration PACE = Duration.ofMillis(400);

    private final Runnable look;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private Follower(Runnable look) {
        this.look = look;
        this.thread = Thread.ofVirtual().name("store-follower").unstarted(this::run);
    }

    /// On a file that is ours alone there is nothing to follow.
    public static Follower of(boolean shared, Runnable look) {
        var follower = new Follower(look);
        if (shared) follower.thread.start();
        return follower;
    }

    private void run() {
        var failing = false;
        try {
            while (!closed.await(PACE.toMillis(), TimeUnit.MILLISECONDS)) {
                try {
                    look.run();
                    if (failing) log.info("What other servers change is seen again.");
                    failing = false;
                } catch (RuntimeException e) {
                    if (!failing)
                        log.warn(
                                "What other servers change is not seen until the database is back: {}",
                                e.getMessage());
                    log.debug("not seen", e);
                    failing = true;
                }
            }
        } catch (InterruptedException e) {
            log.debug("interrupted", e); // nobody does that
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            if (thread.isAlive()) thread.join(Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
