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
import java.util.Map;
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
        assertThat(there.ended(List.of("dGVzdA"))).isEmpty();

        here.end(PROJECT, "ann", out("dGVzdA", later));

        assertThat(there.ended(List.of("dGVzdA"))).isNotEmpty();
        assertThat(here.ended(List.of("dGVzdA"))).isNotEmpty();
        assertThat(there.ended(List.of("DGVzdA"))).isEmpty(); // such ids differ in case
    }

    @Test
    void itIsRememberedAsLongAsItsTokenWouldBeGoodAndNotForEver() {
        here.end(PROJECT, "ann", out("old", later));
        clock.pass(Duration.ofDays(7));
        there.end(PROJECT, "bob", out("new", later.plus(Duration.ofDays(7))));
        assertThat(here.ended(List.of("old"))).isNotEmpty();

        clock.pass(Duration.ofSeconds(1));
        there.end(PROJECT, "bob", out("new", later.plus(Duration.ofDays(7))));

        assertThat(here.ended(List.of("old"))).isEmpty();
        assertThat(here.ended(List.of("new"))).isNotEmpty();
    }

    @Test
    void manyWhoEndSessionsAtOnceAllSucceed() throws Exception {
        for (var i = 0; i < 8; i++) here.end(PROJECT, "ann", out("old" + i, clock.instant()));
        clock.pass(Duration.ofMinutes(1));

        atOnce(
                32,
                i -> {
                    // each is ended twice, mostly at two servers
                    (i % 2 == 0 ? here : there).end(PROJECT, "ann", out("s" + i / 2, later));
                });

        for (var i = 0; i < 16; i++) assertThat(there.ended(List.of("s" + i))).isNotEmpty();
        for (var i = 0; i < 8; i++) assertThat(here.ended(List.of("old" + i))).isEmpty();
        assertThat(trail.since(PROJECT, 8, 100)).hasSize(32);
    }

    @Test
    void theTrailTellsOfLoginsAndLogouts() {
        here.opened(PROJECT, "ann", "logged in as the static admin");
        there.end(PROJECT, "ann", out("s1", later));

        var told = trail.since(PROJECT, 0, 10);
        assertThat(told).extracting(Change::kind).containsOnly(Change.Kind.SESSION);
        assertThat(told)
                .extracting(c -> List.of(c.id(), c.actor(), c.what(), c.at()))
                .containsExactly(
                        List.of("ann", "ann", "logged in as the static admin", clock.instant()),
                        List.of("ann", "ann", "logged out", clock.instant()));
    }

    @Test
    void ofManyIdsThoseThatWereEndedAreToldAndUntilWhen() {
        here.end(PROJECT, "ann", out("a", later));
        here.end(PROJECT, "ann", out("a", later.plusSeconds(1)));
        here.end(PROJECT, "ann", new SessionStore.End("b", later, ""));

        assertThat(there.ended(List.of("a", "b", "c")))
                .isEqualTo(Map.of("a", later.plusSeconds(1), "b", later));
        assertThat(trail.since(PROJECT, 0, 10)).hasSize(2); // what tells nothing is not told
    }

    private static SessionStore.End out(String id, Instant expires) {
        return new SessionStore.End(id, expires, "logged out");
    }
}
