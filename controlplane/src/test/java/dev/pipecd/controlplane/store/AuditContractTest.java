// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.store.Replica.PROJECT;
import static dev.pipecd.controlplane.store.Replica.application;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.audit.AuditFilter;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.controlplane.change.Origin.Via;
import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.controlplane.store.engine.Condition;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Piped;
import io.grpc.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// The trail as people read it, on every engine: written at one server, read at the other.
@ParameterizedClass
@EnumSource(TestEngine.class)
class AuditContractTest {
    private final TestClock clock = new TestClock(Instant.ofEpochSecond(100));
    private final Replicas replicas;
    private final ApplicationTable applications;
    private final PipedTable pipeds;
    private final Trail reading;

    AuditContractTest(TestEngine engine) {
        replicas = engine.replicas();
        var writing = new Trail(replicas.here());
        applications = new ApplicationTable(replicas.here(), writing, clock);
        pipeds = new PipedTable(replicas.here(), writing, clock);
        reading = new Trail(replicas.there());
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    @Test
    void aDeedIsToldInFull() {
        var was = "\u0001 ü 中 🚀";
        var is = "x'\"\\".repeat(30_000);
        var origin = new Origin(Via.WEB, "2001:db8::1");
        as(origin, () -> applications.add(described(was), "ann"));
        clock.pass(Duration.ofSeconds(7));

        as(
                origin,
                () ->
                        applications.update(
                                new ApplicationId("a1"),
                                "bob",
                                _ -> new Edit.Changed<>(described(is), "described anew")));

        var newest = reading.list(all(List.of()), Long.MAX_VALUE, 10).getFirst();
        assertThat(newest.change())
                .isEqualTo(
                        new Change(
                                2,
                                PROJECT,
                                Change.Kind.APPLICATION,
                                "a1",
                                "",
                                "p1",
                                new Change.Deed(
                                        "bob", "described anew", Instant.ofEpochSecond(107))));
        assertThat(newest.origin()).isEqualTo(origin);
        assertThat(GoJson.parse(newest.before()))
                .isEqualTo(JsonNodeFactory.instance.objectNode().put("description", was));
        assertThat(GoJson.parse(newest.after()))
                .isEqualTo(JsonNodeFactory.instance.objectNode().put("description", is));
    }

    private static Application described(String text) {
        return application("a1").toBuilder().setDescription(text).build();
    }

    @Test
    void eachFilterNarrowsAndAgentsAreLeftOutUnlessAskedFor() {
        told("ann", "a1", Via.WEB);
        told("Ann", "a2", Via.API);
        told("p1", "a3", Via.AGENT);
        told("ann", "A1", Via.SERVER);
        as(new Origin(Via.WEB, ""), () -> pipeds.add(piped(PROJECT.value(), "a5"), "ann"));
        as(new Origin(Via.WEB, ""), () -> pipeds.add(piped("HERE", "a6"), "ann"));

        assertThat(found(all(List.of()))).containsExactly(5L, 4L, 2L, 1L);
        assertThat(found(all(List.of(Via.AGENT)))).containsExactly(3L);
        assertThat(found(all(List.of(Via.AGENT, Via.API)))).containsExactly(3L, 2L);
        assertThat(found(filter("ann", "", "", 0, 0))).containsExactly(5L, 4L, 1L);
        assertThat(found(filter("", "", "a1", 0, 0))).containsExactly(1L);
        assertThat(found(filter("", "APPLICATION", "", 0, 0))).containsExactly(4L, 2L, 1L);
        assertThat(found(filter("", "PIPED", "", 0, 0))).containsExactly(5L);
        assertThat(found(filter("", "", "", 101, 103))).containsExactly(2L);
        assertThat(found(filter("ann", "APPLICATION", "A1", 103, 104))).containsExactly(4L);
        assertThat(found(filter("Ann", "APPLICATION", "A1", 103, 104))).isEmpty();
    }

    @Test
    void pagesGoOnWhereTheLastOneEndedWhateverIsWrittenMeanwhile() {
        for (var i = 1; i <= 25; i++) told("ann", "a" + i, i % 5 == 0 ? Via.AGENT : Via.WEB);

        var first = found(all(List.of()), Long.MAX_VALUE, 8);
        told("ann", "new", Via.WEB);
        var second = found(all(List.of()), first.getLast(), 8);
        var third = found(all(List.of()), second.getLast(), 8);

        assertThat(first).containsExactly(24L, 23L, 22L, 21L, 19L, 18L, 17L, 16L);
        assertThat(second).containsExactly(14L, 13L, 12L, 11L, 9L, 8L, 7L, 6L);
        assertThat(third).containsExactly(4L, 3L, 2L, 1L);
    }

    @Test
    void aPagePassesOverNothingThatAgentsReported() {
        told("ann", "a1", Via.WEB);
        for (var first = 2; first < 2_000; first += 100) reported(first, 100);
        var select = reading.select(all(List.of()), Long.MAX_VALUE, 10);

        if (replicas.there().shared())
            assertThat(Plan.reads(replicas.there(), select)).isLessThan(20);
        else assertThat(plan(select)).contains("USING INDEX Change_Audit");
    }

    private void reported(int first, int number) {
        var row = "(?, 'here', 'DEPLOYMENT', 'd1', 'p1', 'p1', 'told', 1, 'AGENT', '', '', '', '')";
        replicas.here()
                .write(transaction ->
                        transaction
                                .prepare(
                                        "INSERT INTO `Change` (Seq, ProjectId, Kind, SubjectId,"
                                                + " PipedId, Actor, What, At, Via, Origin,"
                                                + " RequestId, `Before`, `After`) VALUES "
                                                + String.join(
                                                        ", ", Collections.nCopies(number, row)),
                                        IntStream.range(first, first + number).boxed().toArray())
                                .executeUpdate());
    }

    private String plan(Condition select) {
        return replicas.there()
                .read(connection -> {
                    try (var statement =
                            connection.prepareStatement("EXPLAIN QUERY PLAN " + select.sql())) {
                        Documents.bind(statement, select);
                        try (var rows = statement.executeQuery()) {
                            return rows.getString("detail");
                        }
                    }
                });
    }

    private static AuditFilter all(List<Via> via) {
        return new AuditFilter(PROJECT, "", "", "", via, 0, 0);
    }

    private static AuditFilter filter(
            String actor, String kind, String subject, long from, long to) {
        return new AuditFilter(PROJECT, actor, kind, subject, List.of(), from, to);
    }

    private List<Long> found(AuditFilter filter) {
        return found(filter, Long.MAX_VALUE, 100);
    }

    private List<Long> found(AuditFilter filter, long before, int limit) {
        return reading.list(filter, before, limit).stream().map(e -> e.change().cursor()).toList();
    }

    /// One more, a second after the last.
    private void told(String actor, String id, Via via) {
        as(new Origin(via, ""), () -> applications.add(application(id), actor));
        clock.pass(Duration.ofSeconds(1));
    }

    private static void as(Origin origin, Runnable deed) {
        origin.in(Context.current()).run(deed);
    }

    private static Piped piped(String project, String id) {
        return Piped.newBuilder().setId(id).setName(id).setProjectId(project).build();
    }
}
