// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.config.Secret;
import dev.pipecd.controlplane.TestCertificate;
import dev.pipecd.domain.Problem;
import io.lettuce.core.RedisClient;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RedisCacheTest implements CacheContract {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final String address = RedisProcess.database();
    private final Cache one = open(address);
    private final Cache other = open(address);

    private static Cache open(String address) {
        return open(new CacheAddress(Secret.written("address", address), Secret.none(), ""));
    }

    private static Cache open(CacheAddress address) {
        return RedisCache.open(address, PATIENCE);
    }

    /// Connecting goes on in the background.
    private static void awaitTogether(Cache one, Cache other) {
        await().atMost(PATIENCE)
                .until(() -> {
                    one.put("together", "a", "1");
                    return !other.all("together").isEmpty();
                });
        await().atMost(PATIENCE)
                .until(() -> {
                    other.put("together", "b", "1");
                    return one.all("together").containsKey("b");
                });
    }

    @BeforeEach
    void connect() {
        awaitTogether(one, other);
    }

    @AfterEach
    void close() {
        one.close();
        other.close();
    }

    @Override
    public Cache cache() {
        return one;
    }

    @Test
    void whatOneServerPutsTheOtherGets() {
        one.put("shared", "a", "1");

        assertThat(other.all("shared")).isEqualTo(Map.of("a", "1"));
    }

    @Test
    void whatOneServerTellsTheOtherHears() {
        var heard = new CopyOnWriteArrayList<String>();
        other.hear(heard::add);

        one.tell("hello");

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(heard).containsExactly("hello"));
    }

    @Test
    void anotherDatabaseIsAnotherWorld() {
        var heard = new CopyOnWriteArrayList<String>();
        var elsewhere = open(address.replaceFirst("/\\d+$", "/0"));
        elsewhere.hear(heard::add);
        awaitTogether(elsewhere, elsewhere);

        one.put("shared", "a", "1");
        one.tell("hello");

        assertThat(elsewhere.all("shared")).isEmpty();
        assertThat(heard).isEmpty();
        elsewhere.close();
    }

    @Test
    void aServerWithoutRedisGoesOnByItselfAndFindsItWhenItComes() {
        var redis = new RedisProcess("requirepass very-secret");
        var port = redis.port();
        redis.close();
        var mine =
                open(
                        new CacheAddress(
                                Secret.written("address", "127.0.0.1:" + port),
                                Secret.written("password", "very-secret"),
                                ""));

        mine.put("alone", "a", "1");
        mine.tell("nobody hears");
        assertThat(mine.all("alone")).isEqualTo(Map.of("a", "1"));
        assertThat(mine.answers()).isFalse();

        try (var _ = new RedisProcess(port, "requirepass very-secret");
                var theirs = open("redis://:very-secret@127.0.0.1:" + port)) {
            awaitTogether(mine, theirs);
            assertThat(mine.answers()).isTrue();
            mine.close();
        }
    }

    @Test
    void whatIsLongIsNotKeptHereTooAsLongAsRedisTakesIt() {
        var redis = new RedisProcess();
        try (var mine = open("127.0.0.1:" + redis.port())) {
            awaitTogether(mine, mine);
            mine.put("h", "short", "1");
            mine.put("h", "long", "x".repeat(100_000));
            assertThat(mine.fields("h")).containsExactlyInAnyOrder("short", "long");

            redis.close();

            await().atMost(PATIENCE).until(() -> !mine.answers());
            assertThat(mine.all("h")).isEqualTo(Map.of("short", "1"));
            mine.put("h", "long", "x".repeat(100_000));
            assertThat(mine.fields("h")).containsExactlyInAnyOrder("short", "long");
        }
    }

    /// As at a Redis whose other clients leave room for one more.
    @Test
    void triesThatFailHalfwayLeaveNoSubscriptionBehind() {
        try (var redis = new RedisProcess("maxclients 2");
                var client = RedisClient.create("redis://127.0.0.1:" + redis.port());
                var watching = client.connect();
                var mine = open("127.0.0.1:" + redis.port())) {
            var ask = watching.sync();
            await().atMost(PATIENCE)
                    .until(() -> !ask.info("stats").contains("rejected_connections:0"));
            await().atMost(PATIENCE)
                    .until(() -> !ask.info("stats").contains("rejected_connections:1\r"));

            ask.configSet("maxclients", "100");
            await().atMost(PATIENCE).until(mine::answers);

            assertThat(ask.pubsubNumsub("pipecd:changes:0")).containsEntry("pipecd:changes:0", 1L);
        }
    }

    @Test
    void thatRedisGoesAndComesBackIsNoticedWithoutAskingIt() {
        var redis = new RedisProcess();
        try (var mine = open("127.0.0.1:" + redis.port())) {
            await().atMost(PATIENCE).until(mine::answers);

            redis.close();
            await().atMost(PATIENCE).until(() -> !mine.answers());

            try (var _ = new RedisProcess(redis.port())) {
                await().atMost(PATIENCE).until(mine::answers);
            }
        }
    }

    @Test
    void aRedisBehindTlsIsReachedWithItsPasswordAndInItsDatabase(@TempDir Path folder)
            throws Exception {
        var certificate = TestCertificate.in(folder);
        try (var redis = new RedisProcess("requirepass very-secret");
                var relay = new TlsRelay(certificate, redis.port());
                var secure =
                        open(
                                new CacheAddress(
                                        Secret.written(
                                                "address",
                                                "rediss://:very-secret@localhost:%d/3"
                                                        .formatted(relay.port())),
                                        Secret.none(),
                                        certificate.certificate().getPath()));
                var inTheSame = open("redis://:very-secret@127.0.0.1:" + redis.port() + "/3");
                var inAnother = open("redis://:very-secret@127.0.0.1:" + redis.port())) {
            awaitTogether(secure, inTheSame);
            awaitTogether(inAnother, inAnother);

            secure.put("shared", "a", "1");

            assertThat(inTheSame.all("shared")).isEqualTo(Map.of("a", "1"));
            assertThat(inAnother.all("shared")).isEmpty();
        }
    }

    @Test
    void aServerNobodyVouchesForIsNotTrusted(@TempDir Path folder) throws Exception {
        var limit = Duration.ofSeconds(30);
        try (var relay = new TlsRelay(TestCertificate.in(folder), RedisProcess.sharedPort())) {
            var address =
                    new CacheAddress(
                            Secret.written("address", "rediss://localhost:" + relay.port()),
                            Secret.none(),
                            "");

            assertThatThrownBy(() -> CacheLook.at(address, "p", limit, InstantSource.system()))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "cache: localhost:%d (expected: a Redis that lets us in)"
                                    .formatted(relay.port()));
        }
    }

    @Test
    void aWrongPasswordIsTold() {
        try (var redis = new RedisProcess("requirepass very-secret")) {
            var address =
                    new CacheAddress(
                            Secret.written("address", "127.0.0.1:" + redis.port()),
                            Secret.written("password", "guessed"),
                            "");

            assertThatThrownBy(() ->
                            CacheLook.at(
                                    address, "p", Duration.ofSeconds(30), InstantSource.system()))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            problem ->
                                    assertThat(problem.told())
                                            .contains("WRONGPASS")
                                            .doesNotContain("guessed"));
        }
    }

    @Test
    void whoAnsweredIsCounted() {
        one.put("counted", "a", "1");
        var known = one.reads().count(CacheReads.Source.REDIS, true);
        var unknown = one.reads().count(CacheReads.Source.REDIS, false);

        var _ = one.all("counted");
        var _ = one.all("never put");

        assertThat(one.reads().count(CacheReads.Source.REDIS, true)).isEqualTo(known + 1);
        assertThat(one.reads().count(CacheReads.Source.REDIS, false)).isEqualTo(unknown + 1);
        assertThat(one.reads().count(CacheReads.Source.INMEMORY, true)).isZero();
    }

    @Test
    void anAddressThatIsNoneIsToldWithoutItsPassword() {
        for (var wrong :
                List.of("http://host:1", "redis://", "redis://h/x", "redis://u:p w@h", "a b"))
            assertThatThrownBy(() -> open(wrong))
                    .as(wrong)
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "cache address: not understood (expected: host:port, redis://host:port/db or"
                                    + " rediss://user:password@host:port/db)");
    }

    @Test
    void allPartsOfAnAddressAreTaken() {
        var place =
                new CacheAddress(
                                Secret.written(
                                        "address", "rediss://ann:p%40ss@cache.example:6380/3"),
                                Secret.none(),
                                "")
                        .place();

        assertThat(place)
                .isEqualTo(new CacheAddress.Place("cache.example", 6380, true, 3, "ann", "p@ss"));
        assertThat(place.toString()).doesNotContain("p@ss");
    }
}
