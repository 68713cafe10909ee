// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.cache.InProcessCache;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Piped.ConnectionStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class HeartbeatsTest {
    private static final PipedId PIPED = new PipedId("p1");

    private final InProcessCache cache = new InProcessCache();
    private final TestClock clock = new TestClock(Instant.ofEpochSecond(1_000_000));
    private final Heartbeats here = new Heartbeats(cache, clock);
    private final Heartbeats there = new Heartbeats(cache, clock);

    @Test
    void anAgentHeardByOneServerIsOnlineForTheOtherAndSilenceMeansOffline() {
        assertThat(there.status(PIPED)).isEqualTo(ConnectionStatus.UNKNOWN);
        here.beat(PIPED);

        assertThat(here.status(PIPED)).isEqualTo(ConnectionStatus.ONLINE);
        clock.pass(Duration.ofSeconds(2));
        assertThat(there.status(PIPED)).isEqualTo(ConnectionStatus.ONLINE);
        clock.pass(Duration.ofMinutes(2));
        assertThat(there.status(PIPED)).isEqualTo(ConnectionStatus.OFFLINE);
    }

    @Test
    void anAgentThatCallsManyTimesASecondIsToldOfOnce() {
        here.beat(PIPED);
        cache.remove("pipecd:piped:heard", PIPED.value());

        here.beat(PIPED);
        assertThat(cache.all("pipecd:piped:heard")).isEmpty();
        clock.pass(Duration.ofSeconds(1));
        here.beat(PIPED);

        assertThat(cache.all("pipecd:piped:heard")).hasSize(1);
    }

    @Test
    void anAgentIsToldOfAlsoWhenTheClockWasSetBack() {
        here.beat(PIPED);
        cache.remove("pipecd:piped:heard", PIPED.value());

        clock.pass(Duration.ofHours(-1));
        here.beat(PIPED);

        assertThat(cache.all("pipecd:piped:heard")).hasSize(1);
    }

    @Test
    void metricsAreKeptAsThePublicServerKeepsThem() {
        here.beat(agent("p", "p1"), "up 1\n".getBytes(StandardCharsets.UTF_8));

        assertThat(cache.all("HASHKEY:PIPED:STATS"))
                .containsEntry(
                        "p1",
                        "{\"piped_id\":\"p1\",\"metrics\":\"dXAgMQo=\",\"timestamp\":1000000}");
    }

    private static Caller.Agent agent(String project, String piped) {
        return new Caller.Agent(new ProjectId(project), new PipedId(piped));
    }

    @Test
    void whatManyAgentsOfOneProjectTellCannotFillTheCacheAndTakesNothingFromOthers() {
        here.beat(agent("small", "of-small"), "up 1\n".getBytes(StandardCharsets.UTF_8));
        for (var n = 0; n < 200; n++) here.beat(agent("large", "p" + n), new byte[512 * 1024]);

        var kept = cache.all("HASHKEY:PIPED:STATS");

        assertThat(kept.values().stream().mapToLong(String::length).sum()).isLessThan(32 << 20);
        assertThat(kept).containsKeys("of-small", "p199").doesNotContainKey("p0");
        assertThat(here.told()).hasSize(kept.size());
        assertThat(here.metrics(new PipedId("of-small")))
                .hasValue("up 1\n".getBytes(StandardCharsets.UTF_8));
        assertThat(here.metrics(new PipedId("p0"))).isEmpty();
    }

    @Test
    void anAgentThatTellsAgainAndAgainCountsOnce() {
        for (var n = 0; n < 200; n++) {
            here.beat(agent("large", "p" + n % 2), new byte[512 * 1024]);
            clock.pass(Duration.ofHours(25));
            here.forget();
        }
        here.beat(agent("large", "p0"), new byte[512 * 1024]);
        here.beat(agent("large", "p1"), new byte[512 * 1024]);

        assertThat(here.told()).hasSize(2);
    }

    /// While public servers are exchanged for ours, or back.
    @Test
    void anAgentThatTalksToAPublicServerIsKnownByWhatThatOneKeeps() {
        here.beat(agent("p", "p1"), new byte[0]);
        clock.pass(Duration.ofMinutes(5));
        assertThat(here.status(PIPED)).isEqualTo(ConnectionStatus.OFFLINE);
        cache.put(
                "HASHKEY:PIPED:STATS",
                "p1",
                "{\"piped_id\":\"p1\",\"metrics\":\"dXAgMQo=\",\"timestamp\":1000290}");
        cache.put("HASHKEY:PIPED:STATS", "p2", "{\"piped_id\":\"p2\",\"timestamp\":1000290}");
        cache.put("HASHKEY:PIPED:STATS", "p3", "nonsense");
        clock.pass(Duration.ofSeconds(10));

        assertThat(here.status(PIPED)).isEqualTo(ConnectionStatus.ONLINE);
        assertThat(here.last(PIPED)).hasValue(Instant.ofEpochSecond(1_000_290));
        assertThat(there.status(new PipedId("p2"))).isEqualTo(ConnectionStatus.ONLINE);
        assertThat(there.status(new PipedId("p3"))).isEqualTo(ConnectionStatus.UNKNOWN);
        clock.pass(Duration.ofMinutes(2));
        assertThat(here.status(PIPED)).isEqualTo(ConnectionStatus.OFFLINE);
        assertThat(there.status(new PipedId("p2"))).isEqualTo(ConnectionStatus.OFFLINE);
    }
}
