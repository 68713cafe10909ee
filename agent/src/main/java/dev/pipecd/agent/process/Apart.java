// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// Work that is not only for who asked for it, each on a thread of its own: an interrupt of whoever
/// waits ends the waiting and not the work. Only the close ends that.
public final class Apart implements AutoCloseable {
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(10);

    private final ExecutorService threads;

    public Apart(String name) {
        threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name(name).factory());
    }

    /// What the work gives or throws. A `RejectedExecutionException` after the close.
    public <T> T call(Callable<T> work) throws InterruptedException {
        return answered(threads.submit(work));
    }

    /// What was done on another thread, as if it had been on this one.
    public static <T> T answered(Future<T> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case InterruptedException stopped -> throw stopped;
                case RuntimeException broken -> throw broken;
                case Error fault -> throw fault;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    /// Interrupts what is under way, and gives it a while to clear up.
    @Override
    public void close() {
        threads.shutdownNow();
        try {
            var _ = threads.awaitTermination(ENDS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
