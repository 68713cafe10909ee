// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentsTest {
    private static final ProjectId PROJECT = new ProjectId("here");
    private static final PipedId PIPED = new PipedId("p1");
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));

    @TempDir Path folder;
    private Database database;
    private Trail trail;
    private ApplicationTable table;

    @BeforeEach
    void open() {
        database = Database.open(folder.resolve("pipecd.db"));
        trail = new Trail(database);
        table = new ApplicationTable(database, trail, CLOCK);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static Application application(String id) {
        return Application.newBuilder()
                .setId(id)
                .setName("name of " + id)
                .setPipedId(PIPED.value())
                .setProjectId(PROJECT.value())
                .setGitPath(ApplicationGitPath.newBuilder().setPath("folder/" + id))
                .build();
    }

    private static Edit<Application> counted(Application application) {
        var count = Integer.parseInt(application.getLabelsOrDefault("count", "0")) + 1;
        return new Edit.Changed<>(
                application.toBuilder().putLabels("count", "" + count).build(), "counted");
    }

    @Test
    void whatIsAddedIsFoundWithItsTimesFilledIn() {
        table.add(application("a1"), "ann");

        assertThat(table.find(new ApplicationId("a1")))
                .hasValue(
                        application("a1").toBuilder()
                                .setCreatedAt(1_800_000_000)
                                .setUpdatedAt(1_800_000_000)
                                .build());
        assertThat(table.find(new ApplicationId("a2"))).isEmpty();
    }

    @Test
    void ofThirtyTwoWritersToOneDocumentNoneIsLost() throws Exception {
        table.add(application("a1"), "ann");

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writes =
                    IntStream.range(0, 32)
                            .mapToObj(_ ->
                                    threads.submit(() -> {
                                        for (var i = 0; i < 25; i++)
                                            table.update(
                                                    new ApplicationId("a1"),
                                                    "ann",
                                                    DocumentsTest::counted);
                                    }))
                            .toList();
            for (var write : writes) write.get();
        }

        assertThat(table.find(new ApplicationId("a1")).orElseThrow().getLabelsMap())
                .isEqualTo(Map.of("count", "800"));
        assertThat(version("a1")).isEqualTo(801);
        assertThat(trail.since(PROJECT, 0, 1000)).hasSize(801);
    }

    private long version(String id) {
        return database.read(connection -> {
            try (var statement =
                    connection.prepareStatement("SELECT Version FROM Application WHERE Id = ?")) {
                statement.setString(1, id);
                try (var rows = statement.executeQuery()) {
                    return rows.getLong(1);
                }
            }
        });
    }

    @Test
    void aWriterThatFailsLeavesNothingAndDoesNotSpoilTheOthers() throws Exception {
        IntStream.range(0, 20).forEach(i -> table.add(application("a" + i), "ann"));

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writes =
                    IntStream.range(0, 20)
                            .mapToObj(i ->
                                    threads.submit(() ->
                                            table.update(
                                                    new ApplicationId("a" + i),
                                                    "ann",
                                                    a -> {
                                                        if (i % 2 == 1)
                                                            throw new IllegalStateException("odd");
                                                        return counted(a);
                                                    })))
                            .toList();
            for (var i = 0; i < 20; i++) {
                var write = writes.get(i);
                if (i % 2 == 1) assertThatThrownBy(write::get).hasRootCauseMessage("odd");
                else assertThat(write.get().orElseThrow().getLabelsMap()).hasSize(1);
            }
        }

        assertThat(trail.since(PROJECT, 20, 100)).hasSize(10);
        for (var i = 0; i < 20; i++)
            assertThat(table.find(new ApplicationId("a" + i)).orElseThrow().getLabelsCount())
                    .isEqualTo(1 - i % 2);
    }

    @Test
    void whoeverWroteBehindTheStoresBackIsNotOverwritten() {
        table.add(application("a1"), "ann");

        assertThatThrownBy(() ->
                        database.write(transaction -> {
                            transaction
                                    .prepare("UPDATE Application SET Version = 7 WHERE Id = 'a1'")
                                    .executeUpdate();
                            var written =
                                    transaction
                                            .prepare(
                                                    "UPDATE Application SET Data = '{}', Version = 2"
                                                            + " WHERE Id = ? AND Version = ?",
                                                    "a1",
                                                    1L)
                                            .executeUpdate();
                            throw new IllegalStateException("rows: " + written);
                        }))
                .hasMessage("rows: 0");
        assertThat(version("a1")).isEqualTo(1); // and the failed unit is undone as a whole
    }

    @Test
    void keysOfNewerSoftwareStayInTheRow() {
        table.add(application("a1"), "ann");
        database.write(transaction ->
                transaction
                        .prepare(
                                "UPDATE Application SET Data = json_set(Data, '$.newer', 'kept')"
                                        + " WHERE Id = 'a1'")
                        .executeUpdate());

        table.update(new ApplicationId("a1"), "ann", DocumentsTest::counted);

        String data =
                database.read(connection -> {
                    try (var statement = connection.createStatement();
                            var rows = statement.executeQuery("SELECT Data FROM Application")) {
                        return rows.getString(1);
                    }
                });
        assertThat(data).contains("\"newer\":\"kept\"", "\"_extra\":\"name of a1\"", "\"count\"");
    }

    @Test
    void theSecondOfOnePlaceIsAnsweredWithTheFirst() {
        table.add(application("a1"), "ann");
        var again = application("a1").toBuilder().setId("a2").build();

        assertThat(table.add(again, "ann")).map(Application::getId).hasValue("a1");
        assertThat(table.find(new ApplicationId("a2"))).isEmpty();
    }

    @Test
    void theAnswerFromMemoryIsNeverOlderThanTheLastAcknowledgedWrite() throws Exception {
        IntStream.range(0, 8).forEach(i -> table.add(application("a" + i), "ann"));

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writes =
                    IntStream.range(0, 8)
                            .mapToObj(i ->
                                    threads.submit(() -> {
                                        for (var n = 1; n <= 20; n++) {
                                            table.update(
                                                    new ApplicationId("a" + i),
                                                    "ann",
                                                    DocumentsTest::counted);
                                            assertThat(count("a" + i)).isEqualTo("" + n);
                                        }
                                    }))
                            .toList();
            for (var write : writes) write.get();
        }
    }

    private String count(String id) {
        return table.enabled(PIPED).stream()
                .filter(a -> a.getId().equals(id))
                .findFirst()
                .orElseThrow()
                .getLabelsOrDefault("count", "0");
    }

    @Test
    void aDocumentThatMovesToAnotherAgentLeavesTheFirst() {
        table.add(application("a1"), "ann");
        assertThat(table.enabled(PIPED)).hasSize(1);
        assertThat(table.enabled(new PipedId("p2"))).isEmpty();

        table.update(
                new ApplicationId("a1"),
                "ann",
                a -> new Edit.Changed<>(a.toBuilder().setPipedId("p2").build(), "moved"));

        assertThat(table.enabled(PIPED)).isEmpty();
        assertThat(table.enabled(new PipedId("p2"))).hasSize(1);
    }

    @Test
    void changesArePassedOnInTheOrderOfTheTrail() {
        var told = Collections.synchronizedList(new ArrayList<Change>());
        var changes = new Changes(trail);
        trail.passOnTo(changes::passOn);
        changes.listen(told::add);

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            IntStream.range(0, 50)
                    .forEach(i -> threads.submit(() -> table.add(application("a" + i), "ann")));
        }

        assertThat(told).isEqualTo(changes.since(PROJECT, 0, 100));
        assertThat(told.stream().map(Change::cursor).toList())
                .isEqualTo(IntStream.rangeClosed(1, 50).mapToObj(Long::valueOf).toList());
        assertThat(changes.latest()).isEqualTo(50);
    }

    @Test
    void pagesFollowOneAnotherWithoutGapsAlsoWithinOneSecond() {
        IntStream.range(10, 35).forEach(i -> table.add(application("a" + i), "ann"));
        var filter = ApplicationFilter.all(PROJECT);

        var seen = new ArrayList<String>();
        var cursor = Cursor.START;
        List<Application> page;
        while (!(page = table.list(filter, cursor, 10)).isEmpty()) {
            page.forEach(a -> seen.add(a.getId()));
            cursor = new Cursor(page.getLast().getUpdatedAt(), page.getLast().getId());
        }

        assertThat(seen).isEqualTo(IntStream.range(10, 35).mapToObj(i -> "a" + i).toList());
    }

    @Test
    void aSecondOwnerIsRefused() {
        assertThatThrownBy(() -> Database.open(folder.resolve("pipecd.db")))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "datastore: %s is in use (expected: a file no other server owns)"
                                .formatted(folder.resolve("pipecd.db")));
    }

    @Test
    void theSchemaKnownIsTheNewestMigration() throws Exception {
        var first = Path.of(Database.class.getResource("/db/sqlite/V1__documents.sql").toURI());

        assertThat(first.resolveSibling(".").toFile().list())
                .extracting(name -> Integer.parseInt(name.substring(1, name.indexOf("__"))))
                .contains(Database.SCHEMA)
                .allMatch(version -> version <= Database.SCHEMA);
    }

    @Test
    void aFileOfANewerServerIsRefused() {
        database.write(transaction -> {
            transaction.prepare("PRAGMA user_version = 99").execute();
            return true;
        });
        database.close();

        assertThatThrownBy(() -> Database.open(folder.resolve("pipecd.db")))
                .hasMessageEndingWith("has schema 99 (expected: at most 3)");
    }

    @Test
    void filesCopiedInTheMiddleOfWritingOpenWithAllThatWasAcknowledged() throws Exception {
        IntStream.range(0, 40).forEach(i -> table.add(application("a" + i), "ann"));
        var copy = Files.createDirectory(folder.resolve("copy"));
        for (var name : List.of("pipecd.db", "pipecd.db-wal"))
            Files.copy(folder.resolve(name), copy.resolve(name));

        try (var reopened = Database.open(copy.resolve("pipecd.db"))) {
            var found = new ApplicationTable(reopened, new Trail(reopened), CLOCK);

            assertThat(found.list(ApplicationFilter.all(PROJECT), Cursor.START, 100)).hasSize(40);
            assertThat(new Trail(reopened).latest()).isEqualTo(40);
        }
    }
}
