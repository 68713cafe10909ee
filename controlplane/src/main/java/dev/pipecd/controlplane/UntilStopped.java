// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a program going until it is told to stop, as by SIGTERM. An end that was asked for is no
/// failure: the process then ends with 0, and with 1 when it could not be brought to its end.
final class UntilStopped {
    private static final Logger log = LoggerFactory.getLogger(UntilStopped.class);
    private static final int LEFT_TO_START_SECONDS = 10;

    private UntilStopped() {}

    /// @param start answers what brings all to its end; what that logs is written when it comes
    ///   back
    static void run(Supplier<Runnable> start) throws InterruptedException {
        var started = new ArrayBlockingQueue<Runnable>(1);
        var stop =
                Thread.ofPlatform()
                        .name("stop")
                        .unstarted(() -> Runtime.getRuntime().halt(closed(started)));
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            started.add(start.get());
        } catch (Throwable failed) {
            if (!withdrawn(stop)) started.add(() -> {}); // nothing is left to be closed
            throw failed;
        }
        SmallHeap.keep();
        new CountDownLatch(1).await();
    }

    /// False when it is too late: somebody has told the program to stop.
    private static boolean withdrawn(Thread stop) {
        try {
            return Runtime.getRuntime().removeShutdownHook(stop);
        } catch (IllegalStateException stopping) {
            return false;
        }
    }

    /// Left to itself the JVM ends with 128 and the number of the signal. One that is still
    /// starting has a moment to come to where it can be closed; after that it ends as by a crash,
    /// which loses nothing.
    private static int closed(BlockingQueue<Runnable> started) {
        try {
            var close = started.poll(LEFT_TO_START_SECONDS, TimeUnit.SECONDS);
            if (close != null) close.run();
            return 0;
        } catch (RuntimeException | InterruptedException e) {
            log.error("stopping failed; what was acknowledged is stored", e);
            return 1;
        }
    }
}
