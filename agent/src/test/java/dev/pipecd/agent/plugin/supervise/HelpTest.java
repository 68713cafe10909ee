// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class HelpTest {
    private final Help help = new Help();

    @Test
    void aProcessIsOnItsOwnFromItsStart() {
        help.restart(10);

        assertThat(help.alone(17)).isEqualTo(7);
    }

    @Test
    void whileAnythingIsDoneForItItIsNotAndAfterwardsItsTimeBeginsAnew() {
        help.restart(10);
        var first = help.begin();
        var second = help.begin();
        help.end(first, 20);

        assertThat(help.alone(30)).isZero();

        help.end(second, 40);

        assertThat(help.alone(45)).isEqualTo(5);
    }

    @Test
    void whatWasDoneForTheProcessBeforeIsNotForTheNext() {
        help.restart(10);
        var before = help.begin();
        help.restart(20);

        assertThat(help.end(before, 30)).isFalse();
        assertThat(help.alone(30)).isEqualTo(10);
    }
}
