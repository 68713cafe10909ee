// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.controlplane.filestore.LocalFiles;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.controlplane.retention.Retention;
import dev.pipecd.controlplane.retention.Stores;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentChain;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// What is deleted when, on every engine.
@ParameterizedClass
@EnumSource(TestEngine.class)
class RetentionContractTest {
    private static final ProjectId PROJECT = new ProjectId("here");
    private static final long NOW = 1_800_000_000;
    private static final long OLD = NOW - Duration.ofDays(100).toSeconds();
    private static final long YOUNG = NOW - Duration.ofDays(10).toSeconds();
    private static final Duration KEPT = Duration.ofDays(30);
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochSecond(NOW));

    private final Replicas replicas;
    private final DeploymentTable deployments;
    private final EventTable events;
    private final CommandTable commands;
    private final ApplicationTable applications;
    private final ChainTable chains;
    private final LocalFiles files;
    @TempDir private static Path temporary;
    private final Path folder;

    RetentionContractTest(TestEngine engine) throws IOException {
        replicas = engine.replicas();
        var database = replicas.here();
        var trail = new Trail(database);
        deployments = new DeploymentTable(database, trail, CLOCK);
        events = new EventTable(database, trail, CLOCK);
        commands = new CommandTable(database, trail, CLOCK);
        applications = new ApplicationTable(database, trail, CLOCK);
        chains = new ChainTable(database, trail, CLOCK);
        folder = Files.createTempDirectory(temporary, "files");
        files = new LocalFiles(folder);
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    private Retention retention(FileStore store, ControlPlaneConfig.Retention policy) {
        return new Retention(
                new Stores(deployments, events, commands, applications, chains),
                store,
                () -> List.of(PROJECT),
                policy,
                CLOCK);
    }

    private static ControlPlaneConfig.Retention everything() {
        return new ControlPlaneConfig.Retention(KEPT, KEPT, KEPT, KEPT);
    }

    private static ControlPlaneConfig.Retention onlyDeployments() {
        return new ControlPlaneConfig.Retention(KEPT, Duration.ZERO, Duration.ZERO, Duration.ZERO);
    }

    private static Deployment.Builder deployment(String id, long completedAt) {
        var builder =
                Deployment.newBuilder()
                        .setId(id)
                        .setApplicationId("a1")
                        .setApplicationName("site")
                        .setPipedId("p1")
                        .setProjectId(PROJECT.value())
                        .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING);
        return completedAt == 0
                ? builder
                : builder.setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                        .setCompletedAt(completedAt);
    }

    private Path log(String deployment, long at) throws IOException {
        files.put(FilePath.of("log", deployment, "s1", "0.txt"), new byte[] {1});
        var file = folder.resolve("log").resolve(deployment).resolve("s1").resolve("0.txt");
        return Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(at)));
    }

    private boolean isThere(String deployment) {
        return deployments.find(new DeploymentId(deployment)).isPresent();
    }

    @Test
    void whatEndedLongAgoGoesWithItsLogsAndTheRestStays() throws IOException {
        deployments.add(deployment("d1", OLD).build(), "ann");
        deployments.add(deployment("d2", YOUNG).build(), "ann");
        deployments.add(deployment("d3", 0).build(), "ann");
        log("d1", OLD);
        var young = log("d2", YOUNG);
        var running = log("d3", OLD);

        retention(files, everything()).apply(Turn.ALWAYS);

        assertThat(Stream.of("d1", "d2", "d3").filter(this::isThere)).containsExactly("d2", "d3");
        assertThat(folder.resolve("log").resolve("d1")).doesNotExist();
        assertThat(young).exists();
        assertThat(running).exists();
    }

    @Test
    void moreThanAPageOfThemGo() {
        for (var i = 0; i < 450; i++)
            deployments.add(deployment("d" + i, OLD + i / 100).build(), "ann");

        retention(files, onlyDeployments()).apply(Turn.ALWAYS);

        assertThat(deployments.ended(NOW, dev.pipecd.controlplane.paging.Cursor.START, 10))
                .isEmpty();
    }

    @Test
    void whatAnApplicationOrALiveChainGoesByStays() {
        var application =
                Application.newBuilder()
                        .setId("a1")
                        .setName("site")
                        .setPipedId("p1")
                        .setProjectId(PROJECT.value());
        application.getMostRecentlySuccessfulDeploymentBuilder().setDeploymentId("d1");
        application.getMostRecentlyTriggeredDeploymentBuilder().setDeploymentId("d2");
        applications.add(application.build(), "ann");
        chains.add(DeploymentChain.newBuilder().setId("n1").setProjectId("here").build(), "ann");
        deployments.add(deployment("d1", OLD).build(), "ann");
        deployments.add(deployment("d2", OLD).build(), "ann");
        deployments.add(deployment("d3", OLD).setDeploymentChainId("n1").build(), "ann");
        deployments.add(deployment("d4", OLD).build(), "ann");

        retention(files, everything()).apply(Turn.ALWAYS);

        assertThat(Stream.of("d1", "d2", "d3", "d4").filter(this::isThere))
                .containsExactly("d1", "d2", "d3");
    }

    @Test
    void dyingBetweenTheFilesAndTheRowLeavesARowThatIsFoundAgain() throws IOException {
        deployments.add(deployment("d1", OLD).build(), "ann");
        log("d1", OLD);
        var file = log("d2", OLD); // its row is gone already

        retention(new DyingFiles(files), onlyDeployments()).apply(Turn.ALWAYS);
        assertThat(isThere("d1")).isTrue();
        retention(files, everything()).apply(Turn.ALWAYS);

        assertThat(isThere("d1")).isFalse();
        assertThat(file).doesNotExist();
    }

    @Test
    void logsMayGoBeforeTheirDeployments() throws IOException {
        deployments.add(deployment("d1", OLD).build(), "ann");
        deployments.add(deployment("d2", 0).build(), "ann");
        var ended = log("d1", OLD);
        var waiting = log("d2", OLD);

        retention(
                        files,
                        new ControlPlaneConfig.Retention(
                                Duration.ZERO, KEPT, Duration.ZERO, Duration.ZERO))
                .apply(Turn.ALWAYS);

        assertThat(ended).doesNotExist();
        assertThat(waiting).exists();
        assertThat(isThere("d1")).isTrue();
    }

    @Test
    void ofEventsTheNewestOfEachKeyStays() {
        events.add(event("e1", "k1", OLD), "ann");
        events.add(event("e2", "k1", OLD + 1), "ann");
        events.add(event("e3", "k2", OLD), "ann");
        events.add(event("e4", "k2", YOUNG), "ann");

        retention(files, everything()).apply(Turn.ALWAYS);

        assertThat(Stream.of("e1", "e2", "e3", "e4").filter(e -> events.find(e).isPresent()))
                .containsExactly("e2", "e4");
    }

    private static Event event(String id, String key, long at) {
        return Event.newBuilder()
                .setId(id)
                .setName("image")
                .setProjectId(PROJECT.value())
                .setEventKey(key)
                .setCreatedAt(at)
                .build();
    }

    @Test
    void commandsNobodyCarriedOutStayAndOthersGoWithWhatTheyProduced() {
        commands.add(command("c1", CommandStatus.COMMAND_SUCCEEDED, OLD), "ann");
        commands.add(command("c2", CommandStatus.COMMAND_NOT_HANDLED_YET, OLD), "ann");
        commands.add(command("c3", CommandStatus.COMMAND_FAILED, YOUNG), "ann");
        files.put(FilePath.of("command-output", "c1.json"), new byte[] {1});

        retention(files, everything()).apply(Turn.ALWAYS);

        assertThat(
                        Stream.of("c1", "c2", "c3")
                                .filter(c -> commands.find(new CommandId(c)).isPresent()))
                .containsExactly("c2", "c3");
        assertThat(files.get(FilePath.of("command-output", "c1.json"))).isEmpty();
    }

    private static Command command(String id, CommandStatus status, long at) {
        return Command.newBuilder()
                .setId(id)
                .setPipedId("p1")
                .setProjectId(PROJECT.value())
                .setStatus(status)
                .setCreatedAt(at)
                .build();
    }

    @Test
    void withoutAPolicyNothingGoes() {
        deployments.add(deployment("d1", OLD).build(), "ann");
        commands.add(command("c1", CommandStatus.COMMAND_SUCCEEDED, OLD), "ann");

        retention(
                        files,
                        new ControlPlaneConfig.Retention(
                                Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO))
                .apply(Turn.ALWAYS);

        assertThat(isThere("d1")).isTrue();
        assertThat(commands.find(new CommandId("c1"))).isPresent();
    }

    @Test
    void whoseTurnItIsNoLongerDeletesNothingMore() {
        deployments.add(deployment("d1", OLD).build(), "ann");

        retention(files, everything()).apply(() -> false);

        assertThat(isThere("d1")).isTrue();
    }

    /// The process dies when it has deleted a file.
    private record DyingFiles(FileStore files) implements FileStore {
        @Override
        public void put(FilePath path, byte[] content) {
            files.put(path, content);
        }

        @Override
        public Optional<byte[]> get(FilePath path) {
            return files.get(path);
        }

        @Override
        public void delete(FilePath path) {
            files.delete(path);
            throw new IllegalStateException("killed");
        }

        @Override
        public void list(FilePath folder, Consumer<Listed> each) {
            files.list(folder, each);
        }
    }
}
