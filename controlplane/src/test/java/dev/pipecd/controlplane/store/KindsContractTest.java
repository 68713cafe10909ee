// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.deployment.DeploymentFilter;
import dev.pipecd.controlplane.event.EventFilter;
import dev.pipecd.controlplane.event.EventSpan;
import dev.pipecd.controlplane.event.TraceFilter;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.ChainBlock;
import dev.pipecd.wire.model.ChainStatus;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentChain;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrace;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.stored.StoredAPIKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Every question that is asked about a kind, on every engine.
@ParameterizedClass
@EnumSource(TestEngine.class)
class KindsContractTest {
    private static final ProjectId PROJECT = new ProjectId("here");
    private static final PipedId PIPED = new PipedId("p1");
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));

    private final Replicas replicas;
    private final Database database;
    private final Trail trail;

    KindsContractTest(TestEngine engine) {
        replicas = engine.replicas();
        database = replicas.here();
        trail = new Trail(database);
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    private static Deployment deployment(String id, DeploymentStatus status) {
        return Deployment.newBuilder()
                .setId(id)
                .setApplicationId("a-" + id)
                .setApplicationName("app " + id)
                .setPipedId(PIPED.value())
                .setProjectId(PROJECT.value())
                .setKindValue(1)
                .setStatus(status)
                .putLabels("env", id)
                .setDeploymentChainId("chain-" + id)
                .setDeploymentTraceCommitHash("hash-" + id)
                .build();
    }

    @Test
    void deploymentsAreFoundByAllThatNarrowsThem() {
        var table = new DeploymentTable(database, trail, CLOCK);
        table.add(deployment("d1", DeploymentStatus.DEPLOYMENT_RUNNING), "ann");
        table.add(deployment("d2", DeploymentStatus.DEPLOYMENT_SUCCESS), "ann");

        assertThat(table.live(PIPED)).extracting(Deployment::getId).containsExactly("d1");
        assertThat(table.findLive(PIPED, new DeploymentId("d2"))).isEmpty();
        assertThat(table.inChain("chain-d2")).extracting(Deployment::getId).containsExactly("d2");
        assertThat(table.traced(PROJECT, List.of("hash-d1", "none")))
                .extracting(Deployment::getId)
                .containsExactly("d1");
        var some =
                new DeploymentFilter(
                        PROJECT,
                        List.of(DeploymentStatus.DEPLOYMENT_SUCCESS),
                        List.of(ApplicationKind.TERRAFORM),
                        List.of("a-d1", "a-d2"),
                        "app d2",
                        Map.of("env", "d2"),
                        1_800_000_000);
        assertThat(table.list(some, Cursor.START, 10))
                .extracting(Deployment::getId)
                .containsExactly("d2");
    }

    @Test
    void aDeploymentReportedAgainIsAnsweredWithTheFirst() {
        var table = new DeploymentTable(database, trail, CLOCK);
        table.add(deployment("d1", DeploymentStatus.DEPLOYMENT_RUNNING), "ann");

        assertThat(table.add(deployment("d1", DeploymentStatus.DEPLOYMENT_PENDING), "ann"))
                .map(Deployment::getStatus)
                .hasValue(DeploymentStatus.DEPLOYMENT_RUNNING);
    }

    @Test
    void aCommandWaitsUntilItIsHandled() {
        var table = new CommandTable(database, trail, CLOCK);
        table.add(
                Command.newBuilder().setId("c1").setPipedId("p1").setProjectId("here").build(),
                "ann");

        assertThat(table.unhandled(PIPED)).hasSize(1);
        assertThat(table.waiting(1_800_000_001, 10)).hasSize(1);
        assertThat(table.waiting(1_800_000_000, 10)).isEmpty();
    }

    private static Event event(String id, EventStatus status) {
        return Event.newBuilder()
                .setId(id)
                .setName("image")
                .setProjectId("here")
                .setEventKey("key")
                .setStatus(status)
                .putLabels("app", id)
                .setCreatedAt(1_790_000_000 + id.charAt(1))
                .build();
    }

    @Test
    void eventsAreFoundByAllThatNarrowsThem() {
        var table = new EventTable(database, trail, CLOCK);
        table.add(event("e1", EventStatus.EVENT_NOT_HANDLED), "ann");
        table.add(event("e2", EventStatus.EVENT_SUCCESS), "ann");

        assertThat(table.latest(PROJECT, "key")).map(Event::getId).hasValue("e2");
        var all = new EventSpan(0, 0, Optional.empty(), EventSpan.Order.OLDEST_FIRST);
        assertThat(table.created(PROJECT, all, 10))
                .extracting(Event::getId)
                .containsExactly("e1", "e2");
        assertThat(table.created(PROJECT, all, 1)).extracting(Event::getId).containsExactly("e2");
        var some =
                new EventFilter(
                        PROJECT,
                        "image",
                        List.of(EventStatus.EVENT_SUCCESS),
                        Map.of("app", "e2"),
                        0);
        assertThat(table.list(some, Cursor.START, 10))
                .extracting(Event::getId)
                .containsExactly("e2");
        table.update(
                "e1",
                "ann",
                e ->
                        new Edit.Changed<>(
                                e.toBuilder().setStatus(EventStatus.EVENT_FAILURE).build(),
                                "failed"));
        assertThat(table.find("e1")).map(Event::getStatus).hasValue(EventStatus.EVENT_FAILURE);
    }

    @Test
    void chainsUnderWayAreFoundOldestFirstWhoeverWroteThem() {
        var chains = new ChainTable(database, trail, CLOCK);
        var others = new ChainTable(replicas.there(), new Trail(replicas.there()), CLOCK);
        if (!database.shared()) others = chains;
        assertThat(chains.live(10)).isEmpty();

        for (var id : List.of("n3", "n1", "n2"))
            others.add(
                    DeploymentChain.newBuilder()
                            .setId(id)
                            .setProjectId("here")
                            .setCreatedAt(1_790_000_000 + id.charAt(1))
                            .build(),
                    "ann");
        assertThat(chains.live(2)).extracting(DeploymentChain::getId).containsExactly("n1", "n2");
        others.update(
                "n1",
                "ann",
                c ->
                        new Edit.Changed<>(
                                c.toBuilder()
                                        .setStatus(ChainStatus.DEPLOYMENT_CHAIN_FAILURE)
                                        .build(),
                                "failed"));

        assertThat(chains.live(10)).extracting(DeploymentChain::getId).containsExactly("n2", "n3");
    }

    @Test
    void chainsAndTracesAreFound() {
        var chains = new ChainTable(database, trail, CLOCK);
        var traces = new TraceTable(database, trail, CLOCK);
        chains.add(DeploymentChain.newBuilder().setId("n1").setProjectId("here").build(), "ann");
        chains.add(
                DeploymentChain.newBuilder()
                        .setId("n2")
                        .setProjectId("here")
                        .setStatus(ChainStatus.DEPLOYMENT_CHAIN_SUCCESS)
                        .build(),
                "ann");
        traces.add(
                DeploymentTrace.newBuilder()
                        .setId("t1")
                        .setProjectId("here")
                        .setCommitHash("abc")
                        .build(),
                "ann");

        assertThat(chains.live(10)).extracting(DeploymentChain::getId).containsExactly("n1");
        assertThat(chains.list(PROJECT, 0, Cursor.START, 10)).hasSize(2);
        assertThat(traces.list(new TraceFilter(PROJECT, "abc", 0), Cursor.START, 10)).hasSize(1);
        assertThat(traces.list(new TraceFilter(PROJECT, "abd", 0), Cursor.START, 10)).isEmpty();
    }

    @Test
    void ofThirtyTwoWritersToADocumentOfAnyKindNoneIsLost() throws Exception {
        var here = counters(database, true);
        var there = counters(replicas.there(), false);

        Replica.atOnce(
                32, i -> (i % 2 == 0 ? here : there).forEach(counter -> counter.step().run()));

        assertThat(there)
                .hasSize(7)
                .allSatisfy(counter ->
                        assertThat(counter.count().get()).as(counter.kind()).isEqualTo("32"));
    }

    private record Counter(String kind, Runnable step, Supplier<String> count) {}

    /// Of each kind a document that can be edited, and somewhere to count in it.
    private static List<Counter> counters(Database database, boolean first) {
        var trail = new Trail(database);
        var projects = new ProjectTable(database, trail, CLOCK);
        var pipeds = new PipedTable(database, trail, CLOCK);
        var keys = new ApiKeyTable(database, trail, CLOCK);
        var deployments = new DeploymentTable(database, trail, CLOCK);
        var commands = new CommandTable(database, trail, CLOCK);
        var events = new EventTable(database, trail, CLOCK);
        var chains = new ChainTable(database, trail, CLOCK);
        var deployment = new DeploymentId("x");
        var command = new CommandId("x");
        if (first) {
            projects.add(Project.newBuilder().setId("here").build(), "ann");
            pipeds.add(Piped.newBuilder().setId("p1").setProjectId("here").build(), "ann");
            keys.add(StoredAPIKey.newBuilder().setId("x").setProjectId("here").build(), "ann");
            deployments.add(deployment("x", DeploymentStatus.DEPLOYMENT_RUNNING), "ann");
            commands.add(
                    Command.newBuilder().setId("x").setPipedId("p1").setProjectId("here").build(),
                    "ann");
            events.add(event("x1", EventStatus.EVENT_NOT_HANDLED), "ann");
            chains.add(DeploymentChain.newBuilder().setId("x").setProjectId("here").build(), "ann");
        }
        return List.of(
                new Counter(
                        "Project",
                        () -> projects.update(PROJECT, "ann", p -> counted(p, "desc")),
                        () -> projects.find(PROJECT).orElseThrow().getDesc()),
                new Counter(
                        "Piped",
                        () -> pipeds.update(PIPED, "ann", p -> counted(p, "desc")),
                        () -> pipeds.find(PIPED).orElseThrow().getDesc()),
                new Counter(
                        "APIKey",
                        () -> keys.update("x", "ann", k -> counted(k, "creator")),
                        () -> keys.find("x").orElseThrow().getCreator()),
                new Counter(
                        "Deployment",
                        () -> deployments.update(deployment, "ann", d -> counted(d, "summary")),
                        () -> deployments.find(deployment).orElseThrow().getSummary()),
                new Counter(
                        "Command",
                        () -> commands.update(command, "ann", c -> counted(c, "commander")),
                        () -> commands.find(command).orElseThrow().getCommander()),
                new Counter(
                        "Event",
                        () -> events.update("x1", "ann", e -> counted(e, "data")),
                        () -> events.find("x1").orElseThrow().getData()),
                new Counter(
                        "DeploymentChain",
                        () -> chains.update("x", "ann", KindsContractTest::lengthened),
                        () -> "" + chains.find("x").orElseThrow().getBlocksCount()));
    }

    @SuppressWarnings("unchecked") // a builder builds its own message's type
    private static <T extends Message> Edit<T> counted(T before, String name) {
        var field = before.getDescriptorForType().findFieldByName(name);
        var count = (String) before.getField(field);
        var next = (count.isEmpty() ? 0 : Integer.parseInt(count)) + 1;
        return new Edit.Changed<>(
                (T) before.toBuilder().setField(field, "" + next).build(), "counted");
    }

    private static Edit<DeploymentChain> lengthened(DeploymentChain chain) {
        return new Edit.Changed<>(
                chain.toBuilder().addBlocks(ChainBlock.getDefaultInstance()).build(), "counted");
    }

    @Test
    void everyTableAndColumnThatSqliteHasIsThere() {
        try (var sqlite = TestEngine.open(TestEngine.SQLITE.fresh())) {
            var missing = new TreeMap<String, Set<String>>();
            for (var table : tables(sqlite)) {
                var columns = columns(sqlite, table);
                columns.removeAll(columns(database, table));
                columns.remove("version");
                columns.remove("extra");
                if (!columns.isEmpty()) missing.put(table, columns);
            }

            assertThat(missing).isEmpty();
        }
    }

    private static List<String> tables(Database sqlite) {
        return sqlite.read(connection -> {
            var found = new ArrayList<String>();
            try (var statement = connection.createStatement();
                    var rows =
                            statement.executeQuery(
                                    "SELECT name FROM sqlite_master WHERE type = 'table'"
                                            + " AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'flyway%'")) {
                while (rows.next()) found.add(rows.getString(1));
            }
            return found;
        });
    }

    private static Set<String> columns(Database database, String table) {
        return database.read(connection -> {
            var found = new TreeSet<String>();
            try (var statement = connection.createStatement();
                    var rows =
                            statement.executeQuery(
                                    "SELECT * FROM `%s` LIMIT 0"
                                            .formatted(database.engine().source(table)))) {
                var facts = rows.getMetaData();
                for (var i = 1; i <= facts.getColumnCount(); i++)
                    found.add(facts.getColumnLabel(i).toLowerCase(Locale.ROOT));
            }
            return found;
        });
    }
}
