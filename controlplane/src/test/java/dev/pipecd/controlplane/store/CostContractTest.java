// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.Samples;
import dev.pipecd.controlplane.World;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// What agents and people ask again and again costs the database the same, whatever lies in it: the
/// statements of each call are taken from the server's own log and counted one by one. What SQLite
/// reads from disk it finds by the same statements; their plans are in `PlansTest`.
@ParameterizedClass
@EnumSource(
        value = TestEngine.class,
        names = {"MARIADB", "MYSQL"})
final class CostContractTest {
    private static final String DEPLOYMENT = "d0000000-0000-4000-8000-00000000c057";
    private static final int HISTORY = 1_000;

    /// What was a row and is a page, found in an index and fetched.
    private static final long A_PAGE = 25;

    /// A project has few of these, however old it is.
    private static final Set<String> FEW_IN_A_PROJECT = Set.of("Application", "Piped", "APIKey");

    private static final List<String> FILLED =
            List.of(
                    "Project",
                    "Application",
                    "Deployment",
                    "Command",
                    "Event",
                    "Piped",
                    "APIKey",
                    "DeploymentTrace",
                    "DeploymentChain");
    private static final Pattern CHANGES = Pattern.compile("(?i)\\s*(INSERT|UPDATE|DELETE).*");

    private final TestServer server;
    private final String name;
    private final Database.Place place;
    @TempDir private Path folder;
    private World world;
    private Samples.Home home;
    private AskedOften asked;

    CostContractTest(TestEngine engine) {
        server = engine.server();
        place = engine.fresh();
        name = ((Database.Place.Server) place).dsn().database();
    }

    @BeforeEach
    void open() throws Exception {
        world = new World(folder, place);
        home = Samples.home(world, World.HERE);
        home.create(DEPLOYMENT);
        asked = new AskedOften(world, home, DEPLOYMENT);
        server.execute("", "SET GLOBAL log_output = 'TABLE'", "SET GLOBAL general_log = 'ON'");
    }

    @AfterEach
    void close() {
        server.execute("", "SET GLOBAL general_log = 'OFF'", "TRUNCATE mysql.general_log");
        world.close();
    }

    @Test
    void noCallReadsMoreForALongHistoryAndManyProjects() throws Exception {
        var few = reads();
        fill();

        var many = reads();

        assertThat(many.keySet()).isEqualTo(asked.calls().keySet());
        assertThat(few.values()).anyMatch(reads -> reads > 0);
        assertThat(many)
                .allSatisfy((call, reads) ->
                        assertThat(reads)
                                .as("%s, which read %d rows before", call, few.get(call))
                                .isLessThanOrEqualTo(few.getOrDefault(call, 0L) + A_PAGE));
    }

    private Map<String, Long> reads() throws SQLException {
        var reads = new TreeMap<String, Long>();
        try (var connection = server.connect(name)) {
            for (var call : asked.calls().entrySet()) {
                call.getValue().run(); // what is read once only
                server.execute("", "TRUNCATE mysql.general_log");
                call.getValue().run();
                var sum = 0L;
                for (var statement : statements(connection)) sum += reads(connection, statement);
                reads.put(call.getKey(), sum);
            }
        }
        return reads;
    }

    /// Of this database alone, and each form once: the server is shared, and something looks for
    /// news all the time.
    private List<String> statements(Connection connection) throws SQLException {
        var ours = threads(connection);
        var found = new LinkedHashMap<String, String>();
        try (var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                "SELECT thread_id, CAST(argument AS BINARY)"
                                        + " FROM mysql.general_log WHERE command_type IN ('Query', 'Execute')")) {
            while (rows.next()) {
                if (!ours.contains(rows.getLong(1))) continue;
                var sql = readable(rows.getBytes(2));
                if (sql.contains("?")) continue; // MariaDB tells some before their values
                if (sql.matches("(?is)\\s*(SELECT .* FROM|INSERT|UPDATE|DELETE) .*"))
                    found.put(sql.replaceAll("'[^']*'|\\d+", "?"), sql);
            }
        }
        return List.copyOf(found.values());
    }

    /// Shown and not selected from a table: the statements that run just then stand beside them,
    /// and the ids in those are no text a table would take.
    private Set<Long> threads(Connection connection) throws SQLException {
        var threads = new HashSet<Long>();
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("SHOW PROCESSLIST")) {
            while (rows.next())
                if (name.equals(rows.getString("db"))) threads.add(rows.getLong("Id"));
        }
        threads.remove(own(connection));
        return threads;
    }

    private static long own(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT CONNECTION_ID()")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /// Ids are bytes that are no text: they become hexadecimal, which means the same.
    private static String readable(byte[] statement) {
        var found =
                Pattern.compile("_binary\\s*'((?:\\\\.|[^'\\\\])*)'", Pattern.DOTALL)
                        .matcher(new String(statement, ISO_8859_1));
        var plain =
                found.replaceAll(id ->
                        "x'%s'"
                                .formatted(
                                        HexFormat.of()
                                                .formatHex(
                                                        unescaped(id.group(1))
                                                                .getBytes(ISO_8859_1))));
        return new String(plain.getBytes(ISO_8859_1), UTF_8);
    }

    private static String unescaped(String text) {
        var plain = new StringBuilder();
        for (var i = 0; i < text.length(); i++) {
            if (text.charAt(i) != '\\') plain.append(text.charAt(i));
            else plain.append(text.charAt(++i) == '0' ? '\0' : text.charAt(i));
        }
        return plain.toString();
    }

    /// Rows it looks at, in tables and indexes; it changes nothing here.
    private static long reads(Connection connection, String sql) throws SQLException {
        connection.setAutoCommit(false);
        var before = Plan.counted(connection);
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            if (!CHANGES.matcher(sql.lines().findFirst().orElse("")).matches()) throw e;
            // the row is there already
        }
        var after = Plan.counted(connection);
        connection.rollback();
        connection.setAutoCommit(true);
        return after - before;
    }

    /// Half of it is this agent's own past, half is of a hundred other projects.
    private void fill() {
        var database = world.features.stores().database();
        var dialect = database.engine().dialect();
        for (var table : FILLED)
            for (var first = 0; first < HISTORY; first += 500) {
                var values = new ArrayList<Object>();
                for (var i = first; i < first + 500; i++) {
                    values.add(dialect.id("00000000-0000-4000-9000-%012d".formatted(i)));
                    values.add(document(table, i));
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
                                                                        Collections.nCopies(
                                                                                500, row))),
                                                values.toArray())
                                        .executeUpdate());
            }
        fillOurs();
        server.execute(name, "ANALYZE TABLE `Change`, Delivery, " + String.join(", ", FILLED));
    }

    /// The trail's numbers go down from here: what comes in front of the first is no news.
    private void fillOurs() {
        var database = world.features.stores().database();
        for (var i = 1; i <= HISTORY; i++) {
            var number = i;
            var project = i % 2 == 0 ? World.HERE.value() : "project-" + i % 100;
            var _ =
                    database.write(transaction -> {
                        transaction.later(
                                "INSERT INTO RevokedSession (Id, ExpiresAt) VALUES (?, 4000000000)",
                                "s" + number);
                        transaction.later(
                                "INSERT INTO `Change` (Seq, ProjectId, Kind, SubjectId, PipedId,"
                                        + " Actor, What, At)"
                                        + " VALUES (?, ?, 'DEPLOYMENT', 'd', '', 'ann', 'w', 1)",
                                -number,
                                project);
                        transaction.later(
                                "INSERT INTO Delivery (Id, ProjectId, ApplicationId, Labels,"
                                        + " CompletedAt, Status, LeadTime, RestoreTime, Summed)"
                                        + " VALUES (?, ?, ?, '{}', ?, 4, 1, -1, 2)",
                                "x" + number,
                                project,
                                home.application(),
                                world.now.get().getEpochSecond() - number);
                        return true;
                    });
        }
    }

    private String document(String table, int i) {
        var own = i % 2 == 0 && !FEW_IN_A_PROJECT.contains(table);
        return """
        {"id": "00000000-0000-4000-9000-%012d", "name": "n-%d", "application_name": "n", "application_id": "%s",
         "piped_id": "%s", "event_key": "k", "project_id": "%s", "status": %d, "created_at": %d, "updated_at": %d,
         "completed_at": %d, "_extra": "n", "commit_hash": "%040d", "deployment_trace_commit_hash": "%10$040d"}
        """
                .formatted(
                        i,
                        i,
                        home.application(),
                        own
                                ? home.piped().value()
                                : "00000000-0000-4000-a000-%012d".formatted(i % 100),
                        own ? World.HERE.value() : "project-" + i % 100,
                        table.equals("Deployment") ? 4 : 1,
                        1_700_000_000 + i,
                        1_700_000_000 + i,
                        1_700_000_000 + i,
                        i);
    }
}
