// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteFileTest {
    private static final ProjectId PROJECT = new ProjectId("here");

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
                .setPipedId("p1")
                .setProjectId(PROJECT.value())
                .setGitPath(ApplicationGitPath.newBuilder().setPath("folder/" + id))
                .build();
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

        assertThat(first.resolveSibling(".").toFile().list()).hasSize(Database.SCHEMA);
    }

    @Test
    void aFileOfANewerServerIsRefused() {
        database.write(transaction -> {
            transaction.prepare("PRAGMA user_version = 99").execute();
            return true;
        });
        database.close();

        assertThatThrownBy(() -> Database.open(folder.resolve("pipecd.db")))
                .hasMessageEndingWith(
                        "has schema 99 (expected: at most %d)".formatted(Database.SCHEMA));
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
