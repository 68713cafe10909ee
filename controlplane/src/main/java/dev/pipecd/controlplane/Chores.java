// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What has to be done at the start and now and then, whoever calls or not.
final class Chores implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Chores.class);

    private final ScheduledExecutorService rounds =
            Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("chores").factory());

    Chores(Runnable round, Duration every) {
        // a round that fails must not be the last one
        var _ =
                rounds.scheduleWithFixedDelay(
                        () -> attempt(round), 0, every.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void attempt(Runnable round) {
        try {
            round.run();
        } catch (RuntimeException e) {
            log.warn("A round of chores failed; the next one tries again.", e);
        }
    }

    /// Lets a round that is under way end.
    @Override
    public void close() {
        rounds.close();
    }
}
