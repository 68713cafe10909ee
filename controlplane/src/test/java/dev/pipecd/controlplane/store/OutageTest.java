// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The database is killed while much is written, and comes back.
class OutageTest {
    private static final int WRITERS = 8;
    private static final ProjectId PROJECT = new ProjectId("here");

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void ofADatabaseKilledUnderLoadEveryAcknowledgedWriteIsThereAndNoneIsHalfDone(String engine)
            throws Exception {
        var server = TestServer.own(engine);
        server.execute("", "CREATE DATABASE outage");
        var place = new Database.Place.Server(server.dsn("outage"), "MYSQL");
        try (var database = TestEngine.open(place)) {
            var acknowledged = countWhileKilled(server, database);

            var trail = new Trail(database);
            var table = new ApplicationTable(database, trail, InstantSource.system());
            for (var i = 0; i < WRITERS; i++) {
                var application = table.find(new ApplicationId("a" + i)).orElseThrow();
                var counted = Integer.parseInt(application.getLabelsOrThrow("count"));
                var told = changes(trail, "a" + i);

                assertThat(counted)
                        .isEqualTo(Integer.parseInt(application.getLabelsOrThrow("same")));
                assertThat(counted).as("counted, told").isEqualTo(told - 1);
                // One write may have happened without its answer.
                assertThat(counted - acknowledged.get(i)).isBetween(0, 1);
            }
            assertThat(trail.since(PROJECT, 0, 1_000_000).stream().map(Change::cursor))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, trail.latest()).boxed().toList());
        } finally {
            server.kill();
        }
    }

    private static AtomicIntegerArray countWhileKilled(TestServer server, Database database)
            throws Exception {
        var table = new ApplicationTable(database, new Trail(database), InstantSource.system());
        var acknowledged = new AtomicIntegerArray(WRITERS);
        var writing = new AtomicBoolean(true);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writers =
                    IntStream.range(0, WRITERS)
                            .mapToObj(i ->
                                    threads.submit(() -> {
                                        table.add(application("a" + i), "ann");
                                        while (writing.get()) count(table, i, acknowledged);
                                    }))
                            .toList();
            try {
                for (var round = 1; round <= 2; round++) {
                    written(acknowledged, 60);
                    server.kill();
                    server.restart();
                    written(acknowledged, 60);
                }
            } finally {
                writing.set(false);
            }
            for (var writer : writers) writer.get();
        }
        return acknowledged;
    }

    /// All have gone on.
    private static void written(AtomicIntegerArray acknowledged, int more) {
        var goal = IntStream.range(0, WRITERS).map(i -> acknowledged.get(i) + more).toArray();
        Awaitility.await()
                .atMost(Duration.ofMinutes(5))
                .until(() ->
                        IntStream.range(0, WRITERS).allMatch(i -> acknowledged.get(i) >= goal[i]));
    }

    private static void count(ApplicationTable table, int i, AtomicIntegerArray acknowledged) {
        try {
            table.update(
                    new ApplicationId("a" + i),
                    "ann",
                    a -> {
                        var next = "" + (Integer.parseInt(a.getLabelsOrDefault("count", "0")) + 1);
                        return new Edit.Changed<>(
                                a.toBuilder()
                                        .putLabels("count", next)
                                        .putLabels("same", next)
                                        .build(),
                                "counted");
                    });
            acknowledged.incrementAndGet(i);
        } catch (Problem e) {
            // reported: the caller knows that it does not know
            assertThat(e.code()).isEqualTo(Problem.Code.STORE_UNAVAILABLE);
        }
    }

    private static int changes(Trail trail, String id) {
        return (int)
                trail.since(PROJECT, 0, 1_000_000).stream().filter(c -> c.id().equals(id)).count();
    }

    private static Application application(String id) {
        return Application.newBuilder()
                .setId(id)
                .setName(id)
                .setPipedId("p1")
                .setProjectId(PROJECT.value())
                .setGitPath(
                        dev.pipecd.wire.model.ApplicationGitPath.newBuilder()
                                .setPath("folder/" + id))
                .build();
    }
}
