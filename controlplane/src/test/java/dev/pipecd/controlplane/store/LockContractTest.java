// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.store.Replica.PROJECT;
import static dev.pipecd.controlplane.store.Replica.application;
import static dev.pipecd.controlplane.store.Replica.atOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.store.engine.Patience;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Somebody else has locked what we want to write, on the real servers: by an upgrade, a backup, a
/// person with a console.
class LockContractTest {
    private static final String COUNTER =
            "SELECT Value FROM Counter WHERE Name = 'Change' FOR UPDATE";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void ofTwoWhoWaitForEachOtherOursBeginsAgainAndIsDoneOnce(TestEngine engine) throws Exception {
        try (var replicas = engine.replicas();
                var other = replicas.there().engine().connect();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var here = new Replica(replicas.here());
            here.table.add(application("a1"), "ann");
            heavy(other);
            execute(other, COUNTER);
            var runs = new AtomicInteger();
            var locked = new CountDownLatch(1);
            var write =
                    threads.submit(() ->
                            here.table.update(
                                    new ApplicationId("a1"),
                                    "ann",
                                    a -> {
                                        if (runs.incrementAndGet() == 1) {
                                            locked.countDown();
                                            await().atMost(PATIENCE)
                                                    .until(() -> waiting(replicas.there()) > 0);
                                        }
                                        return counted(a);
                                    }));
            locked.await();

            // We hold the document and want the counter; it holds the counter and wants the
            // document.
            execute(other, "SELECT Id FROM Application FOR UPDATE");
            other.commit();

            assertThat(write.get()).isPresent();
            assertThat(runs).hasValue(2);
            assertDoneOnce(here);
        }
    }

    /// The one who wrote less is chosen to begin again.
    private static void heavy(Connection connection) throws SQLException {
        for (var i = 0; i < 100; i++)
            execute(
                    connection,
                    "INSERT INTO LogJournal (Log, At, `Lines`) VALUES ('x%d', 0, '')".formatted(i));
    }

    /// Two servers want what is locked for longer than the database lets them wait; one of them has
    /// the patience to ask again. At both engines at once, since the time is the database's.
    @Test
    void whoWaitsTooLongIsToldSoOrDoneOnceAndNeverHalf() throws Exception {
        var engines = List.of(TestEngine.MARIADB, TestEngine.MYSQL);
        atOnce(
                2,
                i -> {
                    try {
                        waitTooLong(engines.get(i));
                    } catch (Exception e) {
                        throw new AssertionError(engines.get(i).name(), e);
                    }
                });
    }

    private static void waitTooLong(TestEngine engine) throws Exception {
        var hasty = new Patience(PATIENCE, Duration.ZERO);
        try (var replicas = engine.replicas();
                var third = Database.open(replicas.place(), hasty);
                var other = replicas.there().engine().connect();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var here = new Replica(replicas.here());
            var impatient = new Replica(third);
            here.table.add(application("a1"), "ann");
            here.table.add(application("a2"), "ann");
            execute(other, COUNTER);
            var runs = new AtomicInteger();
            var write =
                    threads.submit(() ->
                            here.table.update(
                                    new ApplicationId("a1"),
                                    "ann",
                                    a -> {
                                        runs.incrementAndGet();
                                        return counted(a);
                                    }));

            assertThatThrownBy(() -> impatient.count("a2"))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            e -> assertThat(e.code()).isEqualTo(Problem.Code.STORE_UNAVAILABLE));
            await().atMost(PATIENCE).until(() -> runs.get() > 1);
            other.commit();

            assertThat(write.get()).isPresent();
            assertThat(here.found("a2").getLabelsMap()).isEmpty();
            impatient.count("a2"); // its connection is as good as new
            assertThat(here.found("a2").getLabelsMap()).isEqualTo(Map.of("count", "1"));
            assertDoneOnce(here);
        }
    }

    private static void assertDoneOnce(Replica here) {
        assertThat(here.found("a1").getLabelsMap()).isEqualTo(Map.of("count", "1"));
        var told = here.trail.since(PROJECT, 0, 100);
        assertThat(told.stream().filter(c -> c.id().equals("a1")).map(Change::what))
                .containsExactly("added", "counted");
        assertThat(told.getLast().cursor()).isEqualTo(told.size());
    }

    private static Edit<Application> counted(Application application) {
        var count = Integer.parseInt(application.getLabelsOrDefault("count", "0")) + 1;
        return new Edit.Changed<>(
                application.toBuilder().putLabels("count", "" + count).build(), "counted");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /// How many wait for a lock.
    private static int waiting(Database database) {
        return database.read(connection -> {
            try (var statement =
                            connection.prepareStatement(
                                    "SELECT COUNT(*) FROM information_schema.INNODB_TRX"
                                            + " WHERE trx_state = 'LOCK WAIT'");
                    var rows = statement.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        });
    }
}
