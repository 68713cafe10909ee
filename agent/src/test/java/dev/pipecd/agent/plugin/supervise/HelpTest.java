// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class HelpTest {
    private final Help help = new Help(100);

    @Test
    void aProcessIsOnItsOwnFromItsStart() {
        help.restart(10);

        assertThat(help.alone(17)).isEqualTo(7);
    }

    @Test
    void whileAnythingIsDoneForItItIsNotAndWhatThatTookIsNotItsOwn() {
        help.restart(10);
        var first = help.begin(12);
        var second = help.begin(15);
        help.end(first, 20);

        assertThat(help.alone(30)).isEqualTo(2);

        help.end(second, 40);

        assertThat(help.alone(45)).isEqualTo(7);
    }

    @Test
    void whoIsHelpedInNoTimeGainsNone() {
        help.restart(10);
        for (var now = 20; now < 60; now += 10) help.end(help.begin(now), now);

        assertThat(help.alone(60)).isEqualTo(50);
        assertThat(help.helped(60)).isZero();
    }

    @Test
    void helpWithoutEndIsNotGrantedToOneProcess() {
        help.restart(10);
        var _ = help.begin(12);

        assertThat(help.alone(112)).isEqualTo(2);
        assertThat(help.alone(120)).isEqualTo(10);

        help.restart(120);
        var _ = help.begin(121);

        assertThat(help.alone(221)).isEqualTo(1);
    }

    @Test
    void whatWasDoneForTheProcessBeforeIsNotForTheNext() {
        help.restart(10);
        var before = help.begin(12);
        help.restart(20);

        assertThat(help.end(before, 30)).isFalse();
        assertThat(help.alone(30)).isEqualTo(10);
    }

    @Test
    void allHelpIsCountedAlsoWhatIsUnderWayAndWhatWasForTheProcessBefore() {
        help.restart(10);
        var _ = help.begin(12);
        help.restart(20);
        help.end(help.begin(30), 31);
        var _ = help.begin(40);

        assertThat(help.helped(44)).isEqualTo(8 + 1 + 4);
    }
}
