// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.TestClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class LoginLimitsTest {
    private final TestClock clock = new TestClock(Instant.parse("2026-11-15T12:00:00Z"));
    private final LoginLimits limits = new LoginLimits(clock);

    @Test
    void eachAttemptBeyondTheFreeOnesWaitsTwiceAsLong() {
        for (var i = 0; i < 5; i++) assertThat(limits.charge("a", "", "ann")).isZero();

        assertThat(limits.charge("a", "", "ann")).isEqualTo(Duration.ofSeconds(1));
        clock.pass(Duration.ofSeconds(1));
        assertThat(limits.charge("a", "", "ann")).isZero();
        assertThat(limits.charge("a", "", "ann")).isEqualTo(Duration.ofSeconds(1));
        clock.pass(Duration.ofSeconds(1));
        assertThat(limits.charge("a", "", "ann")).isZero();
        assertThat(limits.charge("a", "", "ann")).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void theVictimStillGetsInFromAnAddressThatDidNotGuess() {
        for (var i = 0; i < 1_000; i++) {
            var _ = limits.charge("attacker-" + i, "", "ann");
        }

        assertThat(limits.charge("home", "", "ann")).isZero();
    }

    @Test
    void anAccountUnderAttackGivesEachAddressOneTry() {
        for (var i = 0; i < 100; i++) {
            var _ = limits.charge("attacker-" + i, "", "ann");
        }

        assertThat(limits.charge("another", "", "ann")).isZero();
        assertThat(limits.charge("another", "", "ann")).isPositive();
    }

    @Test
    void oneAddressCannotTryManyAccounts() {
        for (var i = 0; i < 20; i++) assertThat(limits.charge("a", "", "user-" + i)).isZero();

        assertThat(limits.charge("a", "", "one-more")).isPositive();
        assertThat(limits.charge("b", "", "one-more")).isZero();
    }

    @Test
    void limitsFadeWithTime() {
        for (var i = 0; i < 5; i++) assertThat(limits.charge("a", "", "ann")).isZero();

        clock.pass(Duration.ofMinutes(5));

        for (var i = 0; i < 5; i++) assertThat(limits.charge("a", "", "ann")).isZero();
    }

    @Test
    void theRightPasswordWipesTheSlate() {
        for (var i = 0; i < 5; i++) assertThat(limits.charge("a", "", "ann")).isZero();

        limits.forgive("a", "", "ann");

        assertThat(limits.charge("a", "", "ann")).isZero();
    }

    @Test
    void whoGuessesThroughAProxyWithoutEndHoldsUpNobodyElseItNames() {
        for (var second = 0; second < 3_600; second++) {
            var _ = limits.charge("proxy", "attacker", "ann");
            var _ = limits.charge("proxy", "attacker", "user-" + second);
            if (second % 600 == 599)
                assertThat(limits.charge("proxy", "home-" + second, "ann")).isZero();
            clock.pass(Duration.ofSeconds(1));
        }
    }

    @Test
    void whoMakesUpWhomAProxyNamesHasFewGuessesAtAnAccount() {
        var guesses = 0;
        for (var i = 0; i < 36_000; i++) {
            if (limits.charge("proxy", "made up " + i, "ann").isZero()) guesses++;
            clock.pass(Duration.ofMillis(100));
        }

        assertThat(guesses).isBetween(360, 390); // in an hour
    }

    @Test
    void whoMakesUpWhomAProxyNamesHoldsUpNobodyBehindAnother() {
        for (var i = 0; i < 1_000; i++) {
            var _ = limits.charge("proxy", "made up " + i, "ann");
        }

        assertThat(limits.charge("proxy", "home", "ann")).isPositive();
        assertThat(limits.charge("another proxy", "home", "ann")).isZero();
    }

    @Test
    void whoMakesUpWhomAProxyNamesHasFewGuessesAtAllAccounts() {
        var guesses = 0;
        for (var i = 0; i < 36_000; i++) {
            if (limits.charge("proxy", "made up " + i, "user-" + i).isZero()) guesses++;
            clock.pass(Duration.ofMillis(100));
        }

        assertThat(guesses).isBetween(3_600, 3_670); // in an hour
        assertThat(limits.charge("elsewhere", "", "ann")).isZero();
    }

    @Test
    void theRightPasswordThroughAProxyWipesTheSlateToo() {
        for (var i = 0; i < 1_000; i++) {
            assertThat(limits.charge("proxy", "home", "ann")).isZero();
            limits.forgive("proxy", "home", "ann");
        }
    }

    @Test
    void browsersThatWereLetInBeforeHaveTwentyAttemptsTogetherThatFade() {
        for (var i = 0; i < 20; i++) assertThat(limits.chargeDevice("ann")).isTrue();

        assertThat(limits.chargeDevice("ann")).isFalse();
        assertThat(limits.chargeDevice("bob")).isTrue();
        clock.pass(Duration.ofMinutes(1));
        assertThat(limits.chargeDevice("ann")).isTrue();
        assertThat(limits.chargeDevice("ann")).isFalse();
        limits.forgiveDevice("ann");
        assertThat(limits.chargeDevice("ann")).isTrue();
    }
}
