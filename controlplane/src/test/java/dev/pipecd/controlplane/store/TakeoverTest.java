// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.event.EventFilter;
import dev.pipecd.controlplane.event.TraceFilter;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ChainBlockStatus;
import dev.pipecd.wire.model.ChainStatus;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentChain;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrace;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.stored.StoredAPIKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A database of the public server on a real MySQL: taken over as it stands, changed by ours, and
/// handed back.
class TakeoverTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ProjectId PROJECT = new ProjectId("quickstart");
    private static final String PIPED = "1f3b5a52-7c0a-4a53-9f35-64c4a1d4e0b1";
    private static final String APPLICATION = "b6e1f5a0-0d3c-4d0e-8f5e-2f1f3c9f6a11";
    private static final String DEPLOYMENT = "d05f4f6e-1c2b-4b8e-9a6d-0a1b2c3d4e5f";
    private static final String COMMAND = "c0ffee00-1234-4abc-8def-0123456789ab";
    private static final String KEY = "aa11bb22-cc33-4d44-9e55-ff6677889900";
    private static final String EVENT = "e1e1e1e1-0000-4000-8000-000000000001";
    private static final String CHAIN = "f2f2f2f2-0000-4000-8000-000000000001";
    private static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";
    private static final List<String> TABLES =
            List.of(
                    "Project",
                    "Application",
                    "Command",
                    "Deployment",
                    "Piped",
                    "APIKey",
                    "Event",
                    "DeploymentChain",
                    "DeploymentTrace");

    private final InstantSource clock = InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));
    private Database.Place.Server place;

    @BeforeEach
    void publicDatabase() throws IOException {
        place = (Database.Place.Server) TestEngine.MYSQL.fresh();
        run("public-schema.sql");
        run("public-rows.sql");
    }

    private void run(String file) throws IOException {
        try (var stream = TakeoverTest.class.getResourceAsStream(file)) {
            var text =
                    new String(
                            Objects.requireNonNull(stream, file).readAllBytes(),
                            StandardCharsets.UTF_8);
            for (var statement : text.replaceAll("(?m)^--.*$", "").split(";\\s*\\n"))
                if (!statement.isBlank()) execute(statement.strip());
        }
    }

    private void execute(String sql) {
        TestEngine.MYSQL.server().execute(place.dsn().database(), sql);
    }

    @AfterEach
    void drop() {
        execute("DROP DATABASE " + place.dsn().database());
    }

    @Test
    void whatThePublicServerWroteIsFound() {
        try (var database = TestEngine.open(place)) {
            var trail = new Trail(database);
            var applications = new ApplicationTable(database, trail, clock);
            var deployments = new DeploymentTable(database, trail, clock);

            assertThat(applications.find(new ApplicationId(APPLICATION)))
                    .map(Application::getName)
                    .hasValue("canary");
            assertThat(applications.list(ApplicationFilter.all(PROJECT), Cursor.START, 10))
                    .hasSize(1);
            assertThat(applications.enabled(new PipedId(PIPED))).hasSize(1);
            assertThat(deployments.live(new PipedId(PIPED)))
                    .extracting(Deployment::getStatus)
                    .containsExactly(DeploymentStatus.DEPLOYMENT_RUNNING);
            assertThat(new CommandTable(database, trail, clock).unhandled(new PipedId(PIPED)))
                    .extracting(Command::getId)
                    .containsExactly(COMMAND);
            assertThat(new PipedTable(database, trail, clock).of(PROJECT)).hasSize(1);
            assertThat(new ApiKeyTable(database, trail, clock).find(KEY))
                    .map(StoredAPIKey::getName)
                    .hasValue("ci");
        }
    }

    @Test
    void alsoItsProjectsEventsChainsAndTraces() {
        try (var database = TestEngine.open(place)) {
            assertThat(new ProjectTable(database, new Trail(database), clock).find(PROJECT))
                    .map(p -> p.getDesc() + " " + p.getStaticAdmin().getUsername())
                    .hasValue("first hello-pipecd");
            assertEventsChainsAndTracesAreFound(database);
        }
    }

    private void assertEventsChainsAndTracesAreFound(Database database) {
        var trail = new Trail(database);
        var events = new EventTable(database, trail, clock);
        var chains = new ChainTable(database, trail, clock);
        var traces = new TraceTable(database, trail, clock);

        var wanted =
                new EventFilter(
                        PROJECT,
                        "image-update",
                        List.of(EventStatus.EVENT_NOT_HANDLED),
                        Map.of("app", "canary"),
                        0);
        assertThat(events.list(wanted, Cursor.START, 10))
                .extracting(Event::getData)
                .containsExactly("v1.2.3");
        assertThat(events.latest(PROJECT, "a".repeat(64))).map(Event::getId).hasValue(EVENT);
        assertThat(chains.live(10)).extracting(DeploymentChain::getId).containsExactly(CHAIN);
        assertThat(chains.list(PROJECT, 0, Cursor.START, 10))
                .extracting(
                        c -> c.getBlocks(0).getNodes(0).getApplicationRef().getApplicationName())
                .containsExactly("canary");
        assertThat(traces.list(new TraceFilter(PROJECT, COMMIT, 0), Cursor.START, 10))
                .extracting(DeploymentTrace::getTitle)
                .containsExactly("Fix");
    }

    @Test
    void columnsAndIndexesThatAnOlderPublicVersionLacksAreAdded() throws Exception {
        var before = parts();
        execute("DROP INDEX event_project_id_status_created_at_desc ON Event");
        execute("DROP INDEX event_project_id_status_updated_at_desc ON Event");
        execute("DROP INDEX event_name_project_id_status_updated_at_desc ON Event");
        execute("ALTER TABLE Event DROP COLUMN Status");
        execute("DROP INDEX deployment_trace_commit_hash_updated_at_desc ON Deployment");
        execute("ALTER TABLE Deployment DROP COLUMN DeploymentTraceCommitHash");
        execute("DROP INDEX application_piped_id_updated_at_desc ON Application");
        execute(
                "ALTER TABLE DeploymentTrace DROP INDEX deploymenttrace_commit_hash_updated_at_desc");
        execute("ALTER TABLE DeploymentTrace DROP COLUMN CommitHash");
        var rows = rows();
        assertThat(parts()).isNotEqualTo(before);

        try (var database = TestEngine.open(place)) {
            assertEventsChainsAndTracesAreFound(database);
        }

        assertThat(parts()).isEqualTo(before);
        assertThat(rows()).isEqualTo(rows);
    }

    @Test
    void aTableThatAnOlderPublicVersionDoesNotKnowIsMadeAsItsOwn() throws Exception {
        var before = definitions();
        execute("DROP TABLE DeploymentTrace");
        execute("DROP TABLE DeploymentChain");

        TestEngine.open(place).close();

        assertThat(definitions()).isEqualTo(before);
    }

    /// Columns and indexes in whatever order: what is added later stands behind.
    private List<String> parts() throws SQLException {
        return definitions().stream()
                .flatMap(String::lines)
                .map(line -> line.replaceFirst(",$", ""))
                .sorted()
                .toList();
    }

    @Test
    void itsTablesStayAsTheyAreButForIndexes() throws Exception {
        var before = definitions();

        TestEngine.open(place).close();

        assertThat(definitions()).isEqualTo(before);
    }

    @Test
    void anEmptyDatabaseGetsTheSameTables() throws Exception {
        var ours = (Database.Place.Server) TestEngine.MYSQL.fresh();
        TestEngine.open(ours).close();

        assertThat(definitions(ours)).isEqualTo(definitions(place));
    }

    @Test
    void whatWeChangeLeavesAllOtherFieldsAlone() throws Exception {
        var before = rows();

        try (var database = TestEngine.open(place)) {
            var trail = new Trail(database);
            new ApplicationTable(database, trail, clock)
                    .update(
                            new ApplicationId(APPLICATION),
                            "ann",
                            a -> changed(a.toBuilder().setDescription("new").build()));
            new DeploymentTable(database, trail, clock)
                    .update(new DeploymentId(DEPLOYMENT), "ann", TakeoverTest::completed);
            new CommandTable(database, trail, clock)
                    .update(
                            new CommandId(COMMAND),
                            "ann",
                            c ->
                                    changed(
                                            c.toBuilder()
                                                    .setStatus(CommandStatus.COMMAND_SUCCEEDED)
                                                    .build()));
            new PipedTable(database, trail, clock)
                    .update(
                            new PipedId(PIPED),
                            "ann",
                            p -> changed(p.toBuilder().setDesc("new").build()));
            new ApiKeyTable(database, trail, clock)
                    .update(KEY, "ann", k -> changed(k.toBuilder().setDisabled(true).build()));
            new ProjectTable(database, trail, clock)
                    .update(PROJECT, "ann", p -> changed(p.toBuilder().setDesc("new").build()));
            new EventTable(database, trail, clock)
                    .update(
                            EVENT,
                            "ann",
                            e ->
                                    changed(
                                            e.toBuilder()
                                                    .setStatus(EventStatus.EVENT_SUCCESS)
                                                    .setHandledAt(1_799_999_999)
                                                    .build()));
            new ChainTable(database, trail, clock).update(CHAIN, "ann", TakeoverTest::begun);
        }

        edit(before, "Application", d -> d.put("description", "new"));
        edit(before, "Command", d -> d.put("status", 1));
        edit(before, "Piped", d -> d.put("desc", "new"));
        edit(before, "APIKey", d -> d.put("disabled", true));
        edit(before, "Project", d -> d.put("desc", "new"));
        edit(before, "Event", d -> d.put("status", 1).put("handled_at", 1_799_999_999));
        edit(
                before,
                "DeploymentChain",
                d -> {
                    var block = (ObjectNode) d.get("blocks").get(0);
                    block.put("status", 1);
                    ((ObjectNode) block.get("nodes").get(0))
                            .set(
                                    "deployment_ref",
                                    JSON.createObjectNode().put("deployment_id", DEPLOYMENT));
                    return d.put("status", 1);
                });
        edit(
                before,
                "Deployment",
                d -> {
                    ((ObjectNode) d.get("stages").get(1)).put("status", 2);
                    return d.put("status", 4).put("completed_at", 1_799_999_999);
                });
        assertThat(rows()).isEqualTo(before);
    }

    private static <T> Edit<T> changed(T value) {
        return new Edit.Changed<>(value, "changed");
    }

    private static Edit<Deployment> completed(Deployment deployment) {
        var builder = deployment.toBuilder().setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS);
        builder.getStagesBuilder(1).setStatus(StageStatus.STAGE_SUCCESS);
        return changed(builder.setCompletedAt(1_799_999_999).build());
    }

    private static Edit<DeploymentChain> begun(DeploymentChain chain) {
        var builder = chain.toBuilder().setStatus(ChainStatus.DEPLOYMENT_CHAIN_RUNNING);
        var block =
                builder.getBlocksBuilder(0).setStatus(ChainBlockStatus.DEPLOYMENT_BLOCK_RUNNING);
        block.getNodesBuilder(0).getDeploymentRefBuilder().setDeploymentId(DEPLOYMENT);
        return changed(builder.build());
    }

    private static void edit(
            TreeMap<String, ObjectNode> rows, String table, UnaryOperator<ObjectNode> change) {
        rows.compute(
                table, (_, data) -> change.apply(data.deepCopy()).put("updated_at", 1_800_000_000));
    }

    @Test
    void generatedColumnsFollow() throws Exception {
        try (var database = TestEngine.open(place)) {
            new DeploymentTable(database, new Trail(database), clock)
                    .update(new DeploymentId(DEPLOYMENT), "ann", TakeoverTest::completed);
        }

        assertThat(
                        ask(
                                "SELECT BIN_TO_UUID(Id, 1), ProjectId, Extra, ApplicationId, ApplicationName,"
                                        + " Kind, Status, PipedId, CompletedAt, UpdatedAt FROM Deployment"))
                .containsExactly(
                        "%s|quickstart|canary|%s|canary|0|4|%s|1799999999|1800000000"
                                .formatted(DEPLOYMENT, APPLICATION, PIPED));
    }

    @Test
    void idsThatAreNoUuidsAreFoundWhereThePublicServerPutsThem() throws Exception {
        try (var database = TestEngine.open(place)) {
            var id = database.engine().dialect().id("quickstart");
            assertThat(
                            database.<Boolean>read(connection -> {
                                try (var statement =
                                        connection.prepareStatement(
                                                "SELECT 1 FROM Project WHERE Id = ?")) {
                                    statement.setObject(1, id);
                                    try (var rows = statement.executeQuery()) {
                                        return rows.next();
                                    }
                                }
                            }))
                    .isTrue();
        }
    }

    /// The one row of each table.
    private TreeMap<String, ObjectNode> rows() throws Exception {
        var rows = new TreeMap<String, ObjectNode>();
        for (var table : TABLES)
            rows.put(
                    table, (ObjectNode) JSON.readTree(ask("SELECT Data FROM " + table).getFirst()));
        return rows;
    }

    private List<String> definitions() throws SQLException {
        return definitions(place);
    }

    /// Without the two indexes that are ours, which change no answer.
    private List<String> definitions(Database.Place.Server of) throws SQLException {
        var found = new ArrayList<String>();
        for (var table : TABLES)
            for (var definition : ask(of, "SHOW CREATE TABLE " + table))
                found.add(definition.replaceAll(",\n *KEY `Deployment_(Kind|Status)` .*[)]", ""));
        return found;
    }

    private List<String> ask(String sql) throws SQLException {
        return ask(place, sql);
    }

    private static List<String> ask(Database.Place.Server of, String sql) throws SQLException {
        var found = new ArrayList<String>();
        try (var connection = TestEngine.MYSQL.server().connect(of.dsn().database());
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                var row = new ArrayList<String>();
                for (var i = 1; i <= rows.getMetaData().getColumnCount(); i++)
                    row.add(rows.getString(i));
                found.add(String.join("|", row));
            }
        }
        return found;
    }
}
