// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.pipecd.controlplane.access.Labels;
import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.application.ApplicationFilter.Activity;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.deployment.DeploymentFilter;
import dev.pipecd.controlplane.event.EventFilter;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.store.engine.Condition;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.EventStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Every list that a page or an agent asks for is found by an index, with each of its filters.
@ParameterizedClass
@EnumSource(TestEngine.class)
class PlansTest {
    private static final ProjectId PROJECT = new ProjectId("project-1");
    private static final Cursor LATER =
            new Cursor(1_800_000_500, "00000000-0000-4000-8000-000000000500");
    private static final int ROWS = 3_000;
    private static final String LONG = "app-7".repeat(60);
    private static final Map<String, String> RARE = Map.of("env", "e1");
    private static final Map<String, String> USUAL = Map.of("every", "one");
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));

    private static final Map<TestEngine, Tables> FILLED = new ConcurrentHashMap<>();

    private final Database database;
    private final Map<String, Question> questions = new TreeMap<>();

    PlansTest(TestEngine engine) {
        var filled = FILLED.computeIfAbsent(engine, PlansTest::filled);
        database = filled.database();
        var applications = filled.applications();
        var deployments = filled.deployments();
        var events = filled.events();
        ask("applications, ", applications.documents(), applications());
        ask("deployments, ", deployments.documents(), deployments());
        ask("events, ", events.documents(), events());
        var chains = filled.chains();
        ask("chains, ", chains.documents(), chains());
        // The public schema has no index of it; it is asked when a server starts and once an hour.
        if (database.engine().dialect().versioned())
            questions.put(
                    "chains, live",
                    new Question(chains.documents(), ChainTable.LIVE, "CreatedAt, Id"));
        var commands = filled.commands();
        ask(
                "commands, ",
                commands,
                Map.of("unhandled", Where.ALL.and("PipedId = ?", "piped-3").and("Status = 0")));
        questions.put(
                "deployments, ended",
                new Question(
                        deployments.documents(),
                        DeploymentTable.endedBefore(1_800_001_000, LATER),
                        "CompletedAt, Id"));
        questions.put(
                "commands, ended",
                new Question(
                        commands, CommandTable.endedBefore(1_800_001_000, LATER), "CreatedAt, Id"));
        questions.put(
                "events, registered",
                new Question(
                        events.documents(),
                        EventTable.registeredBefore(PROJECT, 1_800_001_000, LATER),
                        "CreatedAt, Id"));
    }

    private static Tables filled(TestEngine engine) {
        var database = TestEngine.open(engine.fresh());
        fill(database);
        var trail = new Trail(database);
        var tables =
                new Tables(
                        database,
                        new ApplicationTable(database, trail, CLOCK),
                        new DeploymentTable(database, trail, CLOCK),
                        new EventTable(database, trail, CLOCK),
                        new ChainTable(database, trail, CLOCK),
                        commands(database, trail));
        LabelKeeper.of(CLOCK, tables.applications(), tables.deployments(), tables.events()).keep();
        analyze(database);
        return tables;
    }

    private record Tables(
            Database database,
            ApplicationTable applications,
            DeploymentTable deployments,
            EventTable events,
            ChainTable chains,
            Documents<Command> commands) {}

    @AfterAll
    static void close() {
        FILLED.values().forEach(tables -> tables.database().close());
    }

    private void ask(String what, Documents<?> documents, Map<String, Where> wheres) {
        wheres.forEach((name, where) ->
                questions.put(what + name, new Question(documents, where, Where.NEWEST_FIRST)));
    }

    private record Question(Documents<?> documents, Where where, String order) {}

    @Test
    void everyListIsFoundByAnIndex() {
        assertThat(questions)
                .allSatisfy((name, question) -> {
                    var steps = plan(question);
                    assertThat(steps).isNotEmpty().allMatch(Plan::byIndex);
                    assertThat(steps.stream().anyMatch(PlansTest::byLabel))
                            .as(name)
                            .isEqualTo(name.contains("by label"));
                });
    }

    /// Neither the project's other applications are passed over, nor all of the agent's sorted.
    @Test
    void thePagesOfAnAgentsApplicationsCostTheSameInAProjectOfMany() {
        var question = requireNonNull(questions.get("applications, piped"));

        assertThat(plan(question))
                .singleElement(STRING)
                .containsAnyOf(
                        "(ProjectId=? AND PipedId=?)", "Application_Piped", "piped_id_updated");
    }

    /// A project has a thousand documents of each kind, and the others two thousand more; a rare
    /// label is on 143.
    @Test
    void aPageReadsNoMoreThanItNeedsHoweverMuchThereIs() {
        if (!database.shared()) return; // SQLite does not tell
        questions.values().removeIf(q -> !q.order().equals(Where.NEWEST_FIRST));

        assertThat(questions)
                .allSatisfy(
                        (name, question) -> assertThat(reads(question)).as(name).isLessThan(300));
    }

    private long reads(Question question) {
        return Plan.reads(database, select(question, 10));
    }

    private static Documents<Command> commands(Database database, Trail trail) {
        return new Documents<>(
                database,
                trail,
                new DocumentKind<>(
                        "Command", Command.getDefaultInstance(), Change.Kind.COMMAND, "id", ""),
                CLOCK);
    }

    private static void fill(Database database) {
        for (var first = 0; first < ROWS; first += 100) insert(database, first, 100);
    }

    private static void analyze(Database database) {
        if (!database.shared()) return;
        database.write(transaction -> {
            transaction
                    .prepare(
                            "ANALYZE TABLE Application, Deployment, Command, Event, DeploymentChain,"
                                    + " ApplicationLabel, DeploymentLabel, EventLabel")
                    .execute();
            return true;
        });
    }

    /// As quickly as can be: the trail has nothing to do with plans.
    private static void insert(Database database, int first, int number) {
        var dialect = database.engine().dialect();
        database.write(transaction -> {
            for (var table :
                    List.of("Application", "Deployment", "Command", "Event", "DeploymentChain")) {
                var columns = dialect.versioned() ? "Id, Data, Version" : "Id, Data";
                var row = dialect.versioned() ? "(?, ?, 1)" : "(?, ?)";
                var values = new ArrayList<Object>();
                for (var i = first; i < first + number; i++) {
                    values.add(dialect.id(id(i)));
                    values.add(data(i));
                }
                transaction
                        .prepare(
                                "INSERT INTO %s (%s) VALUES %s"
                                        .formatted(
                                                table,
                                                columns,
                                                String.join(
                                                        ", ", Collections.nCopies(number, row))),
                                values.toArray())
                        .executeUpdate();
            }
            return true;
        });
    }

    private static String id(int i) {
        return "00000000-0000-4000-8000-%012d".formatted(i);
    }

    private static String data(int i) {
        return """
        {"id": "%s", "name": "app-%d", "application_name": "app-%d", "application_id": "%s",
         "piped_id": "piped-%d", "event_key": "key", "project_id": "project-%d", "kind": %d, "status": %d,
         "sync_state": {"status": %d}, "labels": {"env": "e%d", "every": "one"},
         "created_at": %d, "updated_at": %d, "completed_at": %d}
        """
                .formatted(
                        id(i),
                        i % 300,
                        i % 300,
                        id(i % 300),
                        i % 20,
                        i % 3,
                        i % 6,
                        i % 50 == 0 ? i % 4 : 4 + i % 3,
                        i % 5,
                        i % 7,
                        1_800_000_000 + i,
                        1_800_000_000 + i,
                        1_800_000_000 + i);
    }

    private static Map<String, Where> applications() {
        var tests = new LinkedHashMap<String, Where>();
        var none = List.<ApplicationSyncStatus>of();
        var kinds = List.of(ApplicationKind.TERRAFORM, ApplicationKind.ECS);
        var drifted = List.of(ApplicationSyncStatus.OUT_OF_SYNC);
        Map.of(
                        "all", filter(Activity.ANY, List.of(), none, "", "", Map.of()),
                        "enabled", filter(Activity.ENABLED, List.of(), none, "", "", Map.of()),
                        "kinds", filter(Activity.ANY, kinds, none, "", "", Map.of()),
                        "sync", filter(Activity.ANY, List.of(), drifted, "", "", Map.of()),
                        "name", filter(Activity.ANY, List.of(), none, "app-7", "", Map.of()),
                        "long name", filter(Activity.ANY, List.of(), none, LONG, "", Map.of()),
                        "piped", filter(Activity.ANY, List.of(), none, "", "piped-3", Map.of()),
                        "disabled", filter(Activity.DISABLED, List.of(), none, "", "", Map.of()),
                        "by label", filter(Activity.ANY, List.of(), none, "", "", RARE),
                        "by label of a name",
                                filter(Activity.ANY, List.of(), none, "app-7", "", RARE))
                .forEach((name, filter) -> {
                    tests.put(name, ApplicationTable.where(filter, Cursor.START));
                    tests.put(name + ", next page", ApplicationTable.where(filter, LATER));
                });
        tests.put(
                "of an agent",
                Where.ALL.and("PipedId = ?", "piped-3").and("Disabled = 0 AND Deleted = 0"));
        return tests;
    }

    private static ApplicationFilter filter(
            Activity activity,
            List<ApplicationKind> kinds,
            List<ApplicationSyncStatus> statuses,
            String name,
            String piped,
            Map<String, String> labels) {
        return new ApplicationFilter(PROJECT, activity, kinds, statuses, name, piped, labels);
    }

    private static Map<String, Where> deployments() {
        var tests = new LinkedHashMap<String, Where>();
        var statuses =
                List.of(DeploymentStatus.DEPLOYMENT_RUNNING, DeploymentStatus.DEPLOYMENT_PLANNED);
        Map.of(
                        "all", filter(List.of(), List.of(), List.of(), "", Map.of(), 0),
                        "since",
                                filter(
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        "",
                                        Map.of(),
                                        1_800_000_100),
                        "statuses", filter(statuses, List.of(), List.of(), "", Map.of(), 0),
                        "kinds",
                                filter(
                                        List.of(),
                                        List.of(ApplicationKind.LAMBDA),
                                        List.of(),
                                        "",
                                        Map.of(),
                                        0),
                        "application",
                                filter(List.of(), List.of(), List.of(id(1)), "", Map.of(), 0),
                        "name", filter(List.of(), List.of(), List.of(), "app-7", Map.of(), 0),
                        "long name", filter(List.of(), List.of(), List.of(), LONG, Map.of(), 0),
                        "by label", filter(List.of(), List.of(), List.of(), "", RARE, 0),
                        "by label of statuses", filter(statuses, List.of(), List.of(), "", RARE, 0),
                        "usual label of live ones",
                                filter(statuses, List.of(), List.of(), "", USUAL, 0))
                .forEach((name, filter) -> {
                    tests.put(name, DeploymentTable.where(filter, Cursor.START));
                    tests.put(name + ", next page", DeploymentTable.where(filter, LATER));
                });
        tests.put(
                "by label, in the sets of two roles",
                DeploymentTable.where(
                        new DeploymentFilter(
                                PROJECT,
                                List.of(),
                                List.of(),
                                List.of(),
                                "",
                                new Labels(USUAL, List.of(RARE, Map.of("env", "e2"))),
                                0),
                        LATER));
        var ended =
                List.of(DeploymentStatus.DEPLOYMENT_SUCCESS, DeploymentStatus.DEPLOYMENT_FAILURE);
        tests.put(
                "usual statuses",
                DeploymentTable.where(
                        filter(ended, List.of(), List.of(), "", Map.of(), 0), Cursor.START));
        var kinds = List.of(ApplicationKind.TERRAFORM, ApplicationKind.CLOUDRUN);
        tests.put(
                "usual kinds",
                DeploymentTable.where(
                        filter(List.of(), kinds, List.of(), "", Map.of(), 0), Cursor.START));
        tests.put("of an agent, live", Where.ALL.and("PipedId = ?", "piped-3").and("Status < 4"));
        return tests;
    }

    private static DeploymentFilter filter(
            List<DeploymentStatus> statuses,
            List<ApplicationKind> kinds,
            List<String> applications,
            String name,
            Map<String, String> labels,
            long since) {
        return new DeploymentFilter(PROJECT, statuses, kinds, applications, name, labels, since);
    }

    private static Map<String, Where> events() {
        var tests = new LinkedHashMap<String, Where>();
        var failed = List.of(EventStatus.EVENT_FAILURE);
        Map.of(
                        "all", new EventFilter(PROJECT, "", List.of(), Map.of(), 0),
                        "name", new EventFilter(PROJECT, "app-7", List.of(), Map.of(), 0),
                        "long name", new EventFilter(PROJECT, LONG, List.of(), Map.of(), 0),
                        "statuses", new EventFilter(PROJECT, "", failed, Map.of(), 0),
                        "by label", new EventFilter(PROJECT, "", List.of(), RARE, 0),
                        "by label and name", new EventFilter(PROJECT, "app-7", List.of(), RARE, 0))
                .forEach((name, filter) -> {
                    tests.put(name, EventTable.where(filter, Cursor.START));
                    tests.put(name + ", next page", EventTable.where(filter, LATER));
                });
        return tests;
    }

    private static Map<String, Where> chains() {
        return Map.of(
                "all", ChainTable.where(PROJECT, 0, Cursor.START),
                "all, next page", ChainTable.where(PROJECT, 0, LATER),
                "since", ChainTable.where(PROJECT, 1_800_000_100, Cursor.START));
    }

    private List<String> plan(Question question) {
        return Plan.of(database, select(question, 50));
    }

    private Condition select(Question question, int limit) {
        return database.read(connection ->
                question.documents().select(connection, question.where(), question.order(), limit));
    }

    private static boolean byLabel(String step) {
        return step.contains("Label_Newest") || step.contains("Label USING PRIMARY KEY");
    }
}
