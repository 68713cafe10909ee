// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class OwnTimeTest {
    private final OwnTime time = new OwnTime(Duration.ofSeconds(30));

    @Test
    void whoseToolWasThereAlreadyHadItsTime() {
        assertThat(after(600, 601)).isFalse();
    }

    @Test
    void whoWaitedForItsToolIsAskedAgainAndThenHasItsTime() {
        assertThat(after(600, 610)).isTrue();
        assertThat(after(610, 610)).isFalse();
    }

    @Test
    void whoIsHelpedALittleEachTimeHasItsTimeOnlyOnce() {
        assertThat(after(0, 10)).isTrue();
        assertThat(after(10, 20)).isFalse();
    }

    @Test
    void anInstallationOfTenMinutesIsWaitedForButNotOneAfterAnother() {
        var asked = 1;
        for (; after(30 * asked, 30 * asked + 30); asked++) assertThat(asked).isLessThan(100);

        assertThat(asked).isEqualTo(25);
    }

    private boolean after(int helpedBefore, int helpedAfterwards) {
        time.begins(Duration.ofSeconds(helpedBefore));
        return time.wasShort(Duration.ofSeconds(helpedAfterwards));
    }
}
