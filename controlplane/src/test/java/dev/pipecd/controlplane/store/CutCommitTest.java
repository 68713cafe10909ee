// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.store.engine.Dsn;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The connection breaks in the very moment of a commit.
class CutCommitTest {
    private static final int TIMES = 15;

    @ParameterizedTest
    @CsvSource({"MARIADB, BEFORE", "MARIADB, AFTER", "MYSQL, BEFORE", "MYSQL, AFTER"})
    void aCommitWhoseAnswerIsLostHappensExactlyOnce(TestEngine engine, CuttingProxy.Cut cut)
            throws Exception {
        var behind = ((Database.Place.Server) engine.fresh()).dsn();
        try (var proxy = new CuttingProxy(engine.server().port(), cut);
                var database =
                        TestEngine.open(
                                new Database.Place.Server(through(proxy, behind), "MYSQL"))) {
            var trail = new Trail(database);
            var table = new ApplicationTable(database, trail, InstantSource.system());
            table.add(application(), "ann");

            proxy.cutEvery(4);
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var all =
                        IntStream.range(0, TIMES)
                                .mapToObj(_ -> threads.submit(() -> count(table)))
                                .toList();
                for (var one : all) one.get();
            }
            for (var i = 0; i < TIMES; i++) count(table);
            proxy.cutEvery(0);

            assertThat(proxy.cuts()).isGreaterThan(2);
            assertThat(table.find(new ApplicationId("a1")).orElseThrow().getLabelsMap())
                    .isEqualTo(Map.of("count", "" + 2 * TIMES));
            assertThat(trail.since(new ProjectId("here"), 0, 1000)).hasSize(2 * TIMES + 1);
        }
    }

    private static Dsn through(CuttingProxy proxy, Dsn behind) {
        return Dsn.parse(
                "%s:%s@tcp(127.0.0.1:%d)".formatted(behind.user(), behind.password(), proxy.port()),
                behind.database());
    }

    private static void count(ApplicationTable table) {
        table.update(
                new ApplicationId("a1"),
                "ann",
                a -> {
                    var next = "" + (Integer.parseInt(a.getLabelsOrDefault("count", "0")) + 1);
                    return new Edit.Changed<>(
                            a.toBuilder().putLabels("count", next).build(), "counted");
                });
    }

    private static Application application() {
        return Application.newBuilder()
                .setId("a1")
                .setName("a1")
                .setPipedId("p1")
                .setProjectId("here")
                .build();
    }
}
