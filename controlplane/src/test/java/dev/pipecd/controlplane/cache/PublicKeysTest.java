// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.config.Secret;
import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.PublicAnswers;
import dev.pipecd.controlplane.piped.Heartbeats;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Piped.ConnectionStatus;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A real Redis that a public server has used and may use again.
final class PublicKeysTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String LOG = "piped-stage-log:d1:s1:0";

    private final String address = RedisProcess.database();
    private final RedisClient publicServer = RedisClient.create(address);
    private final RedisCommands<String, String> left = publicServer.connect().sync();
    private final TestClock clock = new TestClock(Instant.ofEpochSecond(1_000_000));
    private final Cache cache =
            RedisCache.open(
                    new CacheAddress(Secret.written("address", address), Secret.none(), ""),
                    PATIENCE);

    @BeforeEach
    void connect() {
        left.flushdb();
        await().atMost(PATIENCE)
                .until(() -> {
                    cache.put("together", "a", "1");
                    return left.hexists("together", "a");
                });
    }

    @AfterEach
    void close() {
        cache.close();
        publicServer.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }

    @Test
    void whatItRemembersOfThingsThatChangeHereIsTakenOut() {
        var gone =
                List.of(
                        "command:c1",
                        "application-live-state:a1",
                        "piped-stage-log:d1:s1:0",
                        "piped-stage-log:d1:s1:1");
        var kept =
                List.of(
                        "command:c2",
                        "application-live-state:c1",
                        "piped-stage-log:d1:s2:0",
                        "insights-chunk/here/x/y");
        gone.forEach(key -> left.set(key, "{}"));
        kept.forEach(key -> left.set(key, "{}"));
        var answers = new PublicAnswers(cache, clock);

        answers.hear(change(Change.Kind.COMMAND, "c1", ""));
        answers.hear(change(Change.Kind.LIVE_STATE, "a1", ""));
        answers.hear(change(Change.Kind.STAGE_LOG, "d1", "s1"));
        answers.hear(change(Change.Kind.DEPLOYMENT, "c2", ""));

        await().atMost(PATIENCE).until(() -> left.exists(gone.toArray(String[]::new)) == 0);
        assertThat(left.exists(kept.toArray(String[]::new))).isEqualTo(kept.size());
    }

    /// It remembers one whenever it is asked for it.
    @Test
    void aCommandIsTakenOutWheneverItChanges() {
        var answers = new PublicAnswers(cache, clock);

        for (var time = 0; time < 3; time++) {
            left.set("command:c1", "{}");
            left.set("application-live-state:a1", "{}");
            answers.hear(change(Change.Kind.COMMAND, "c1", ""));
            answers.hear(change(Change.Kind.LIVE_STATE, "a1", ""));

            await().atMost(PATIENCE)
                    .until(() -> left.exists("command:c1", "application-live-state:a1") == 0);
        }
    }

    @Test
    void aLogThatGrowsManyTimesAMinuteIsTakenOutAtOnceAndAtTheEndOfIt() {
        var answers = new PublicAnswers(cache, clock);
        left.set(LOG, "{}");
        answers.hear(change(Change.Kind.STAGE_LOG, "d1", "s1"));
        await().atMost(PATIENCE).until(() -> left.exists(LOG) == 0);
        left.set(LOG, "{}");
        clock.pass(Duration.ofSeconds(59));
        answers.hear(change(Change.Kind.STAGE_LOG, "d1", "s1"));
        hearAnother(answers);
        assertThat(left.exists(LOG)).isEqualTo(1);

        clock.pass(Duration.ofSeconds(1));
        hearAnother(answers);

        await().atMost(PATIENCE).until(() -> left.exists(LOG) == 0);
        left.set(LOG, "{}");
        clock.pass(Duration.ofMinutes(2));
        hearAnother(answers);
        assertThat(left.exists(LOG)).as("nothing came since").isEqualTo(1);
    }

    /// Returns when all that was taken out before is.
    private void hearAnother(PublicAnswers answers) {
        left.set("command:last", "{}");
        answers.hear(change(Change.Kind.COMMAND, "last", ""));
        await().atMost(PATIENCE).until(() -> left.exists("command:last") == 0);
    }

    @Test
    void anAgentThatItHearsIsOnlineHere() {
        var heartbeats = new Heartbeats(cache, clock);
        left.hset(
                "HASHKEY:PIPED:STATS",
                "p1",
                "{\"piped_id\":\"p1\",\"metrics\":\"dXAgMQo=\",\"timestamp\":999990}");

        assertThat(heartbeats.status(new PipedId("p1"))).isEqualTo(ConnectionStatus.ONLINE);
        assertThat(heartbeats.status(new PipedId("p2"))).isEqualTo(ConnectionStatus.UNKNOWN);
    }

    private static Change change(Change.Kind kind, String id, String stage) {
        return new Change(
                1,
                new ProjectId("here"),
                kind,
                id,
                stage,
                "p1",
                new Change.Deed("ann", "changed", Instant.EPOCH));
    }
}
