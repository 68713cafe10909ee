// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.store.Replica.PIPED;
import static dev.pipecd.controlplane.store.Replica.PROJECT;
import static dev.pipecd.controlplane.store.Replica.application;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/// One server process and its tables, and what tests do there.
final class Replica {
    static final ProjectId PROJECT = new ProjectId("here");
    static final PipedId PIPED = new PipedId("p1");
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));

    final Database database;
    final Trail trail;
    final ApplicationTable table;
    final PipedTable pipeds;
    final ApiKeyTable keys;

    Replica(Database database) {
        this.database = database;
        trail = new Trail(database);
        table = new ApplicationTable(database, trail, CLOCK);
        pipeds = new PipedTable(database, trail, CLOCK);
        keys = new ApiKeyTable(database, trail, CLOCK);
    }

    Application found(String id) {
        return table.find(new ApplicationId(id)).orElseThrow();
    }

    void count(String id) {
        table.update(new ApplicationId(id), "ann", Replica::counted);
    }

    static Application application(String id) {
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

    /// Returns when all are done.
    static void atOnce(int number, IntConsumer work) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all =
                    IntStream.range(0, number)
                            .mapToObj(i -> threads.submit(() -> work.accept(i)))
                            .toList();
            for (var one : all) one.get();
        }
    }
}
