// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final long SECOND = 1_000_000_000L;

    private final Progress progress = new Progress(Duration.ofSeconds(30), 0, 0);

    @Test
    void whatGoesOnMayTakeLongerThanTheSilenceInAll() {
        assertThat(progress.stalled(1, 29 * SECOND)).isFalse();
        assertThat(progress.stalled(2, 58 * SECOND)).isFalse();
        assertThat(progress.stalled(2, 88 * SECOND)).isFalse();
    }

    @Test
    void whatHasComeToAHaltIsStalled() {
        assertThat(progress.stalled(0, 30 * SECOND)).isFalse();
        assertThat(progress.stalled(0, 30 * SECOND + 1)).isTrue();
    }
}
