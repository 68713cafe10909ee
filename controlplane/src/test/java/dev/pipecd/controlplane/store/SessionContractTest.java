// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.store.Replica.PROJECT;
import static dev.pipecd.controlplane.store.Replica.atOnce;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.access.SessionStore;
import dev.pipecd.controlplane.change.Change;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Sessions that were ended before their time, on every engine; who asks another server is told the
/// same.
@ParameterizedClass
@EnumSource(TestEngine.class)
class SessionContractTest {
    private final TestClock clock = new TestClock(Instant.ofEpochSecond(1_800_000_000));
    private final Instant later = clock.instant().plus(Duration.ofDays(7));
    private final Replicas replicas;
    private final Trail trail;
    private final SessionStore here;
    private final SessionStore there;

    SessionContractTest(TestEngine engine) {
        replicas = engine.replicas();
        trail = new Trail(replicas.here());
        here = new SessionTable(replicas.here(), trail, clock);
        there =
                engine.shared()
                        ? new SessionTable(replicas.there(), new Trail(replicas.there()), clock)
                        : here;
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    @Test
    void aSessionEndedAtOneServerIsEndedAtAllAndNoOther() {
        assertThat(there.ended("dGVzdA")).isFalse();

        here.end(PROJECT, "ann", "dGVzdA", later);

        assertThat(there.ended("dGVzdA")).isTrue();
        assertThat(here.ended("dGVzdA")).isTrue();
        assertThat(there.ended("DGVzdA")).isFalse(); // such ids differ in case
    }

    @Test
    void itIsRememberedAsLongAsItsTokenWouldBeGoodAndNotForEver() {
        here.end(PROJECT, "ann", "old", later);
        clock.pass(Duration.ofDays(7));
        there.end(PROJECT, "bob", "new", later.plus(Duration.ofDays(7)));
        assertThat(here.ended("old")).isTrue();

        clock.pass(Duration.ofSeconds(1));
        there.end(PROJECT, "bob", "new", later.plus(Duration.ofDays(7)));

        assertThat(here.ended("old")).isFalse();
        assertThat(here.ended("new")).isTrue();
    }

    @Test
    void manyWhoEndSessionsAtOnceAllSucceed() throws Exception {
        for (var i = 0; i < 8; i++) here.end(PROJECT, "ann", "old" + i, clock.instant());
        clock.pass(Duration.ofMinutes(1));

        atOnce(
                32,
                i -> {
                    // each is ended twice, mostly at two servers
                    (i % 2 == 0 ? here : there).end(PROJECT, "ann", "s" + i / 2, later);
                });

        for (var i = 0; i < 16; i++) assertThat(there.ended("s" + i)).isTrue();
        for (var i = 0; i < 8; i++) assertThat(here.ended("old" + i)).isFalse();
        assertThat(trail.since(PROJECT, 8, 100)).hasSize(32);
    }

    @Test
    void theTrailTellsOfLoginsAndLogouts() {
        here.opened(PROJECT, "ann", "logged in as the static admin");
        there.end(PROJECT, "ann", "s1", later);

        var told = trail.since(PROJECT, 0, 10);
        assertThat(told).extracting(Change::kind).containsOnly(Change.Kind.SESSION);
        assertThat(told)
                .extracting(c -> List.of(c.id(), c.actor(), c.what(), c.at()))
                .containsExactly(
                        List.of("ann", "ann", "logged in as the static admin", clock.instant()),
                        List.of("ann", "ann", "logged out", clock.instant()));
    }
}
