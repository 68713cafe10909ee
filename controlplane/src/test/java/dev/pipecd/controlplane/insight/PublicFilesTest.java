// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.controlplane.filestore.LocalFiles;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.controlplane.store.ApplicationTable;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.DeploymentTable;
import dev.pipecd.controlplane.store.Trail;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The files that the public server reads its figures from.
final class PublicFilesTest {
    private static final ProjectId PROJECT = new ProjectId("here");
    private static final long MINUTE_0 = 1_798_848_000; // of the second of January

    @TempDir private Path folder;
    private final TestClock clock = new TestClock(Instant.parse("2027-01-01T00:30:00Z"));
    private Database database;
    private DeploymentTable deployments;
    private ApplicationTable applications;
    private LocalFiles files;

    @BeforeEach
    void open() {
        database = Database.open(folder.resolve("pipecd.db"));
        var trail = new Trail(database);
        deployments = new DeploymentTable(database, trail, clock);
        applications = new ApplicationTable(database, trail, clock);
        files = new LocalFiles(folder.resolve("files"));
    }

    @AfterEach
    void close() {
        database.close();
    }

    private PublicFiles on(FileStore store) {
        return new PublicFiles(store, applications, deployments, () -> List.of(PROJECT), 3, clock);
    }

    private void completed(String id, String at) {
        deployments.add(
                Deployment.newBuilder()
                        .setId(id)
                        .setApplicationId("a1")
                        .setPipedId("p1")
                        .setProjectId(PROJECT.value())
                        .putLabels("env", "prod")
                        .setStatus(DeploymentStatus.DEPLOYMENT_FAILURE)
                        .setCreatedAt(1_700_000_000)
                        .setCompletedAt(Instant.parse(at).getEpochSecond())
                        .addStages(
                                PipelineStage.newBuilder()
                                        .setId("r1")
                                        .setName("ROLLBACK")
                                        .setStatus(StageStatus.STAGE_SUCCESS)
                                        .setCreatedAt(1_700_000_050))
                        .build(),
                "ann");
    }

    private String file(String path) throws IOException {
        return Files.readString(folder.resolve("files/insights").resolve(path));
    }

    @Test
    void applicationsAreToldAsThePublicServerTellsThem() throws IOException {
        applications.add(
                Application.newBuilder()
                        .setId("a1")
                        .setPipedId("p1")
                        .setProjectId("here")
                        .putLabels("env", "prod")
                        .setKindValue(1)
                        .setDisabled(true)
                        .build(),
                "ann");

        on(files).applications(Turn.ALWAYS);

        assertThat(file("here/applications/applications.json"))
                .isEqualTo(
                        "{\"applications\":[{\"id\":\"a1\",\"labels\":{\"env\":\"prod\"},\"kind\":\"TERRAFORM\",\"status\":\"DISABLED\"}],\"updated_at\":1798763400}");
    }

    @Test
    void deploymentsAreToldByYearInUtc() throws IOException {
        completed("d1", "2026-12-31T23:59:59Z");
        completed("d2", "2027-01-01T00:00:00Z");

        on(files).deployments(Turn.ALWAYS);

        assertThat(file("here/completed-deployments/block_2026/chunk_0.json"))
                .isEqualTo(
                        "{\"chunk_id\":\"chunk_0\",\"deployments\":[{\"id\":\"d1\",\"app_id\":\"a1\",\"labels\":{\"env\":\"prod\"},"
                                + "\"started_at\":1700000000,\"completed_at\":1798761599,\"complete_status\":\"DEPLOYMENT_FAILURE\",\"rollback_started_at\":1700000050}]}");
        assertThat(file("here/completed-deployments/block_2027/block_meta.json"))
                .isEqualTo(
                        "{\"block_id\":\"block_2027\",\"chunk_metadata\":[{\"chunk_id\":\"chunk_0\",\"chunk_index\":0,"
                                + "\"min_timestamp\":1798761600,\"max_timestamp\":1798761600,\"count\":1,\"completed\":false}]}");
        assertThat(file("milestone.json"))
                .isEqualTo("{\"deployment_completed_at_milestone\":1798763400}");
    }

    @Test
    void aFullChunkIsCompletedAndNeverTouchedAgain() throws IOException {
        for (var i = 0; i < 4; i++) completed("d" + i, "2027-01-01T00:0" + i + ":00Z");
        on(files).deployments(Turn.ALWAYS);
        var full = file("here/completed-deployments/block_2027/chunk_0.json");
        clock.pass(Duration.ofHours(1));
        completed("d9", "2027-01-01T00:00:30Z"); // told late by an agent that was away

        on(files).deployments(Turn.ALWAYS);

        assertThat(file("here/completed-deployments/block_2027/chunk_0.json")).isEqualTo(full);
        assertThat(ids("chunk_1")).containsExactly("d3", "d9");
        assertThat(file("here/completed-deployments/block_2027/block_meta.json"))
                .contains("\"count\":3,\"completed\":true", "\"count\":2,\"completed\":false");
    }

    /// The public server shows nothing for the days behind one that stands out of order.
    @Test
    void whatIsToldLateStandsWhereTheChunksStayInOrder() throws IOException {
        clock.pass(Duration.ofDays(2)); // the third of January
        for (var i = 0; i < 3; i++) completed("d" + i, "2027-01-02T00:0" + i + ":00Z");
        on(files).deployments(Turn.ALWAYS);
        completed("late", "2027-01-01T12:00:00Z");
        completed("d3", "2027-01-03T00:00:00Z");

        for (var run = 0; run < 2; run++) on(files).deployments(Turn.ALWAYS);

        assertThat(times("chunk_0")).containsExactly(MINUTE_0, MINUTE_0 + 60, MINUTE_0 + 120);
        assertThat(times("chunk_1")).containsExactly(MINUTE_0 + 120, MINUTE_0 + 86_400);
        assertThat(file("here/completed-deployments/block_2027/block_meta.json"))
                .contains("\"min_timestamp\":%d,".formatted(MINUTE_0 + 120));
    }

    @Test
    void whatIsToldDaysLaterIsWrittenOnce() throws IOException {
        on(files).deployments(Turn.ALWAYS);
        clock.pass(Duration.ofDays(9));
        completed("d1", "2027-01-09T00:00:00Z");
        on(files).deployments(Turn.ALWAYS);
        clock.pass(Duration.ofHours(2));
        completed("late", "2027-01-02T00:00:00Z");

        for (var run = 0; run < 2; run++) on(files).deployments(Turn.ALWAYS);

        assertThat(ids("chunk_0")).containsExactly("d1", "late");
    }

    @Test
    void theTrueEndOfALostDeploymentIsNotASecondOne() throws IOException {
        for (var i = 0; i < 3; i++) completed("d" + i, "2027-01-01T00:0" + i + ":00Z");
        completed("open", "2027-01-01T00:20:00Z");
        on(files).deployments(Turn.ALWAYS);
        clock.pass(Duration.ofDays(3));
        on(files).deployments(Turn.ALWAYS);
        ended("d1", "2027-01-02T00:00:00Z");
        ended("open", "2027-01-01T00:10:00Z");

        on(files).deployments(Turn.ALWAYS);

        assertThat(ids("chunk_0")).containsExactly("d0", "d1", "d2");
        assertThat(times("chunk_1"))
                .containsExactly(Instant.parse("2027-01-01T00:10:00Z").getEpochSecond());
    }

    private void ended(String id, String at) {
        deployments.update(
                new DeploymentId(id),
                "p1",
                d ->
                        new Edit.Changed<>(
                                d.toBuilder()
                                        .setCompletedAt(Instant.parse(at).getEpochSecond())
                                        .build(),
                                "corrected"));
    }

    @Test
    void aGapOfDaysLosesNothing() throws IOException {
        on(files).deployments(Turn.ALWAYS);
        completed("d1", "2027-01-02T00:00:00Z");
        clock.pass(Duration.ofDays(30));

        on(files).deployments(Turn.ALWAYS);

        assertThat(ids("chunk_0")).containsExactly("d1");
    }

    @Test
    void dyingAtAnyWriteTheNextRunEndsWithEachDeploymentOnce() throws IOException {
        for (var i = 0; i < 8; i++) completed("d" + i, "2027-01-01T00:0" + i + ":00Z");
        for (var writes = 0; writes < 4; writes++) {
            var dying = new DyingFiles(files, new AtomicInteger(writes));
            assertThatThrownBy(() -> on(dying).deployments(Turn.ALWAYS)).hasMessage("killed");
        }

        on(files).deployments(Turn.ALWAYS);

        var all = new TreeSet<String>();
        var count = 0;
        for (var chunk : List.of("chunk_0", "chunk_1", "chunk_2")) {
            all.addAll(ids(chunk));
            count += ids(chunk).size();
        }
        assertThat(all).containsExactly("d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7");
        assertThat(count).isEqualTo(8);
        assertThat(file("here/completed-deployments/block_2027/block_meta.json"))
                .contains("\"count\":2,\"completed\":false");
    }

    private List<Long> times(String chunk) throws IOException {
        return Pattern.compile("\"completed_at\":(\\d+)")
                .matcher(file("here/completed-deployments/block_2027/" + chunk + ".json"))
                .results()
                .map(found -> Long.valueOf(found.group(1)))
                .toList();
    }

    private List<String> ids(String chunk) throws IOException {
        return Pattern.compile("\"id\":\"(\\w+)\"")
                .matcher(file("here/completed-deployments/block_2027/" + chunk + ".json"))
                .results()
                .map(found -> found.group(1))
                .sorted()
                .toList();
    }

    /// The process dies instead of the write after so many.
    private record DyingFiles(FileStore files, AtomicInteger left) implements FileStore {
        @Override
        public void put(FilePath path, byte[] content) {
            if (left.getAndDecrement() == 0) throw new IllegalStateException("killed");
            files.put(path, content);
        }

        @Override
        public Optional<byte[]> get(FilePath path) {
            return files.get(path);
        }

        @Override
        public void delete(FilePath path) {
            files.delete(path);
        }

        @Override
        public void list(FilePath below, Consumer<Listed> each) {
            files.list(below, each);
        }
    }
}
