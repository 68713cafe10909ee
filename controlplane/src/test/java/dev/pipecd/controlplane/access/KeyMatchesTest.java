// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.domain.Problem;
import io.grpc.Context;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Keys that are compared for the first time since the start.
final class KeyMatchesTest {
    private static final List<String> HASHES = List.of(KeyMatches.hash("right"));

    private final KeyMatches matches = new KeyMatches(InstantSource.system());

    private boolean matches(String from, String key) throws Exception {
        return new Origin(Origin.Via.AGENT, from)
                .in(Context.ROOT)
                .call(() -> matches.matches("piped p1", HASHES, key));
    }

    @Test
    void whoGuessesFromElsewhereDoesNotKeepTheRightKeyOut() throws Exception {
        var wrong = new AtomicInteger();
        var over = new AtomicBoolean();
        var suspected = new CountDownLatch(30);
        var guessing = new ArrayList<Thread>();
        for (var n = 0; n < 50; n++)
            guessing.add(
                    Thread.ofVirtual()
                            .start(() -> {
                                while (!over.get())
                                    guess(
                                            "198.51.100.7",
                                            "wrong " + wrong.incrementAndGet(),
                                            suspected);
                            }));
        suspected.await();

        assertThat(matches("192.0.2.1", "right")).isTrue();

        over.set(true);
        for (var thread : guessing) thread.join();
    }

    private void guess(String from, String key, CountDownLatch guessed) {
        try {
            assertThat(matches(from, key)).isFalse();
            guessed.countDown();
        } catch (Problem e) {
            Thread.onSpinWait(); // it is told to come again
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void howeverManyNetworksGuessOnlySomeGuessesWait() throws Exception {
        var late = new AtomicInteger();
        var guessing = new ArrayList<Thread>();
        for (var n = 0; n < 200; n++) {
            var from = "198.51.100." + n;
            guessing.add(
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    assertThat(matches(from, "wrong " + from)).isFalse();
                                } catch (Problem e) {
                                    late.incrementAndGet();
                                } catch (Exception e) {
                                    throw new IllegalStateException(e);
                                }
                            }));
        }
        for (var thread : guessing) thread.join();

        assertThat(late).hasPositiveValue();
        assertThat(matches("192.0.2.1", "right")).isTrue();
    }
}
