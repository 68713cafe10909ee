// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class RecentKeysTest {
    private static final ProjectId PROJECT = new ProjectId("p");
    private static final Credentials.PipedToken RIGHT =
            new Credentials.PipedToken(PROJECT, new PipedId("a"), "right");
    private static final Credentials.PipedToken WRONG =
            new Credentials.PipedToken(PROJECT, new PipedId("a"), "wrong");

    private final TestClock clock = new TestClock(Instant.parse("2026-11-15T12:00:00Z"));
    private final SwitchableKeyring behind = new SwitchableKeyring();
    private final RecentKeys keys = new RecentKeys(behind, clock);

    @Test
    void anAgentIsLookedUpOnceForAMoment() {
        keys.agent(RIGHT);
        keys.agent(RIGHT);

        assertThat(behind.asked).isEqualTo(1);
    }

    @Test
    void aDisabledAgentIsRefusedAfterHalfASecondEvenWhenTheNewsIsLost() {
        keys.agent(RIGHT);
        behind.enabled = false;
        clock.pass(Duration.ofMillis(500));

        assertThatThrownBy(() -> keys.agent(RIGHT)).hasMessage("Unauthenticated");
    }

    @Test
    void aDisabledAgentIsRefusedAtOnceWhenTheNewsArrives() {
        keys.agent(RIGHT);
        behind.enabled = false;
        keys.hear(
                new Change(
                        1,
                        PROJECT,
                        Change.Kind.PIPED,
                        "a",
                        "",
                        "a",
                        new Change.Deed("ann", "", Instant.EPOCH)));

        assertThatThrownBy(() -> keys.agent(RIGHT)).hasMessage("Unauthenticated");
    }

    @Test
    void anotherKeyOfTheSameAgentIsNotBelieved() {
        keys.agent(RIGHT);

        assertThatThrownBy(() -> keys.agent(WRONG)).hasMessage("Unauthenticated");
    }

    private static final class SwitchableKeyring implements Keyring {
        private boolean enabled = true;
        private int asked;

        @Override
        public Caller.Agent agent(Credentials.PipedToken token) {
            asked++;
            if (!enabled || !token.key().equals("right")) throw Credentials.unauthenticated();
            return new Caller.Agent(token.project(), token.piped());
        }

        @Override
        public Caller.KeyHolder keyHolder(Credentials.ApiKey key) {
            throw Credentials.unauthenticated();
        }
    }
}
