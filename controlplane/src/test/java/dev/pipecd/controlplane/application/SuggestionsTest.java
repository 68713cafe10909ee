// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.World;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.model.ApplicationInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What many agents of a project found and nobody registered.
final class SuggestionsTest {
    private static final Caller ADMIN = World.person(World.HERE, "Admin");

    @TempDir private Path folder;
    private final SlowFilesFake files = new SlowFilesFake();
    private World world;
    private Suggestions suggestions;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        suggestions = new Suggestions(world.features.pipeds(), files);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private Caller.Agent agent(int number) {
        return new Caller.Agent(
                World.HERE, world.features.pipeds().register(ADMIN, "agent-" + number, "").id());
    }

    private void told(Caller.Agent agent, int applications, int length) {
        var found = new ArrayList<ApplicationInfo>();
        for (var n = 0; n < applications; n++)
            found.add(
                    ApplicationInfo.newBuilder()
                            .setPath("%03d".formatted(n))
                            .setName("x".repeat(length))
                            .build());
        suggestions.replace(agent, found);
    }

    @Test
    void thoseOfManyAgentsAreReadSideBySide() {
        var agents = new ArrayList<PipedId>();
        for (var n = 0; n < 48; n++) {
            var agent = agent(n);
            agents.add(agent.piped());
            if (n % 2 == 0) told(agent, 3, 1);
        }
        files.readBySixteen = true;

        var found = suggestions.list(ADMIN);

        assertThat(found).hasSize(3 * 24);
        assertThat(found)
                .extracting(ApplicationInfo::getPath)
                .isSorted()
                .containsAll(List.of("000", "001", "002"));
        assertThat(found)
                .extracting(ApplicationInfo::getPipedId)
                .isSubsetOf(agents.stream().map(PipedId::value).toList());
    }

    @Test
    void ofOneThatTellsWithoutEndAsMuchIsKeptAsThereIsRoomFor() {
        var agent = agent(1);

        told(agent, 17, 100 << 10);

        assertThat(suggestions.list(ADMIN))
                .extracting(ApplicationInfo::getPath)
                .hasSize(10)
                .startsWith("000", "001")
                .endsWith("009");
        told(agent, 1, 1);
        assertThat(suggestions.list(ADMIN)).hasSize(1);
    }

    @Test
    void whatManyTellIsListedAsFarAsThereIsRoom() {
        for (var n = 0; n < 20; n++) told(agent(n), 1, 1000 << 10);
        told(agent(20), 1, 1);

        assertThat(suggestions.list(ADMIN))
                .hasSizeBetween(16, 18)
                .extracting(ApplicationInfo::getName)
                .contains("x");
    }

    /// Its reads end when sixteen are under way, if that is asked for.
    private static final class SlowFilesFake implements FileStore {
        private final Map<FilePath, byte[]> content = new ConcurrentHashMap<>();
        private final CyclicBarrier sixteen = new CyclicBarrier(16);
        private volatile boolean readBySixteen;

        @Override
        public void put(FilePath path, byte[] put) {
            content.put(path, put);
        }

        @Override
        public Optional<byte[]> get(FilePath path) {
            try {
                if (readBySixteen) sixteen.await(1, TimeUnit.MINUTES);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
            return Optional.ofNullable(content.get(path));
        }

        @Override
        public void delete(FilePath path) {
            content.remove(path);
        }

        @Override
        public void list(FilePath folder, Consumer<Listed> each) {
            throw new UnsupportedOperationException();
        }
    }
}
