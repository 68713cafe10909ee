// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.store.Replica.PIPED;
import static dev.pipecd.controlplane.store.Replica.PROJECT;
import static dev.pipecd.controlplane.store.Replica.application;
import static dev.pipecd.controlplane.store.Replica.atOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// What many who write at once may rely on, on every engine. Where several processes may write, a
/// second one does.
@ParameterizedClass
@EnumSource(TestEngine.class)
class WritersContractTest {
    private final Replicas replicas;
    private final Replica here;
    private final Replica there;

    WritersContractTest(TestEngine engine) {
        replicas = engine.replicas();
        here = new Replica(replicas.here());
        there = engine.shared() ? new Replica(replicas.there()) : here;
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    private Replica replica(int i) {
        return i % 2 == 0 ? here : there;
    }

    @Test
    void ofThirtyTwoWritersToOneDocumentNoneIsLost() throws Exception {
        here.table.add(application("a1"), "ann");

        atOnce(
                32,
                i -> {
                    for (var n = 0; n < 25; n++) replica(i).count("a1");
                });

        assertThat(here.found("a1").getLabelsMap()).isEqualTo(Map.of("count", "800"));
        assertThat(there.trail.since(PROJECT, 0, 1000)).hasSize(801);
    }

    @Test
    void ofThirtyTwoWritersToEightDocumentsNoneIsLost() throws Exception {
        for (var d = 0; d < 8; d++) here.table.add(application("a" + d), "ann");

        atOnce(
                32,
                i -> {
                    for (var n = 0; n < 16; n++) replica(i).count("a" + (i + n) % 8);
                });

        for (var d = 0; d < 8; d++)
            assertThat(there.found("a" + d).getLabelsMap()).isEqualTo(Map.of("count", "64"));
    }

    @Test
    void aWriterThatFailsLeavesNothingAndDoesNotSpoilTheOthers() throws Exception {
        for (var i = 0; i < 20; i++) here.table.add(application("a" + i), "ann");

        atOnce(
                20,
                i -> {
                    if (i % 2 == 0) replica(i / 2).count("a" + i);
                    else assertThatThrownBy(() -> fail(replica(i / 2), "a" + i)).hasMessage("odd");
                });

        assertThat(here.trail.since(PROJECT, 20, 100)).hasSize(10);
        for (var i = 0; i < 20; i++)
            assertThat(here.found("a" + i).getLabelsCount()).isEqualTo(1 - i % 2);
    }

    private static void fail(Replica at, String id) {
        at.table.update(
                new ApplicationId(id),
                "ann",
                _ -> {
                    throw new IllegalStateException("odd");
                });
    }

    @Test
    void aUnitThatFailsAfterItHasWrittenLeavesNothing() throws Exception {
        here.table.add(application("a1"), "ann");

        atOnce(
                16,
                i -> {
                    if (i % 2 == 0) replica(i / 2).count("a1");
                    else
                        assertThatThrownBy(() -> writeAndFail(replica(i / 2).database))
                                .hasMessage("too late");
                });

        assertThat(here.found("a1").getLabelsMap()).isEqualTo(Map.of("count", "8"));
        assertThat(here.trail.since(PROJECT, 0, 100)).hasSize(9);
    }

    private static void writeAndFail(Database database) {
        database.write(
                "a1",
                transaction -> {
                    transaction.prepare("DELETE FROM Application").executeUpdate();
                    throw new IllegalStateException("too late");
                });
    }

    /// They are sent together, so that nobody can say at first whose was refused.
    @Test
    void aStatementThatIsRefusedFailsItsOwnWriterOnly() throws Exception {
        var busy = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        var outcomes = new ConcurrentHashMap<Integer, String>();
        var first = Thread.ofVirtual().start(() -> here.database.write("w", _ -> held(busy, go)));
        busy.await();

        var others = new ArrayList<Thread>();
        for (var i = 0; i < 10; i++) {
            var number = i;
            others.add(
                    Thread.ofVirtual()
                            .start(() -> outcomes.put(number, outcome(Math.min(number, 8)))));
            while (others.getLast().getState() != Thread.State.WAITING) Thread.onSpinWait();
        }
        go.countDown();
        first.join();
        for (var other : others) other.join();

        var written = IntStream.range(0, 9).boxed().toList();
        assertThat(outcomes).hasSize(10).containsEntry(9, "STORE_UNAVAILABLE");
        assertThat(written).allSatisfy(i -> assertThat(outcomes).containsEntry(i, "written"));
    }

    private static boolean held(CountDownLatch busy, CountDownLatch go) {
        busy.countDown();
        try {
            go.await();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String outcome(int name) {
        try {
            here.database.write(
                    "w",
                    transaction ->
                            transaction.later(
                                    "INSERT INTO Lease (Name, Holder, Term) VALUES (?, 'h', 1)",
                                    "name " + name));
            return "written";
        } catch (Problem e) {
            return e.code().name();
        }
    }

    @Test
    void ofManyThatAreAddedForOnePlaceAtOnceOneIsKept() throws Exception {
        var refused = Collections.synchronizedList(new ArrayList<String>());

        atOnce(
                16,
                i ->
                        replica(i)
                                .table
                                .add(application("a").toBuilder().setId("a" + i).build(), "ann")
                                .ifPresent(twin -> refused.add(twin.getId())));

        var kept = here.table.list(ApplicationFilter.all(PROJECT), Cursor.START, 100);
        assertThat(kept).hasSize(1);
        assertThat(refused).hasSize(15).containsOnly(kept.getFirst().getId());
    }

    @Test
    void ofManyThatAreRenamedToOneFileAtOnceOneGetsIt() throws Exception {
        for (var i = 0; i < 16; i++) here.table.add(inOneFolder(i, "file " + i), "ann");
        var refused = Collections.synchronizedList(new ArrayList<String>());

        atOnce(
                16,
                i -> {
                    try {
                        replica(i)
                                .table
                                .place(
                                        new ApplicationId("a" + i),
                                        "ann",
                                        _ ->
                                                new Edit.Changed<>(
                                                        inOneFolder(i, "wanted"), "renamed"),
                                        twin ->
                                                new Problem(
                                                        Problem.Code.ALREADY_EXISTS,
                                                        twin.getId(),
                                                        ""));
                    } catch (Problem e) {
                        refused.add(e.getMessage());
                    }
                });

        var renamed =
                here.table.list(ApplicationFilter.all(PROJECT), Cursor.START, 100).stream()
                        .filter(a -> a.getGitPath().getConfigFilename().equals("wanted"))
                        .toList();
        assertThat(renamed).hasSize(1);
        assertThat(refused).hasSize(15).containsOnly(renamed.getFirst().getId());
    }

    private static Application inOneFolder(int number, String file) {
        var application = application("a" + number).toBuilder();
        application.getGitPathBuilder().setPath("folder").setConfigFilename(file);
        return application.build();
    }

    @Test
    void whatIsAddedAndWhatIsRenamedToOneFileAtOnceDoNotBothGetIt() throws Exception {
        for (var i = 0; i < 8; i++) here.table.add(inOneFolder(i, "file " + i), "ann");

        atOnce(
                16,
                i -> {
                    var wanted = inOneFolder(i, "wanted");
                    if (i >= 8) replica(i).table.add(wanted, "ann");
                    else
                        try {
                            replica(i)
                                    .table
                                    .place(
                                            new ApplicationId("a" + i),
                                            "ann",
                                            _ -> new Edit.Changed<>(wanted, "renamed"),
                                            twin ->
                                                    new Problem(
                                                            Problem.Code.ALREADY_EXISTS,
                                                            twin.getId(),
                                                            ""));
                        } catch (Problem e) {
                            assertThat(e.code()).isEqualTo(Problem.Code.ALREADY_EXISTS);
                        }
                });

        assertThat(there.table.list(ApplicationFilter.all(PROJECT), Cursor.START, 100))
                .filteredOn(a -> a.getGitPath().getConfigFilename().equals("wanted"))
                .hasSize(1);
    }

    @Test
    void anAnswerIsNeverOlderThanTheLastAcknowledgedWrite() throws Exception {
        for (var i = 0; i < 8; i++) here.table.add(application("a" + i), "ann");

        atOnce(
                8,
                i -> {
                    for (var n = 1; n <= 20; n++) {
                        replica(n).count("a" + i);
                        assertThat(count(replica(n + 1), "a" + i)).isEqualTo("" + n);
                    }
                });
    }

    private static String count(Replica at, String id) {
        return at.table.enabled(PIPED).stream()
                .filter(a -> a.getId().equals(id))
                .findFirst()
                .orElseThrow()
                .getLabelsOrDefault("count", "0");
    }
}
