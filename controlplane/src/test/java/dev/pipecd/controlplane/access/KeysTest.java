// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.Secret;
import dev.pipecd.controlplane.World;
import dev.pipecd.controlplane.cache.Cache;
import dev.pipecd.controlplane.cache.CacheAddress;
import dev.pipecd.controlplane.cache.CacheReads;
import dev.pipecd.controlplane.cache.InProcessCache;
import dev.pipecd.controlplane.cache.RedisProcess;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.store.ApiKeyTable;
import dev.pipecd.controlplane.store.Trail;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.stored.StoredAPIKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeysTest {
    private static final Caller ADMIN = World.person(HERE, "Admin");

    @TempDir Path folder;
    private World world;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void refused(PipedId piped, String key) {
        assertThatThrownBy(() -> world.features.pipedKeys().verify(HERE, piped, key))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> assertThat(p.code()).isEqualTo(Problem.Code.UNAUTHENTICATED))
                .hasMessage("Unauthenticated");
    }

    private void accepted(PipedId piped, String key) {
        assertThat(world.features.pipedKeys().verify(HERE, piped, key))
                .isEqualTo(new Caller.Agent(HERE, piped));
    }

    @Test
    void anAgentIsKnownByItsKeyUntilItIsDisabled() {
        var east = world.features.pipeds().register(ADMIN, "east", "");
        accepted(east.id(), east.key());
        accepted(east.id(), east.key());

        world.features.pipeds().disable(ADMIN, east.id());
        refused(east.id(), east.key());

        world.features.pipeds().enable(ADMIN, east.id());
        accepted(east.id(), east.key());
    }

    @Test
    void aKeyOfAnotherAgentProjectOrNobodyIsRefused() {
        var east = world.features.pipeds().register(ADMIN, "east", "");
        var west = world.features.pipeds().register(ADMIN, "west", "");
        accepted(west.id(), west.key());

        refused(east.id(), west.key());
        refused(new PipedId("nobody"), east.key());
        refused(east.id(), "");
        refused(east.id(), "x".repeat(5000));
        for (var project : new String[] {"elsewhere", "unknown"})
            assertThatThrownBy(() ->
                            world.features
                                    .pipedKeys()
                                    .verify(new ProjectId(project), east.id(), east.key()))
                    .hasMessage("Unauthenticated");
    }

    @Test
    void twoKeysWorkSideBySideUntilTheOldOneIsDeleted() {
        var pipeds = world.features.pipeds();
        var east = pipeds.register(ADMIN, "east", "");
        var second = pipeds.recreateKey(ADMIN, east.id());
        accepted(east.id(), east.key());
        accepted(east.id(), second);
        assertThatThrownBy(() -> pipeds.recreateKey(ADMIN, east.id()))
                .hasMessage("keys: 2 (expected: fewer than 2)");

        pipeds.deleteOldKeys(ADMIN, east.id());

        refused(east.id(), east.key());
        accepted(east.id(), second);
    }

    @Test
    void aWrongKeyAThousandTimesDoesNotLockOutTheRightOne() {
        var east = world.features.pipeds().register(ADMIN, "east", "");

        for (var i = 0; i < 1000; i++) refused(east.id(), "wrong-key-" + i % 3);

        accepted(east.id(), east.key());
    }

    @Test
    void agentsAreListedWithoutTheirHashes() {
        world.features.pipeds().register(ADMIN, "east", "");

        assertThat(world.features.pipeds().list(ADMIN))
                .singleElement()
                .satisfies(p -> assertThat(p.getKeys(0).getHash()).isEqualTo("redacted"))
                .extracting(Piped::getStatus)
                .isEqualTo(Piped.ConnectionStatus.UNKNOWN);
    }

    @Test
    void anApiKeyIsKnownUntilItIsDisabledAndIsNeverShownAgain() {
        var keys = world.features.apiKeys();
        var key = keys.generate(ADMIN, "robot", APIKey.Role.READ_WRITE);
        assertThat(key).matches("[0-9a-f-]{36}\\.[a-z0-9]{32}");
        var id = key.substring(0, 36);

        assertThat(keys.verify(key)).isEqualTo(new Caller.KeyHolder(HERE, id, "robot", true));
        assertThat(keys.list(ADMIN))
                .singleElement()
                .satisfies(k -> {
                    assertThat(k.getKeyHash()).isEqualTo("redacted");
                    assertThat(k.getLastUsedAt()).isEqualTo(world.now.get().getEpochSecond());
                });

        keys.disable(ADMIN, id);
        assertThatThrownBy(() -> keys.verify(key)).hasMessage("Unauthenticated");
    }

    @Test
    void aTextThatIsNoApiKeyIsRefused() {
        var keys = world.features.apiKeys();
        var key = keys.generate(ADMIN, "robot", APIKey.Role.READ_ONLY);

        for (var wrong :
                new String[] {"", ".", "a.b", key + "x", key + ".x", key.replace('.', '-')})
            assertThatThrownBy(() -> keys.verify(wrong)).hasMessage("Unauthenticated");
        assertThat(keys.verify(key).mayWrite()).isFalse();
    }

    @Test
    void whenAKeyWasLastUsedIsKeptEveryTenMinutes() {
        var keys = world.features.apiKeys();
        var key = keys.generate(ADMIN, "robot", APIKey.Role.READ_ONLY);
        var first = world.now.get();
        keys.verify(key);

        world.now.set(first.plus(Duration.ofMinutes(9)));
        keys.verify(key);
        assertThat(keys.list(ADMIN).getFirst().getLastUsedAt()).isEqualTo(first.getEpochSecond());

        world.now.set(first.plus(Duration.ofMinutes(10)));
        keys.verify(key);
        assertThat(keys.list(ADMIN).getFirst().getLastUsedAt())
                .isEqualTo(first.plus(Duration.ofMinutes(10)).getEpochSecond());
    }

    @Test
    void aKeyThatWasNeverUsedIsListedWithoutItsHash() {
        var keys = world.features.apiKeys();
        var _ = keys.generate(ADMIN, "robot", APIKey.Role.READ_ONLY);

        assertThat(keys.list(ADMIN).getFirst().getKeyHash()).isEqualTo("redacted");
    }

    @Test
    void aKeyWithAnEndIsGoodUntilThen() {
        var keys = world.features.apiKeys();
        var end = world.now.get().plus(Duration.ofHours(1));
        var key = keys.generate(ADMIN, "robot", APIKey.Role.READ_ONLY, end.getEpochSecond());
        var _ = keys.generate(ADMIN, "for ever", APIKey.Role.READ_ONLY);

        assertThat(keys.expiries(ADMIN))
                .containsExactly(Map.entry(key.substring(0, 36), end.getEpochSecond()));
        world.now.set(end.minusSeconds(1));
        assertThat(keys.verify(key).name()).isEqualTo("key:robot");
        world.now.set(end);
        assertThatThrownBy(() -> keys.verify(key)).hasMessage("Unauthenticated");
    }

    /// It writes the documents of keys now and then, and drops what it does not know.
    @Test
    void anEndOutlivesThePublicServer() {
        var keys = world.features.apiKeys();
        var end = world.now.get().plus(Duration.ofHours(1));
        var key = keys.generate(ADMIN, "robot", APIKey.Role.READ_ONLY, end.getEpochSecond());

        writtenByThePublicServer(key);
        var back = startedAnew();
        assertThat(back.expiries(ADMIN)).isEmpty();
        assertThat(back.verify(key).name()).isEqualTo("key:robot");
        assertThat(back.expiries(ADMIN)).containsValue(end.getEpochSecond());

        writtenByThePublicServer(key);
        world.now.set(end);
        var later = startedAnew();
        assertThatThrownBy(() -> later.verify(key)).hasMessage("Unauthenticated");
        assertThatThrownBy(() -> later.verify(key.replaceFirst("_.*", "_zzzzzzzz")))
                .hasMessage("Unauthenticated");
    }

    private void writtenByThePublicServer(String key) {
        var _ =
                table().update(
                                key.substring(0, 36),
                                "ops",
                                k ->
                                        new Edit.Changed<>(
                                                k.toBuilder().clearExpiresAt().build(), "used"));
    }

    private ApiKeyTable table() {
        var database = world.features.stores().database();
        return new ApiKeyTable(database, new Trail(database), world.now::get);
    }

    private ApiKeys startedAnew() {
        return new ApiKeys(
                table(),
                _ -> Optional.of(new Accounts.StaticAdmin("admin", "hash")),
                new KeyMatches(world.now::get),
                KeyMatches::hash,
                () -> "00000000-0000-4000-8000-000000000002",
                new InProcessCache(),
                world.now::get);
    }

    @Test
    void aKeyIsNotMadeForTheTimeThatIsOver() {
        var past = world.now.get().getEpochSecond();

        assertThatThrownBy(() ->
                        world.features
                                .apiKeys()
                                .generate(ADMIN, "robot", APIKey.Role.READ_ONLY, past))
                .hasMessageStartingWith("expires_at: 2026-11-01T12:00:00Z");
    }

    @Test
    void keysAreKeptAsThePublicServerKeepsThem() {
        assertThat(KeyMatches.hash("key")).startsWith("$2a$10$");
    }

    @Test
    void aGoodKeyIsGoodWhileItsUseCannotBeNoted() {
        var keys = keys(new InProcessCache());
        var key = keys.generate(ADMIN, "robot", APIKey.Role.READ_ONLY);

        assertThat(keys.verify(key).name()).isEqualTo("key:robot");
    }

    /// The public server refuses it then.
    @Test
    void aGoodKeyIsGoodWhileTheCacheFails() {
        var keys = keys(new FailingCache());
        var key = keys.generate(ADMIN, "robot", APIKey.Role.READ_ONLY);

        assertThat(keys.verify(key).name()).isEqualTo("key:robot");
    }

    /// Redis dies between two calls.
    @Test
    void aGoodKeyIsGoodWhenRedisIsGone() {
        var redis = new RedisProcess();
        var address = Secret.written("address", "redis://127.0.0.1:" + redis.port());
        try (var cache = new CacheAddress(address, Secret.none(), "").open()) {
            var keys = keys(cache);
            var key = keys.generate(ADMIN, "robot", APIKey.Role.READ_ONLY);
            assertThat(keys.verify(key).name()).isEqualTo("key:robot");

            redis.close();

            assertThat(keys.verify(key).name()).isEqualTo("key:robot");
        }
    }

    private ApiKeys keys(Cache cache) {
        return new ApiKeys(
                new ReadOnlyKeys(),
                _ -> Optional.of(new Accounts.StaticAdmin("admin", "hash")),
                new KeyMatches(world.now::get),
                KeyMatches::hash,
                () -> "00000000-0000-4000-8000-000000000001",
                cache,
                world.now::get);
    }

    /// As one whose client is shutting down.
    private static final class FailingCache implements Cache {
        @Override
        public void put(String hash, String field, String value) {
            throw new IllegalStateException("closed");
        }

        @Override
        public Map<String, String> all(String hash) {
            throw new IllegalStateException("closed");
        }

        @Override
        public void remove(String hash, String field) {
            throw new IllegalStateException("closed");
        }

        @Override
        public boolean answers() {
            return false;
        }

        @Override
        public CacheReads reads() {
            return new CacheReads();
        }

        @Override
        public void tell(String message) {}

        @Override
        public void hear(Consumer<String> listener) {}

        @Override
        public void close() {}
    }

    /// Keeps what is added and takes no change of it.
    private static final class ReadOnlyKeys implements ApiKeyStore {
        private final Map<String, StoredAPIKey> keys = new HashMap<>();

        @Override
        public Optional<StoredAPIKey> find(String id) {
            return Optional.ofNullable(keys.get(id));
        }

        @Override
        public Collection<StoredAPIKey> of(ProjectId project) {
            return keys.values();
        }

        @Override
        public void add(StoredAPIKey added, String actor) {
            keys.put(added.getId(), added);
        }

        @Override
        public Optional<StoredAPIKey> update(
                String id, String actor, Function<StoredAPIKey, Edit<StoredAPIKey>> edit) {
            throw new IllegalStateException("the disk is full");
        }
    }
}
