// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.access.Labels;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.deployment.DeploymentFilter;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Deployment;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Lists by label, led by the rows of labels, on every engine.
@ParameterizedClass
@EnumSource(TestEngine.class)
class LabelsContractTest {
    private static final ProjectId PROJECT = new ProjectId("here");

    private final TestEngine engine;
    private final Replicas replicas;
    private final Database database;
    private final AtomicLong now = new AtomicLong(1_800_000_000);
    private final InstantSource clock = () -> Instant.ofEpochSecond(now.get());
    private final DeploymentTable table;
    private final LabelKeeper keeper;

    LabelsContractTest(TestEngine engine) {
        this.engine = engine;
        replicas = engine.replicas();
        database = replicas.here();
        var trail = new Trail(database);
        table = new DeploymentTable(database, trail, clock);
        keeper =
                LabelKeeper.of(
                        clock,
                        new ApplicationTable(database, trail, clock),
                        table,
                        new EventTable(database, trail, clock));
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    private void execute(String sql) {
        database.write(transaction -> transaction.prepare(sql).executeUpdate());
    }

    /// Each a second younger than the one before.
    private void add(String id, Map<String, String> labels) {
        now.incrementAndGet();
        table.add(
                Deployment.newBuilder()
                        .setId(id)
                        .setApplicationId("a1")
                        .setApplicationName("app")
                        .setPipedId("p1")
                        .setProjectId(PROJECT.value())
                        .putAllLabels(labels)
                        .build(),
                "ann");
    }

    private List<String> listed(Map<String, String> wanted) {
        return listed(Labels.of(wanted), Cursor.START, 10);
    }

    private List<String> listed(Labels labels, Cursor after, int limit) {
        var filter = new DeploymentFilter(PROJECT, List.of(), List.of(), List.of(), "", labels, 0);
        return table.list(filter, after, limit).stream().map(Deployment::getId).toList();
    }

    private boolean led() {
        return database.read(connection ->
                table.documents()
                        .select(
                                connection,
                                Where.ALL
                                        .and("ProjectId = ?", PROJECT.value())
                                        .labels(Map.of("env", "prod")),
                                Where.NEWEST_FIRST,
                                10)
                        .sql()
                        .contains("DeploymentLabel"));
    }

    private long rows() {
        return database.read(connection -> {
            try (var statement =
                            connection.prepareStatement("SELECT COUNT(*) FROM DeploymentLabel");
                    var rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        });
    }

    @Test
    void aListByLabelIsNewestFirstAndGoesOnWhereItEnded() {
        add("d1", Map.of("env", "prod"));
        add("d2", Map.of("env", "dev"));
        add("d3", Map.of("env", "prod", "team", "blue"));
        add("d4", Map.of("env", "prod"));
        keeper.keep();

        assertThat(led()).isTrue();
        assertThat(listed(Map.of("env", "prod"))).containsExactly("d4", "d3", "d1");
        assertThat(listed(Labels.of(Map.of("env", "prod")), new Cursor(1_800_000_003, "d3"), 10))
                .containsExactly("d1");
        assertThat(listed(Labels.of(Map.of("env", "prod")), Cursor.START, 2))
                .containsExactly("d4", "d3");
        assertThat(listed(Map.of("env", "prod", "team", "blue"))).containsExactly("d3");
        assertThat(listed(Map.of("env", "Prod"))).isEmpty();
    }

    @Test
    void aCallerOfTwoRolesSeesWhatEitherShowsOnce() {
        add("d1", Map.of("env", "prod", "team", "blue"));
        add("d2", Map.of("env", "prod", "team", "red"));
        add("d3", Map.of("env", "prod", "team", "green"));
        keeper.keep();
        var roles =
                List.of(
                        Map.of("team", "blue"),
                        Map.of("team", "red"),
                        Map.of("team", "blue", "env", "prod"));

        assertThat(listed(new Labels(Map.of(), roles), Cursor.START, 10))
                .containsExactly("d2", "d1");
        assertThat(listed(new Labels(Map.of("env", "prod"), roles), Cursor.START, 1))
                .containsExactly("d2");
        assertThat(listed(new Labels(Map.of("env", "dev"), roles), Cursor.START, 10)).isEmpty();
    }

    @Test
    void aDocumentMovesInTheListWhenItIsUpdatedAndLeavesItWithItsLabel() {
        add("d1", Map.of("env", "prod"));
        add("d2", Map.of("env", "prod"));
        keeper.keep();

        now.incrementAndGet();
        set("d1", Map.of("env", "prod"));
        assertThat(listed(Map.of("env", "prod"))).containsExactly("d1", "d2");

        set("d1", Map.of("env", "dev"));
        assertThat(listed(Map.of("env", "prod"))).containsExactly("d2");
        assertThat(listed(Map.of("env", "dev"))).containsExactly("d1");
        assertThat(rows()).isEqualTo(2);
    }

    private void set(String id, Map<String, String> labels) {
        table.update(
                new DeploymentId(id),
                "ann",
                d ->
                        new Edit.Changed<>(
                                d.toBuilder().clearLabels().putAllLabels(labels).build(),
                                "labelled"));
    }

    @Test
    void whatWasThereBeforeIsFoundWhileItsRowsAreMadeAndThen() {
        add("d1", Map.of("env", "prod"));
        add("d2", Map.of("env", "prod"));
        execute("DELETE FROM DeploymentLabel");

        assertThat(led()).isFalse();
        assertThat(listed(Map.of("env", "prod"))).containsExactly("d2", "d1");

        keeper.keep();

        assertThat(led()).isTrue();
        assertThat(listed(Map.of("env", "prod"))).containsExactly("d2", "d1");
    }

    @Test
    void aBrokenOffFirstReadingGoesOnWhereItStopped() throws SQLException {
        var first = "00000000-0000-4000-8000-000000000001";
        var second = "00000000-0000-4000-8000-000000000002";
        add(first, Map.of("env", "prod"));
        add(second, Map.of("env", "prod"));
        execute("DELETE FROM DeploymentLabel");
        database.write(transaction ->
                transaction
                        .prepare(
                                "UPDATE LabelMark SET Reached = ?, BeganAt = ? WHERE Kind ="
                                        + " 'Deployment'",
                                first,
                                now.get() + 3600)
                        .executeUpdate());

        keeper.keep();

        assertThat(listed(Map.of("env", "prod"))).containsExactly(second);
    }

    @Test
    void whatAnotherServerWroteIsHiddenOrRightAndFoundByTheNextLook() {
        if (!engine.shared()) return; // nobody else writes a file of ours
        add("d1", Map.of("env", "prod"));
        add("d2", Map.of("env", "prod"));
        keeper.keep();

        execute(
                "UPDATE Deployment SET Data = JSON_SET(Data, '$.labels.env', 'dev',"
                        + " '$.updated_at', 1800000100) WHERE ApplicationName = 'app' AND UpdatedAt"
                        + " = 1800000001");
        assertThat(listed(Map.of("env", "prod"))).containsExactly("d2");

        now.set(1_800_000_200);
        keeper.keep();
        assertThat(listed(Map.of("env", "dev"))).containsExactly("d1");
        assertThat(listed(Map.of("env", "prod"))).containsExactly("d2");
    }

    @Test
    void rowsGoWithTheirDocument() {
        add("d1", Map.of("env", "prod", "team", "blue"));

        execute("DELETE FROM Deployment");

        assertThat(rows()).isZero();
    }
}
