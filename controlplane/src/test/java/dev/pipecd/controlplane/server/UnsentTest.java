// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Which answers are given up that nobody takes.
final class UnsentTest {
    private static final int MIB = 1 << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final AtomicLong nanos = new AtomicLong();
    private final Unsent unsent = new Unsent(10 * MIB, PATIENCE, nanos::get);
    private final List<String> givenUp = new ArrayList<>();

    private Unsent.Answer waiting(String name, long bytes) {
        return waiting(unsent.connection(), name, bytes);
    }

    private Unsent.Answer waiting(Unsent.Connection connection, String name, long bytes) {
        var answer = connection.answer(() -> givenUp.add(name));
        answer.waits(bytes);
        return answer;
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        unsent.giveUpTheLate();
    }

    @Test
    void whatIsTakenTooSlowlyIsGivenUp() {
        var slow = waiting("slow", MIB);
        for (var n = 0; n < 5; n++) {
            pass(PATIENCE.dividedBy(6));
            slow.left(100);
        }
        assertThat(givenUp).isEmpty();
        waiting("later", MIB);

        pass(PATIENCE.dividedBy(6));

        assertThat(givenUp).containsExactly("slow");
        assertThat(unsent.held()).isEqualTo(MIB + Unsent.CALL);
    }

    @Test
    void whatNothingIsTakenOfIsGivenUpSooner() {
        waiting("stands still", MIB);
        var moving = waiting("moving", MIB);
        pass(PATIENCE.dividedBy(8));
        moving.left(1);

        pass(PATIENCE.dividedBy(8));

        assertThat(givenUp).containsExactly("stands still");
        pass(PATIENCE);
        assertThat(givenUp).containsExactly("stands still", "moving");
    }

    @Test
    void whatIsTakenSteadilyMayTakeItsTime() {
        var steady = waiting("steady", 9 * MIB);
        for (var second = 0; second < 240; second++) {
            steady.left(Unsent.PACE);
            pass(Duration.ofSeconds(1));
        }

        assertThat(givenUp).isEmpty();
        pass(Duration.ofSeconds(1));
        assertThat(givenUp).containsExactly("steady");
    }

    @Test
    void aLongAnswerThatIsTakenAsItComesMayLastForEver() {
        var stream = waiting("stream", MIB);
        for (var n = 0; n < 20; n++) {
            pass(PATIENCE.dividedBy(4).minusNanos(1));
            stream.left(MIB);
            stream.waits(MIB);
        }

        assertThat(givenUp).isEmpty();
    }

    @Test
    void whenItIsTooMuchWhatHasWaitedLongestGoesFirst() {
        waiting("first", 4 * MIB);
        waiting("second", 4 * MIB);

        waiting("third", 4 * MIB);

        assertThat(givenUp).containsExactly("first");
        assertThat(unsent.held()).isEqualTo(2 * (4 * MIB + Unsent.CALL));
    }

    @Test
    void whoHeapsThemUpOnOneConnectionPaysForItHimself() {
        waiting("of another", 3 * MIB);
        var greedy = unsent.connection();
        for (var n = 1; n <= 7; n++) waiting(greedy, "greedy " + n, MIB);

        waiting("of a third", MIB);

        assertThat(givenUp).containsExactly("greedy 1", "greedy 2");
        assertThat(unsent.held()).isEqualTo(9 * MIB + 7 * Unsent.CALL);
    }

    @Test
    void anAnswerLargerThanAllMayBeLeavesByItself() {
        waiting("small", 1);

        var large = waiting("large", 20 * MIB);

        assertThat(givenUp).containsExactly("small");
        large.left(20 * MIB);
        assertThat(unsent.held()).isZero();
    }

    @Test
    void manySmallAnswersCountAsWhatTheirCallsTake() {
        for (var n = 0; n < 2_000; n++) waiting("" + n, 1);

        assertThat(givenUp).hasSizeGreaterThan(2_000 - 10 * MIB / Unsent.CALL - 1);
    }

    @Test
    void nothingIsHeldOfWhatIsOver() {
        var over = waiting("over", MIB);

        over.gone();
        over.gone();
        over.waits(MIB);
        over.left(MIB);
        pass(PATIENCE);

        assertThat(unsent.held()).isZero();
        assertThat(givenUp).isEmpty();
    }
}
