// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class GlanceTest {
    private final Semaphore mayEnd = new Semaphore(0);
    private final Semaphore begun = new Semaphore(0);
    private final AtomicInteger looks = new AtomicInteger();
    private final Glance glance =
            new Glance(() -> {
                looks.incrementAndGet();
                begun.release();
                mayEnd.acquireUninterruptibly();
            });

    private List<Thread> asking(int number, CountDownLatch answered) throws Exception {
        var threads = new ArrayList<Thread>();
        for (var i = 0; i < number; i++)
            threads.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                glance.now();
                                answered.countDown();
                            }));
        return threads;
    }

    @Test
    void allWhoComeWhileOneLooksShareTheNextLook() throws Exception {
        var first = new CountDownLatch(1);
        var others = new CountDownLatch(8);
        asking(1, first);
        begun.acquire();
        var waiting = asking(8, others);
        await().until(() -> waiting.stream().allMatch(t -> t.getState() == Thread.State.WAITING));

        mayEnd.release();
        first.await();
        begun.acquire();
        assertThat(others.getCount()).isEqualTo(8); // theirs has only begun
        mayEnd.release();
        others.await();

        assertThat(looks).hasValue(2);
    }

    @Test
    void everyCallByItselfLooks() {
        mayEnd.release(3);

        glance.now();
        glance.now();
        glance.now();

        assertThat(looks).hasValue(3);
    }

    @Test
    void aLookThatFailsServesNobody() {
        var failing = new AtomicInteger(1);
        var flaky =
                new Glance(() -> {
                    if (failing.getAndDecrement() > 0) throw new IllegalStateException("gone");
                });

        assertThatThrownBy(flaky::now).hasMessage("gone");
        flaky.now();

        assertThat(failing).hasValue(-1);
    }
}
