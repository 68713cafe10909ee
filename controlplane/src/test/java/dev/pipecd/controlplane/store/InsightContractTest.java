// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.store.Replica.PIPED;
import static dev.pipecd.controlplane.store.Replica.PROJECT;
import static dev.pipecd.controlplane.store.Replica.application;
import static dev.pipecd.controlplane.store.Replica.atOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.insight.Collector;
import dev.pipecd.controlplane.insight.Day;
import dev.pipecd.controlplane.insight.InsightStore.ApplicationCount;
import dev.pipecd.controlplane.insight.Question;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// The figures, on every engine; where several processes may count, a second one does.
@ParameterizedClass
@EnumSource(TestEngine.class)
class InsightContractTest {
    private static final LocalDate FIRST = LocalDate.parse("2026-10-30");
    private static final long AT = 1_793_318_400; // the first second of it

    private final Replicas replicas;
    private final Server here;
    private final Server there;

    InsightContractTest(TestEngine engine) {
        replicas = engine.replicas();
        here = new Server(new Replica(replicas.here()));
        there = engine.shared() ? new Server(new Replica(replicas.there())) : here;
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    @Test
    void daysAreSummedUpByProjectApplicationAndLabels() {
        here.add(completed("d1", "a1", "dev", true, 400));
        here.add(completed("d2", "a1", "dev", false, 1_000));
        here.add(completed("d3", "a1", "prod", true, 1_600));
        here.add(completed("d4", "a2", "dev", false, 86_400));
        here.add(completed("d5", "a1", "dev", true, 400).toBuilder().setProjectId("HERE").build());
        here.collector.collect();

        assertThat(there.days("", Map.of()))
                .containsExactly(
                        new Day(
                                FIRST,
                                new Day.Sums(3, 1, new Day.Span(2, 1_800), new Day.Span(1, 600))),
                        new Day(
                                FIRST.plusDays(1),
                                new Day.Sums(1, 1, new Day.Span(0, 0), new Day.Span(0, 0))));
        assertThat(there.days("a2", Map.of()))
                .extracting(d -> d.sums().completed())
                .containsOnly(1L);
        assertThat(there.days("a1", Map.of("env", "prod")))
                .containsExactly(
                        new Day(
                                FIRST,
                                new Day.Sums(1, 0, new Day.Span(1, 1_500), new Day.Span(1, 600))));
        assertThat(there.days("A1", Map.of())).isEmpty();
    }

    @Test
    void whatWasCompletedBeforeAnybodyCountedIsReadOnceInWholeAndThenTheTrail() throws Exception {
        atOnce(450, i -> here.add(completed(id(i), "a1", "dev", i % 3 != 0, i)));
        here.collector.collect();
        assertThat(completed(there)).isEqualTo(450);

        there.add(completed("late", "a1", "dev", true, 500));
        there.collector.collect();
        here.collector.collect();

        assertThat(completed(here)).isEqualTo(451);
        assertThat(here.days("", Map.of()).getFirst().sums().failed()).isEqualTo(150);
    }

    @Test
    void aLostDeploymentThatWasCorrectedCountsAsWhatItBecame() {
        here.add(completed("d1", "a1", "dev", false, 100));
        here.collector.collect();
        there.deployments.update(
                new DeploymentId("d1"),
                "p1",
                d ->
                        new Edit.Changed<>(
                                d.toBuilder()
                                        .setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                                        .setCompletedAt(AT + 200)
                                        .build(),
                                "corrected"));

        there.collector.collect();

        assertThat(here.days("", Map.of()))
                .containsExactly(
                        new Day(
                                FIRST,
                                new Day.Sums(1, 0, new Day.Span(1, 100), new Day.Span(0, 0))));
    }

    /// Each server has a collector, and all of them follow the same trail.
    @Test
    void twoWhoCountAtOnceWhileDeploymentsEndLoseAndDoubleNothing() throws Exception {
        atOnce(210, i -> here.add(completed(id(i), "a" + i % 3, "dev", true, i)));
        var left = new AtomicInteger(4);
        // not virtual ones, which would let nobody else of this JVM run
        try (var threads = Executors.newFixedThreadPool(4)) {
            var counting =
                    List.of(here, there, here.again(), there.again()).stream()
                            .map(server ->
                                    threads.submit(() -> {
                                        while (left.get() > 0) server.collector.collect();
                                    }))
                            .toList();
            try {
                atOnce(
                        4,
                        t -> {
                            try {
                                for (var i = 210 + t; i < 300; i += 4)
                                    (t % 2 == 0 ? here : there)
                                            .add(
                                                    completed(
                                                            id(i),
                                                            "a" + i % 3,
                                                            "dev",
                                                            i % 2 == 0,
                                                            i));
                            } finally {
                                left.decrementAndGet();
                            }
                        });
            } finally {
                left.set(0);
            }
            for (var one : counting) one.get();
        }
        here.collector.collect();
        there.collector.collect();

        assertThat(here.days("", Map.of())).isEqualTo(alone());
        assertThat(completed(there)).isEqualTo(300);
        assertThat(here.rows(Map.of())).isEqualTo(here.days("", Map.of()));
    }

    @Test
    void theSumsOfDaysAreThoseOfTheDeliveriesWhateverBecomesOfThese() {
        here.add(completed("d1", "a1", "dev", false, 100));
        here.add(completed("d2", "a1", "dev", true, 86_400 + 200));
        here.add(completed("d3", "a1", "prod", true, 86_400 + 300));
        here.collector.collect();
        // It succeeded after all, a day later, under another label: it restores nothing any more.
        there.correct("d1", d -> d.setCompletedAt(AT + 86_400 + 250).putLabels("env", "prod"));
        there.collector.collect();
        there.add(completed("d4", "a1", "prod", false, 86_400 + 260));
        there.collector.collect();

        assertThat(here.days("", Map.of()))
                .isEqualTo(here.rows(Map.of()))
                .containsExactly(
                        new Day(
                                FIRST.plusDays(1),
                                new Day.Sums(4, 1, new Day.Span(3, 259_650), new Day.Span(1, 40))));
        assertThat(here.days("", Map.of("env", "dev"))).isEqualTo(here.rows(Map.of("env", "dev")));
        assertThat(here.days("", Map.of("env", "prod")))
                .isEqualTo(here.rows(Map.of("env", "prod")))
                .extracting(d -> d.sums().restore())
                .containsExactly(new Day.Span(1, 40));
    }

    @Test
    void aFailureThatTurnsOutToBeLaterRestoresOnceAndThere() {
        here.add(completed("d1", "a1", "dev", false, 100)); // lost
        here.add(completed("d2", "a1", "dev", true, 200));
        here.add(completed("d3", "a1", "dev", true, 300));
        here.collector.collect();
        assertThat(restored(here)).isEqualTo(new Day.Span(1, 100));

        there.correct(
                "d1",
                d -> d.setStatus(DeploymentStatus.DEPLOYMENT_FAILURE).setCompletedAt(AT + 250));
        there.collector.collect();
        assertThat(restored(here)).isEqualTo(new Day.Span(1, 50));

        there.correct(
                "d1",
                d -> d.setStatus(DeploymentStatus.DEPLOYMENT_CANCELLED).setCompletedAt(AT + 350));
        there.collector.collect();
        assertThat(restored(here)).isEqualTo(new Day.Span(0, 0));
    }

    /// A success that moves away leaves what failed before it to the next one.
    @Test
    void aSuccessThatTurnsOutToBeLaterHasRestoredNothingWhereItStood() {
        here.add(completed("d1", "a1", "dev", false, 100));
        here.add(completed("d2", "a1", "dev", true, 200));
        here.add(completed("d3", "a1", "dev", true, 300));
        here.collector.collect();

        there.correct("d2", d -> d.setCompletedAt(AT + 400));
        there.collector.collect();

        assertThat(restored(here)).isEqualTo(new Day.Span(1, 200));
    }

    private static Day.Span restored(Server server) {
        return server.days("", Map.of()).getFirst().sums().restore();
    }

    @Test
    void deliveriesFromBeforeThereWereSumsAreAddedStepByStepWhileOthersAreCounted() {
        for (var i = 0; i < 9; i++)
            here.add(completed("d" + i, "a" + i % 2, i < 5 ? "dev" : "prod", i % 3 != 0, i * 20));
        here.collector.collect();
        var before = here.days("", Map.of("env", "dev"));
        here.execute(
                "DELETE FROM DeliverySum",
                "UPDATE Delivery SET Summed = 1",
                "UPDATE DeliverySumMark SET Reached = '', Complete = 0");
        var again = here.again();

        assertThat(again.days("", Map.of("env", "dev"))).isEqualTo(before);
        assertThat(again.table.sumUp(4)).isFalse();
        there.correct("d0", d -> d.setCompletedAt(AT + 7)); // is in the sums
        there.correct("d6", d -> d.setCompletedAt(AT + 77)); // is not yet
        there.add(completed("d41", "a1", "dev", true, 90));
        here.collector.collect(); // knows of complete sums, and does not make them
        var steps = 0;
        while (!again.table.sumUp(4)) steps++;

        assertThat(steps).isEqualTo(1);
        for (var labels : List.of(Map.<String, String>of(), Map.of("env", "dev")))
            assertThat(again.days("", labels)).isNotEmpty().isEqualTo(again.rows(labels));
        assertThat(completed(again)).isEqualTo(10);
    }

    /// It would count what is in no sum, or take out of none what is in one.
    @Test
    void anOlderServerThatStillRunsCannotCount() {
        if (!here.replica.database.shared()) return; // a file has one server

        assertThatThrownBy(() ->
                        here.execute(
                                "INSERT INTO Delivery (Id, ProjectId, ApplicationId, Labels,"
                                        + " CompletedAt, Status, LeadTime, RestoreTime)"
                                        + " VALUES ('d1', 'here', 'a1', '{}', 1, 4, 1, -1)"))
                .isInstanceOf(Problem.class);
    }

    /// The same deployments, counted by one who has the table for itself.
    private List<Day> alone() throws Exception {
        try (var other = TestEngine.SQLITE.replicas()) {
            var server = new Server(new Replica(other.here()));
            atOnce(
                    300,
                    i ->
                            server.add(
                                    completed(
                                            id(i), "a" + i % 3, "dev", i < 210 || i % 2 == 0, i)));
            server.collector.collect();
            return server.days("", Map.of());
        }
    }

    @Test
    void applicationsAreCountedByKindAndWhetherTheyAreEnabled() {
        var terraform = ApplicationKind.TERRAFORM;
        here.replica.table.add(application("a1"), "ann");
        here.replica.table.add(application("a2").toBuilder().setKind(terraform).build(), "ann");
        here.replica.table.add(application("a3").toBuilder().setKind(terraform).build(), "ann");
        here.replica.table.add(
                application("a4").toBuilder().setKind(terraform).setDisabled(true).build(), "ann");
        here.replica.table.add(application("a5").toBuilder().setDeleted(true).build(), "ann");
        here.replica.table.add(application("a6").toBuilder().setProjectId("HERE").build(), "ann");

        assertThat(there.table.applications(PROJECT))
                .containsExactly(
                        new ApplicationCount(ApplicationKind.KUBERNETES, true, 1),
                        new ApplicationCount(terraform, true, 2),
                        new ApplicationCount(terraform, false, 1));
    }

    /// A day is told once for each set of labels.
    private static List<Day> merged(List<Day> days) {
        var sums = new TreeMap<LocalDate, Day.Sums>();
        for (var day : days) sums.merge(day.date(), day.sums(), Day.Sums::plus);
        return sums.entrySet().stream().map(e -> new Day(e.getKey(), e.getValue())).toList();
    }

    private static long completed(Server server) {
        return server.days("", Map.of()).stream().mapToLong(d -> d.sums().completed()).sum();
    }

    /// In no order, as real ids are.
    private static String id(int number) {
        return new UUID(number * 0x9E3779B97F4A7C15L, number).toString();
    }

    private static Deployment completed(
            String id, String application, String env, boolean success, long at) {
        var deployment =
                Deployment.newBuilder()
                        .setId(id)
                        .setApplicationId(application)
                        .setApplicationName(application)
                        .setPipedId(PIPED.value())
                        .setProjectId(PROJECT.value())
                        .putLabels("env", env)
                        .setStatus(
                                success
                                        ? DeploymentStatus.DEPLOYMENT_SUCCESS
                                        : DeploymentStatus.DEPLOYMENT_FAILURE)
                        .setCompletedAt(AT + at);
        deployment.getTriggerBuilder().getCommitBuilder().setHash(id).setCreatedAt(AT + 100);
        return deployment.build();
    }

    private static final class Server {
        final Replica replica;
        final DeploymentTable deployments;
        final InsightTable table;
        final Collector collector;

        Server(Replica replica) {
            this.replica = replica;
            deployments =
                    new DeploymentTable(
                            replica.database,
                            replica.trail,
                            InstantSource.fixed(Instant.ofEpochSecond(AT)));
            table = new InsightTable(replica.database);
            collector = new Collector(table, new Changes(replica.trail));
        }

        /// One more who counts.
        Server again() {
            return new Server(replica);
        }

        void add(Deployment deployment) {
            var _ = deployments.add(deployment, "p1");
        }

        void correct(String id, UnaryOperator<Deployment.Builder> edit) {
            deployments.update(
                    new DeploymentId(id),
                    "p1",
                    d ->
                            new Edit.Changed<>(
                                    edit.apply(
                                                    d.toBuilder()
                                                            .setStatus(
                                                                    DeploymentStatus
                                                                            .DEPLOYMENT_SUCCESS))
                                            .build(),
                                    "corrected"));
        }

        void execute(String... statements) {
            var _ =
                    replica.database.write(transaction -> {
                        for (var sql : statements) transaction.prepare(sql).executeUpdate();
                        return true;
                    });
        }

        /// By the deliveries themselves, as long as the sums are not complete.
        List<Day> rows(Map<String, String> labels) {
            execute("UPDATE DeliverySumMark SET Complete = 0");
            try {
                return InsightContractTest.merged(again().days("", labels));
            } finally {
                execute("UPDATE DeliverySumMark SET Complete = 1");
            }
        }

        List<Day> days(String application, Map<String, String> labels) {
            return table.days(new Question(PROJECT, application, labels, FIRST, FIRST.plusDays(9)));
        }
    }
}
