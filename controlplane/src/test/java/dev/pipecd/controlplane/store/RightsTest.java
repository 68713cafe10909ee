// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.doctor.DatabaseLooks;
import dev.pipecd.controlplane.doctor.Finding;
import dev.pipecd.controlplane.store.engine.Dsn;
import dev.pipecd.domain.Problem;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Users of a database who may read and write, and not make tables, as a public server's often is.
@ParameterizedClass
@EnumSource(
        value = TestEngine.class,
        names = {"MARIADB", "MYSQL"})
class RightsTest {
    private static final String ROWS = "SELECT, INSERT, UPDATE, DELETE";
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));

    private final TestEngine engine;
    private final Database.Place.Server whole;
    private final String name;

    RightsTest(TestEngine engine) {
        this.engine = engine;
        whole = (Database.Place.Server) engine.fresh();
        name = whole.dsn().database();
    }

    @Test
    void whereTheSchemaIsMadeReadingAndWritingIsEnough() {
        TestEngine.open(whole).close();
        var limited = user(ROWS);

        try (var database = TestEngine.open(limited)) {
            var written =
                    database.write(transaction ->
                            transaction
                                    .prepare("UPDATE Counter SET Value = 7 WHERE Name = 'Change'")
                                    .executeUpdate());

            assertThat(written).isEqualTo(1);
        }
        assertThat(Database.look(limited, CLOCK).missing()).isEmpty();
    }

    @Test
    void whereTheSchemaIsOldTheStartSaysWhichRightIsMissingAndWhoCanGiveIt() {
        TestEngine.open(whole).close();
        engine.server().execute(name, "UPDATE PipecdSchema SET Version = Version - 1");
        var limited = user(ROWS);

        assertThatThrownBy(() -> TestEngine.open(limited).close())
                .isInstanceOfSatisfying(
                        Problem.class,
                        p ->
                                assertThat(p.told())
                                        .contains("datastore: " + whole.dsn().place() + " refuses ")
                                        .contains("to user \"" + name + "\"")
                                        .contains("GRANT ALL ON `" + name + "`.*")
                                        .containsPattern("it says: .*command denied to user"));
    }

    @Test
    void doctorNamesTheRightsBeforeAnythingIsStopped() {
        var limited = user(ROWS);

        var seen = Database.look(limited, CLOCK);
        var found = new DatabaseLooks(() -> seen).schema();

        assertThat(seen.missing())
                .startsWith("CREATE", "ALTER", "INDEX")
                .containsAll(
                        engine == TestEngine.MYSQL ? List.of("DROP", "CREATE VIEW") : List.of());
        assertThat(found.state()).isEqualTo(Finding.State.FAILED);
        assertThat(found.toString()).contains("a user without CREATE, ALTER, INDEX");
    }

    @Test
    void doctorHasNothingAgainstAUserWhoMayAllAndLeavesNothingBehind() {
        var seen = Database.look(user("ALL"), CLOCK);

        assertThat(seen.missing()).isEmpty();
        assertThat(tables()).isEmpty();
    }

    /// Whatever it is that a schema cannot be made for.
    @Test
    void aMigrationThatFailsIsNamedWithItsReason() {
        engine.server().execute(name, "CREATE VIEW `Change` AS SELECT 1 AS Seq");

        assertThatThrownBy(() -> TestEngine.open(whole).close())
                .isInstanceOfSatisfying(
                        Problem.class,
                        p ->
                                assertThat(p.told())
                                        .containsPattern("does not take \\w+/V3__")
                                        .contains("it says: "));
    }

    private Database.Place user(String rights) {
        engine.server()
                .execute(
                        "",
                        "CREATE USER '%s'@'%%' IDENTIFIED BY 'secret'".formatted(name),
                        "GRANT %s ON %s.* TO '%2$s'@'%%'".formatted(rights, name));
        return new Database.Place.Server(
                Dsn.parse("%s:secret@tcp(%s)".formatted(name, whole.dsn().address()), name),
                engine.name());
    }

    private List<String> tables() {
        try (var connection = engine.server().connect(name);
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SHOW TABLES")) {
            var found = new ArrayList<String>();
            while (rows.next()) found.add(rows.getString(1));
            return found;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
