// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.cache.Cache;
import dev.pipecd.controlplane.cache.CacheReads;
import dev.pipecd.controlplane.piped.PipedHealth;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.health.GetPipedHealthRequest;
import dev.pipecd.wire.health.GetPipedHealthResponse;
import dev.pipecd.wire.health.HealthServiceGrpc;
import dev.pipecd.wire.health.Part;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PipedHealthTest {
    private static final PipedHealth.Part DOWN =
            new PipedHealth.Part("plugin", "wait", false, "starting", "Wait.");

    private static final String HASH = "pipecd:piped:health";

    @TempDir Path folder;
    private World world;
    private Samples.Home here;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        here = Samples.home(world, World.HERE);
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void peopleSeeWhatTheAgentTold() {
        world.features.health().told(here.agent(), List.of(DOWN));

        assertThat(asked())
                .isEqualTo(
                        GetPipedHealthResponse.newBuilder()
                                .setToldAt(world.now.get().getEpochSecond())
                                .addParts(
                                        Part.newBuilder()
                                                .setKind("plugin")
                                                .setName("wait")
                                                .setDetail("starting")
                                                .setAdvice("Wait."))
                                .build());
    }

    @Test
    void whatIsOldIsNotShownAsIfItWereTrue() {
        world.features.health().told(here.agent(), List.of(DOWN));

        world.now.updateAndGet(now -> now.plus(Duration.ofMinutes(4)));

        assertThat(asked()).isEqualTo(GetPipedHealthResponse.getDefaultInstance());
    }

    @Test
    void anAgentThatToldNothingHasNoParts() {
        assertThat(asked()).isEqualTo(GetPipedHealthResponse.getDefaultInstance());
    }

    @Test
    void whatIsTooMuchIsLeftOut() {
        var wordy = new PipedHealth.Part("plugin", "wait", true, "x".repeat(10_000), "");
        world.features.health().told(here.agent(), Collections.nCopies(2_000, wordy));

        assertThat(asked().getPartsList())
                .hasSize(32)
                .allSatisfy(part -> assertThat(part.getDetail()).hasSize(2_001));
    }

    @Test
    void tooManyPartsAreLeftOutHoweverShort() {
        var terse = new PipedHealth.Part("p", "w", true, "", "");
        world.features.health().told(here.agent(), Collections.nCopies(2_000, terse));

        assertThat(asked().getPartsList()).hasSize(500);
    }

    @Test
    void whatManyAgentsOfOneProjectTellCannotFillTheCacheAndTakesNothingFromOthers() {
        var elsewhere = Samples.home(world, World.ELSEWHERE).agent();
        world.features.health().told(elsewhere, List.of(DOWN));
        var wordy = new PipedHealth.Part("plugin", "wait", true, "x".repeat(2_000), "");
        for (var n = 0; n < 1_000; n++)
            world.features
                    .health()
                    .told(
                            World.agent(World.HERE, new PipedId("p" + n)),
                            Collections.nCopies(32, wordy));

        var kept = world.features.stores().cache().all(HASH);

        assertThat(kept.values().stream().mapToLong(String::length).sum()).isLessThan(32 << 20);
        assertThat(kept).containsKeys(elsewhere.piped().value(), "p999").doesNotContainKey("p0");
    }

    @Test
    void onlyWhatThisAgentToldIsReadHoweverMuchOthersTold() {
        var cache = new OneByOne(world.features.stores().cache());
        var health = new PipedHealth(world.features.pipeds(), cache, world.now::get);
        health.told(here.agent(), List.of(DOWN));

        assertThat(health.of(World.person(World.HERE, "Viewer"), here.piped()).parts())
                .containsExactly(DOWN);
    }

    @Test
    void whatAnAgentToldThatHasBeenGoneForADayIsDropped() {
        var cache = world.features.stores().cache();
        world.features.health().told(here.agent(), List.of(DOWN));
        cache.put(HASH, "nonsense", "{");

        world.now.updateAndGet(now -> now.plus(Duration.ofHours(24)));
        world.features.health().forget();
        assertThat(cache.all(HASH)).containsOnlyKeys(here.piped().value());
        world.now.updateAndGet(now -> now.plus(Duration.ofSeconds(1)));
        world.features.health().forget();

        assertThat(cache.all(HASH)).isEmpty();
    }

    private GetPipedHealthResponse asked() {
        return HealthServiceGrpc.newBlockingStub(world.as(World.person(World.HERE, "Viewer")))
                .getPipedHealth(
                        GetPipedHealthRequest.newBuilder()
                                .setPipedId(here.agent().piped().value())
                                .build());
    }

    /// A cache that does not tell all of a hash.
    private record OneByOne(Cache cache) implements Cache {
        @Override
        public Map<String, String> all(String hash) {
            throw new AssertionError("all of " + hash + " was asked for");
        }

        @Override
        public Optional<String> get(String hash, String field) {
            return cache.get(hash, field);
        }

        @Override
        public void put(String hash, String field, String value) {
            cache.put(hash, field, value);
        }

        @Override
        public void remove(String hash, String field) {
            cache.remove(hash, field);
        }

        @Override
        public boolean answers() {
            return cache.answers();
        }

        @Override
        public CacheReads reads() {
            return cache.reads();
        }

        @Override
        public void tell(String message) {
            cache.tell(message);
        }

        @Override
        public void hear(Consumer<String> listener) {
            cache.hear(listener);
        }

        @Override
        public void close() {}
    }
}
