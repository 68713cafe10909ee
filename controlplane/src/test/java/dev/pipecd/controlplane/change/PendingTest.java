// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class PendingTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void equalHintsAreOne() throws Exception {
        var pending = new Pending<String>(10, Duration.ZERO);
        pending.add("a");
        pending.add("b");
        pending.add("a");

        assertThat(pending.take(LONG).hints()).containsExactly("a", "b");
    }

    @Test
    void whatIsTooMuchIsToldNotKept() throws Exception {
        var pending = new Pending<String>(2, Duration.ZERO);
        pending.add("a");
        pending.add("b");
        pending.add("a");
        assertThat(pending.take(LONG).overflown()).isFalse();

        pending.add("a");
        pending.add("b");
        pending.add("c");
        var batch = pending.take(LONG);

        assertThat(batch.hints()).containsExactly("a", "b");
        assertThat(batch.overflown()).isTrue();
        assertThat(pending.take(Duration.ZERO).overflown()).isFalse();
    }

    @Test
    void aBatchDoesNotComeBeforeItsTime() throws Exception {
        var pending = new Pending<String>(2, LONG);
        pending.add("a");
        assertThat(pending.take(LONG).hints()).containsExactly("a");
        pending.add("b");

        assertThat(pending.take(Duration.ofMillis(1)).hints()).isEmpty();
    }

    @Test
    void aHintWakesWhoWaits() throws Exception {
        var pending = new Pending<String>(2, Duration.ZERO);
        Thread.ofVirtual().start(() -> pending.add("a"));

        assertThat(pending.take(LONG).hints()).containsExactly("a");
    }
}
