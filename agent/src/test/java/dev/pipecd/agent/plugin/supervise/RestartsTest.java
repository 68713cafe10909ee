// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.plugin.supervise.Restarts.Run;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RestartsTest {
    private static final long SECOND = 1_000_000_000L;

    private final Restarts restarts = new Restarts(Timing.USUAL);

    @Test
    void pausesDoubleAndTheFifthEndWithinAMinuteIsHopeless() {
        assertThat(died(0, 1)).isEqualTo(Duration.ofMillis(200));
        assertThat(died(2, 3)).isEqualTo(Duration.ofMillis(400));
        assertThat(died(4, 5)).isEqualTo(Duration.ofMillis(800));
        assertThat(died(6, 7)).isEqualTo(Duration.ofMillis(1600));
        assertThat(restarts.hopeless()).isFalse();
        assertThat(died(8, 9)).isEqualTo(Duration.ofSeconds(30));
        assertThat(restarts.hopeless()).isTrue();
    }

    @Test
    void aHopelessHostStaysSoUntilItWasReadyAgain() {
        for (var i = 0; i < 5; i++) diedUnready(i, i);

        diedUnready(100, 101);
        assertThat(restarts.hopeless()).isTrue();
        died(200, 201);
        assertThat(restarts.hopeless()).isFalse();
    }

    @Test
    void aHealthyMinuteForgivesWhatWasBefore() {
        died(0, 1);
        died(2, 3);

        assertThat(died(4, 65)).isEqualTo(Duration.ofMillis(200));
    }

    /// Others get a minute to become ready: that minute was not a healthy one.
    @Test
    void theThirdRunInARowThatIsNeverReadyInTimeIsHopeless() {
        assertThat(notReadyInTime(0, 60)).isEqualTo(Duration.ofMillis(200));
        assertThat(notReadyInTime(61, 121)).isEqualTo(Duration.ofMillis(400));
        assertThat(restarts.hopeless()).isFalse();
        assertThat(notReadyInTime(122, 182)).isEqualTo(Duration.ofSeconds(30));
        assertThat(restarts.hopeless()).isTrue();
    }

    @Test
    void theFifthRunInARowThatDiesLateAndUnreadyIsHopeless() {
        for (var i = 0; i < 4; i++) diedUnready(100 * i, 100 * i + 70);
        assertThat(restarts.hopeless()).isFalse();

        diedUnready(400, 470);

        assertThat(restarts.hopeless()).isTrue();
    }

    @Test
    void theThirdRunInARowThatHangsSoonIsHopelessAlthoughItWasReady() {
        hung(0, 10, 70);
        hung(71, 81, 141);
        assertThat(restarts.hopeless()).isFalse();
        hung(142, 152, 212);
        assertThat(restarts.hopeless()).isTrue();

        hung(243, 253, 313);
        assertThat(restarts.hopeless()).isTrue();
    }

    @Test
    void oneThatHangsNowAndThenAfterALongTimeIsNotHopeless() {
        for (var i = 0; i < 5; i++) hung(1000 * i, 1000 * i + 900, 1000 * i + 930);

        assertThat(restarts.hopeless()).isFalse();
    }

    @Test
    void itIsWellAgainWhenItGaveSignsOfLifeForAsLongAsIsWaitedBetweenTries() {
        assertThat(restarts.recovered(100 * SECOND, 100 * SECOND)).isFalse();
        assertThat(restarts.recovered(100 * SECOND, 129 * SECOND)).isFalse();
        assertThat(restarts.recovered(100 * SECOND, 130 * SECOND)).isTrue();
    }

    private Duration died(long began, long ended) {
        return over(began, ended, ended, true, false);
    }

    private void diedUnready(long began, long ended) {
        over(began, ended, ended, false, false);
    }

    private Duration notReadyInTime(long began, long ended) {
        return over(began, ended, ended, false, true);
    }

    private void hung(long began, long lastSign, long ended) {
        over(began, lastSign, ended, true, true);
    }

    private Duration over(long began, long lastSign, long ended, boolean ready, boolean stuck) {
        return restarts.after(
                new Run(began * SECOND, lastSign * SECOND, ended * SECOND, ready, stuck));
    }
}
