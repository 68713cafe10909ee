// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.controlplane.store.CommandTable;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.DeploymentTable;
import dev.pipecd.controlplane.store.Trail;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A bucket whose end nobody sees, and a turn that ends.
final class LongListingsTest {
    private static final Instant NOON = Instant.parse("2026-11-15T12:00:00Z");

    @TempDir private Path folder;
    private final TestClock clock = new TestClock(NOON);
    private final EndlessFiles files = new EndlessFiles();
    private final AtomicInteger asked = new AtomicInteger();
    private final Turn threeTimes = () -> asked.incrementAndGet() <= 3;
    private Database database;

    @BeforeEach
    void open() {
        database = Database.open(folder.resolve("pipecd.db"));
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void whoLosesTheTurnReadsNoMoreOfTheLogs() {
        var deployments = new DeploymentTable(database, new Trail(database), clock);
        var logs = new OldLogs(files, deployments, NOON.getEpochSecond());

        assertThatThrownBy(() -> logs.delete(threeTimes)).isInstanceOf(Turn.Over.class);

        assertThat(files.told).hasValue(4);
    }

    @Test
    void whoLosesTheTurnReadsNoMoreOfWhatCommandsProduced() {
        var table = new CommandTable(database, new Trail(database), clock);
        var commands = new Commands(table, files, () -> "id", clock);

        assertThatThrownBy(() -> commands.forgetOutputs(threeTimes)).isInstanceOf(Turn.Over.class);

        assertThat(files.told).hasValue(4);
    }

    /// Everything in it is young.
    private static final class EndlessFiles implements FileStore {
        final AtomicInteger told = new AtomicInteger();

        @Override
        public void put(FilePath path, byte[] content) {}

        @Override
        public Optional<byte[]> get(FilePath path) {
            return Optional.empty();
        }

        @Override
        public void delete(FilePath path) {}

        @Override
        public void list(FilePath folder, Consumer<Listed> each) {
            for (var i = 0; i < 1_000_000; i++) {
                told.incrementAndGet();
                each.accept(new Listed(FilePath.of("log", "d" + i), NOON));
            }
        }
    }
}
