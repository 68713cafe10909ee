// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is remembered of a file that is ours alone, and when it is not believed.
class RecentRowsTest {
    @TempDir private Path folder;
    private Database database;
    private Documents<Application> documents;

    @BeforeEach
    void open() {
        database = Database.open(folder.resolve("data.db"));
        var kind =
                new DocumentKind<>(
                        "Application",
                        Application.getDefaultInstance(),
                        Change.Kind.APPLICATION,
                        "name",
                        "piped_id");
        var clock = InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));
        documents = new Documents<>(database, new Trail(database), kind, clock);
        documents.add(Replica.application("a1"), "ann", Where.NONE);
        count();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void aRowOfTheVersionThatWasWrittenLastIsNotTakenApartAgain() {
        write("UPDATE Application SET Data = json_set(Data, '$.labels.count', '7')");

        assertThat(count()).isEqualTo("2");
    }

    @Test
    void aRowOfAnotherVersionIsRead() {
        write(
                "UPDATE Application SET Data = json_set(Data, '$.labels.count', '7'),"
                        + " Version = Version + 1");

        assertThat(count()).isEqualTo("8");
    }

    @Test
    void whatWasNotCommittedIsNotRemembered() {
        write(
                "CREATE TRIGGER Full BEFORE INSERT ON `Change` BEGIN SELECT RAISE(ABORT, 'full'); END");
        assertThatThrownBy(this::count).isInstanceOf(Problem.class);
        write("DROP TRIGGER Full");
        write(
                "UPDATE Application SET Data = json_set(Data, '$.labels.count', '7'),"
                        + " Version = Version + 1");

        assertThat(count()).isEqualTo("8");
    }

    @Test
    void oneThatWasDeletedIsNotTakenForItsSuccessor() {
        documents.delete("a1", "deleted", _ -> true);
        var large = Replica.application("a1").toBuilder().setDescription("x".repeat(10_000));
        documents.add(large.build(), "ann", Where.NONE);

        assertThat(count()).isEqualTo("1");
        assertThat(count()).isEqualTo("2");
        assertThat(documents.find("a1").orElseThrow().getDescription()).hasSize(10_000);
    }

    private String count() {
        return documents
                .update(
                        "a1",
                        "ann",
                        a -> {
                            var next = Integer.parseInt(a.getLabelsOrDefault("count", "0")) + 1;
                            return new Edit.Changed<>(
                                    a.toBuilder().putLabels("count", "" + next).build(), "counted");
                        })
                .orElseThrow()
                .getLabelsOrThrow("count");
    }

    private void write(String sql) {
        database.write(transaction -> transaction.prepare(sql).executeUpdate());
    }
}
