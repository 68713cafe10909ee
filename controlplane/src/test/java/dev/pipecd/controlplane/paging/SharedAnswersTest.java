// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.paging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedAnswersTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final SharedAnswers<String, Integer> answers = new SharedAnswers<>();
    private final AtomicInteger made = new AtomicInteger();
    private final List<Integer> used = new CopyOnWriteArrayList<>();
    private final CountDownLatch reading = new CountDownLatch(1);

    private Thread ask(String question) {
        return Thread.ofVirtual()
                .start(() ->
                        answers.with(
                                question,
                                made::incrementAndGet,
                                answer -> {
                                    used.add(answer);
                                    waitFor(reading);
                                }));
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void onlyTwoAnswersExistAndAllWhoWaitShareTheThird() throws Exception {
        var people = new ArrayList<Thread>();
        people.add(ask("all"));
        await().atMost(PATIENCE).until(() -> used.size() == 1);
        people.add(ask("all"));
        await().atMost(PATIENCE).until(() -> used.size() == 2);
        for (var n = 0; n < 20; n++) people.add(ask("all"));
        await().atMost(PATIENCE).until(() -> answers.waiting("all") == 20);

        assertThat(used).containsExactly(1, 2);
        reading.countDown();
        for (var person : people) person.join();

        assertThat(used).hasSize(22).contains(1, 2, 3);
        assertThat(made.get()).isEqualTo(3);
    }

    @Test
    void anotherQuestionGetsItsOwnAnswer() throws Exception {
        reading.countDown();
        ask("all").join();
        ask("mine").join();

        assertThat(used).containsExactly(1, 2);
    }

    @Test
    void anAnswerThatCouldNotBeMadeLeavesItsRoomToOthers() throws Exception {
        reading.countDown();
        for (var n = 0; n < 3; n++)
            assertThatThrownBy(() ->
                            answers.with(
                                    "all",
                                    () -> {
                                        throw new IllegalStateException("no database");
                                    },
                                    used::add))
                    .hasMessage("no database");

        ask("all").join();

        assertThat(used).containsExactly(1);
    }
}
