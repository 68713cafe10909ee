// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class RoundTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final AtomicInteger turns = new AtomicInteger();

    @Test
    void aFaultInOneRoundDoesNotEndTheRounds() {
        try (var _ =
                new Round(
                                "faulty",
                                () -> Duration.ofMillis(20),
                                () -> {
                                    switch (turns.incrementAndGet() % 3) {
                                        case 0 -> throw new NullPointerException("a fault");
                                        case 1 -> throw new NoClassDefFoundError("a fault");
                                        default ->
                                                throw new Problem(
                                                        Problem.Code.REPOSITORY_UNREACHABLE,
                                                        "away",
                                                        "");
                                    }
                                })
                        .start()) {
            await().atMost(PATIENCE).until(() -> turns.get() > 6);
        }
    }

    @Test
    void aHintThatComesDuringARoundLeadsToOneMore() throws Exception {
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var round =
                new Round(
                                "hinted",
                                () -> Duration.ofHours(1),
                                () -> {
                                    turns.incrementAndGet();
                                    begun.countDown();
                                    await().atMost(PATIENCE).until(() -> goOn.getCount() == 0);
                                })
                        .start()) {
            begun.await();
            round.hint();
            round.hint();
            assertThat(round.hinted()).isTrue();
            goOn.countDown();

            await().atMost(PATIENCE).until(() -> turns.get() == 2 && !round.hinted());
        }
    }
}
