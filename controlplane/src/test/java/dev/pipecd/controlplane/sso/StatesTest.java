// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.TestClock;
import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class StatesTest {
    private static final ProjectId HERE = new ProjectId("here");

    private final TestClock clock = new TestClock(Instant.parse("2026-11-16T12:00:00Z"));

    /// The public server panics there.
    @Test
    void withoutAStateKeyTheEncryptionKeySignsTheRoundTrip() {
        var states = new States("", new byte[] {1, 2, 3}, clock);

        var state = states.open(HERE);

        assertThat(states.isGood(state, HERE)).isTrue();
        assertThat(new States("", new byte[] {1, 2, 4}, clock).isGood(state, HERE)).isFalse();
        assertThat(new States("key", new byte[] {1, 2, 3}, clock).isGood(state, HERE)).isFalse();
    }

    @Test
    void aRoundTripEndsWithinHalfAnHour() {
        var states = new States("key", new byte[] {1}, clock);
        var state = states.open(HERE);

        clock.pass(Duration.ofMinutes(30).minusMillis(1));
        assertThat(states.isGood(state, HERE)).isTrue();
        clock.pass(Duration.ofMillis(1));

        assertThat(states.isGood(state, HERE)).isFalse();
    }

    @Test
    void whatIsNoStateIsNone() {
        var states = new States("key", new byte[] {1}, clock);

        for (var text : List.of("", "zz", "00", "3a3a", "6e6f3a6e6f3a6e6f", "0".repeat(1_002)))
            assertThat(states.isGood(text, HERE)).as(text).isFalse();
    }
}
