// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.event.TraceFilter;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.store.engine.Condition;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Piped;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// What is asked beside the lists: commits and what they were deployed by, the agents of a project,
/// ended sessions, news of the trail. Thirty projects have a hundred rows each.
@ParameterizedClass
@EnumSource(TestEngine.class)
class LookUpPlansTest {
    private static final ProjectId PROJECT = new ProjectId("project-1");
    private static final String COMMIT = "%040d".formatted(31);
    private static final int ROWS = 3_000;
    private static final int PROJECTS = 30;
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));

    private final Database database;

    LookUpPlansTest(TestEngine engine) {
        database = TestEngine.open(engine.fresh());
        for (var table : List.of("Deployment", "DeploymentTrace", "Piped"))
            for (var first = 0; first < ROWS; first += 500) fill(table, first, 500);
        if (engine.shared())
            database.write(transaction ->
                    transaction
                            .prepare("ANALYZE TABLE Deployment, DeploymentTrace, Piped")
                            .execute());
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void eachIsFoundByAnIndexAndReadsNoMoreThanOneProject() {
        assertThat(selects())
                .allSatisfy((name, select) -> {
                    assertThat(Plan.of(database, select))
                            .as(name)
                            .isNotEmpty()
                            .allMatch(Plan::byIndex);
                    if (database.shared()) // SQLite does not tell
                    assertThat(Plan.reads(database, select))
                                .as(name)
                                .isLessThan(2 * ROWS / PROJECTS);
                });
    }

    private Map<String, Condition> selects() {
        var trail = new Trail(database);
        var traces = new TraceTable(database, trail, CLOCK).documents();
        var deployments = new DeploymentTable(database, trail, CLOCK).documents();
        var kind =
                new DocumentKind<>(
                        "Piped", Piped.getDefaultInstance(), Change.Kind.PIPED, "name", "id");
        var pipeds = new Documents<>(database, trail, kind, CLOCK);
        var all = new LinkedHashMap<String, Condition>();
        var commit = new TraceFilter(PROJECT, COMMIT, 0);
        all.put(
                "traces",
                list(traces, TraceTable.where(new TraceFilter(PROJECT, "", 0), Cursor.START)));
        all.put("traces of a commit", list(traces, TraceTable.where(commit, Cursor.START)));
        all.put(
                "deployments of a commit",
                list(deployments, DeploymentTable.tracedBy(PROJECT, List.of(COMMIT))));
        all.put(
                "agents of a project",
                select(pipeds, Where.ALL.and("ProjectId = ?", PROJECT.value()), "Id"));
        all.put(
                "ended sessions",
                Condition.of("SELECT Id FROM RevokedSession WHERE Id IN (?, ?)", "s1", "s2"));
        all.put(
                "news of the trail",
                Condition.of("SELECT Seq FROM `Change` WHERE Seq > ? ORDER BY Seq LIMIT 200", 1));
        return all;
    }

    private Condition list(Documents<?> documents, Where where) {
        return select(documents, where, Where.NEWEST_FIRST);
    }

    private Condition select(Documents<?> documents, Where where, String order) {
        return database.read(connection -> documents.select(connection, where, order, 50));
    }

    private void fill(String table, int first, int number) {
        var dialect = database.engine().dialect();
        var values = new ArrayList<Object>();
        for (var i = first; i < first + number; i++) {
            var id = "00000000-0000-4000-8000-%012d".formatted(i);
            values.add(dialect.id(id));
            values.add(
                    """
                    {"id": "%s", "name": "n-%d", "application_name": "n", "application_id": "%1$s", "piped_id": "p",
                     "project_id": "project-%d", "kind": 0, "status": 4, "commit_hash": "%040d",
                     "deployment_trace_commit_hash": "%4$040d", "created_at": %d, "updated_at": %5$d,
                     "completed_at": %5$d, "_extra": "n"}
                    """
                            .formatted(id, i, i % PROJECTS, i % 300, 1_800_000_000 + i));
        }
        var row = dialect.versioned() ? "(?, ?, 1)" : "(?, ?)";
        var _ =
                database.write(transaction ->
                        transaction
                                .prepare(
                                        "INSERT INTO %s (%s) VALUES %s"
                                                .formatted(
                                                        table,
                                                        dialect.versioned()
                                                                ? "Id, Data, Version"
                                                                : "Id, Data",
                                                        String.join(
                                                                ", ",
                                                                Collections.nCopies(number, row))),
                                        values.toArray())
                                .executeUpdate());
    }
}
