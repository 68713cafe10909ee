// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Which thread a handler gets.
final class HandlerThreadsTest {
    private final HandlerThreads threads = new HandlerThreads();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void whenLittleIsToBeDoneAHandlerRunsOnAThreadThatIsKept() throws Exception {
        assertThat(threads.submit(Thread::currentThread).get().isVirtual()).isFalse();
    }

    @Test
    void whoFindsTheKeptThreadsBusyDoesNotWaitForThem() throws Exception {
        var goOn = new CountDownLatch(1);
        for (var n = 0; n < HandlerThreads.KEPT; n++) threads.execute(() -> waitFor(goOn));

        var next = threads.submit(Thread::currentThread).get(1, TimeUnit.MINUTES);
        goOn.countDown();

        assertThat(next.isVirtual()).isTrue();
    }

    @Test
    void endsWhenAllHaveEnded() throws Exception {
        threads.execute(() -> {});

        threads.shutdown();

        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(threads.isShutdown()).isTrue();
    }

    @Test
    void whatAKeptThreadDoesIsNotBrokenOffInTheEnd() throws Exception {
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var interrupted =
                threads.submit(() -> {
                    begun.countDown();
                    waitFor(goOn);
                    return Thread.currentThread().isInterrupted();
                });
        begun.await();

        var _ = threads.shutdownNow();
        goOn.countDown();

        assertThat(interrupted.get(1, TimeUnit.MINUTES)).isFalse();
        assertThat(threads.isShutdown()).isTrue();
        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
