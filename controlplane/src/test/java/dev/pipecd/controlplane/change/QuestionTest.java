// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class QuestionTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 7); // such clocks may overflow
    private final AtomicLong looks = new AtomicLong();
    private final Question question = new Question(nanos::get, false);

    @Test
    void allPartsOfAQuestionAreAnsweredByOneLook() {
        question.during(() -> {
            ask();
            ask();
        });
        question.during(this::ask);

        assertThat(looks).hasValue(1);
    }

    @Test
    void theNextQuestionIsAnsweredByALookOfItsOwn() {
        question.during(this::ask);
        new Question(nanos::get, false).during(this::ask);

        assertThat(looks).hasValue(2);
    }

    @Test
    void whoIsNotAskedByAnybodyLooksEachTime() {
        ask();
        ask();

        assertThat(looks).hasValue(2);
    }

    @Test
    void aQuestionThatTookLongToArriveIsAnsweredByAnotherLook() {
        question.during(this::ask);
        nanos.addAndGet(Duration.ofMillis(99).toNanos());
        question.during(this::ask);
        assertThat(looks).hasValue(1);

        nanos.addAndGet(Duration.ofMillis(1).toNanos());
        question.during(this::ask);

        assertThat(looks).hasValue(2);
    }

    @Test
    void aLookThatFailedAnswersNothing() {
        assertThatThrownBy(() ->
                        question.during(() ->
                                Question.once(() -> {
                                    throw new IllegalStateException("away");
                                })))
                .hasMessage("away");

        question.during(this::ask);

        assertThat(looks).hasValue(1);
    }

    private void ask() {
        Question.once(looks::incrementAndGet);
    }
}
