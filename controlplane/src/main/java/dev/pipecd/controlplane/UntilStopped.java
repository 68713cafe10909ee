// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a program going until it is told to stop, as by SIGTERM. An end that was asked for is no
/// failure: the process then ends with 0, and with 1 when it could not be brought to its end.
final class UntilStopped {
    private static final Logger log = LoggerFactory.getLogger(UntilStopped.class);

    private UntilStopped() {}

    /// @param close brings all to its end; what it logs is written when it comes back
    static void run(Runnable close) throws InterruptedException {
        var never = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .name("stop")
                                .unstarted(() -> Runtime.getRuntime().halt(closed(close))));
        never.await();
    }

    /// Left to itself the JVM ends with 128 and the number of the signal.
    private static int closed(Runnable close) {
        try {
            close.run();
            return 0;
        } catch (RuntimeException e) {
            log.error("stopping failed; what was acknowledged is stored", e);
            return 1;
        }
    }
}
