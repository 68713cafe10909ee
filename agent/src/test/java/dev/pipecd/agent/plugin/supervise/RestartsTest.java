// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RestartsTest {
    private static final long SECOND = 1_000_000_000L;

    private final Restarts restarts = new Restarts(Timing.USUAL);

    @Test
    void pausesDoubleAndTheFifthEndWithinAMinuteIsHopeless() {
        assertThat(restarts.afterEnd(0, SECOND, true)).isEqualTo(Duration.ofMillis(200));
        assertThat(restarts.afterEnd(2 * SECOND, 3 * SECOND, true))
                .isEqualTo(Duration.ofMillis(400));
        assertThat(restarts.afterEnd(4 * SECOND, 5 * SECOND, true))
                .isEqualTo(Duration.ofMillis(800));
        assertThat(restarts.afterEnd(6 * SECOND, 7 * SECOND, true))
                .isEqualTo(Duration.ofMillis(1600));
        assertThat(restarts.hopeless()).isFalse();
        assertThat(restarts.afterEnd(8 * SECOND, 9 * SECOND, true))
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(restarts.hopeless()).isTrue();
    }

    @Test
    void aHopelessHostStaysSoUntilItWasReadyAgain() {
        for (var i = 0; i < 5; i++) restarts.afterEnd(i * SECOND, i * SECOND, false);

        restarts.afterEnd(100 * SECOND, 101 * SECOND, false);
        assertThat(restarts.hopeless()).isTrue();
        restarts.afterEnd(200 * SECOND, 201 * SECOND, true);
        assertThat(restarts.hopeless()).isFalse();
    }

    @Test
    void aHealthyMinuteForgivesWhatWasBefore() {
        restarts.afterEnd(0, SECOND, true);
        restarts.afterEnd(2 * SECOND, 3 * SECOND, true);

        assertThat(restarts.afterEnd(4 * SECOND, 65 * SECOND, true))
                .isEqualTo(Duration.ofMillis(200));
    }
}
