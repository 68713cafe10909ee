// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.store.Replica.PIPED;
import static dev.pipecd.controlplane.store.Replica.PROJECT;
import static dev.pipecd.controlplane.store.Replica.application;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.stored.StoredAPIKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// What every engine keeps and finds. Where several processes may write, a second one reads.
@ParameterizedClass
@EnumSource(TestEngine.class)
class StoreContractTest {
    private final TestEngine engine;
    private final Replicas replicas;
    private final Replica here;
    private final Replica there;

    StoreContractTest(TestEngine engine) {
        this.engine = engine;
        replicas = engine.replicas();
        here = new Replica(replicas.here());
        there = engine.shared() ? new Replica(replicas.there()) : here;
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    @Test
    void whatIsAddedIsFoundWithItsTimesFilledIn() {
        here.table.add(application("a1"), "ann");

        assertThat(there.table.find(new ApplicationId("a1")))
                .hasValue(
                        application("a1").toBuilder()
                                .setCreatedAt(1_800_000_000)
                                .setUpdatedAt(1_800_000_000)
                                .build());
        assertThat(there.table.find(new ApplicationId("a2"))).isEmpty();
    }

    @Test
    void keysOfNewerSoftwareStayInTheRow() {
        here.table.add(application("a1"), "ann");
        here.database.write(transaction ->
                transaction
                        .prepare("UPDATE Application SET Data = json_set(Data, '$.newer', 'kept')")
                        .executeUpdate());

        there.count("a1");

        String data =
                here.database.read(connection -> {
                    try (var statement = connection.createStatement();
                            var rows = statement.executeQuery("SELECT Data FROM Application")) {
                        rows.next();
                        return rows.getString(1);
                    }
                });
        assertThat(data.replace("\": ", "\":"))
                .contains("\"newer\":\"kept\"", "\"_extra\":\"name of a1\"", "\"count\":\"1\"");
    }

    @Test
    void theSecondOfOnePlaceIsAnsweredWithTheFirst() {
        here.table.add(application("a1"), "ann");
        var again = application("a1").toBuilder().setId("a2").build();

        assertThat(there.table.add(again, "ann")).map(Application::getId).hasValue("a1");
        assertThat(here.table.find(new ApplicationId("a2"))).isEmpty();
    }

    @Test
    void aDocumentThatMovesToAnotherAgentLeavesTheFirst() {
        here.table.add(application("a1"), "ann");
        assertThat(there.table.enabled(PIPED)).hasSize(1);
        assertThat(there.table.enabled(new PipedId("p2"))).isEmpty();

        here.table.update(
                new ApplicationId("a1"),
                "ann",
                a -> new Edit.Changed<>(a.toBuilder().setPipedId("p2").build(), "moved"));

        assertThat(there.table.enabled(PIPED)).isEmpty();
        assertThat(there.table.enabled(new PipedId("p2"))).hasSize(1);
    }

    @Test
    void pagesFollowOneAnotherWithoutGapsAlsoWithinOneSecond() {
        for (var i = 10; i < 35; i++) here.table.add(application("a" + i), "ann");
        var filter = ApplicationFilter.all(PROJECT);

        var seen = new ArrayList<String>();
        var cursor = Cursor.START;
        List<Application> page;
        while (!(page = there.table.list(filter, cursor, 10)).isEmpty()) {
            page.forEach(a -> seen.add(a.getId()));
            cursor = new Cursor(page.getLast().getUpdatedAt(), page.getLast().getId());
        }

        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(10, 35).mapToObj(i -> "a" + i).toList());
    }

    @Test
    void projectsThatDifferOnlyInCaseAreKeptApart() {
        here.table.add(application("a1"), "ann");
        here.table.add(application("a2").toBuilder().setProjectId("Here").build(), "ann");
        here.pipeds.add(piped("p1", "here"), "ann");
        here.pipeds.add(piped("p2", "Here"), "ann");

        var other = new ProjectId("Here");

        assertThat(here.table.list(ApplicationFilter.all(other), Cursor.START, 10))
                .extracting(Application::getId)
                .containsExactly("a2");
        assertThat(there.pipeds.of(other)).extracting(Piped::getId).containsExactly("p2");
        assertThat(here.trail.since(other, 0, 10))
                .extracting(Change::id)
                .containsExactly("a2", "p2");
    }

    private static Piped piped(String id, String project) {
        return Piped.newBuilder().setId(id).setName(id).setProjectId(project).build();
    }

    @Test
    void labelsAreFoundByTheirExactKeyAndValue() {
        var odd = "it's \"odd\" \\ ü %";
        here.table.add(application("a1").toBuilder().putLabels("env", "Dev").build(), "ann");
        here.table.add(
                application("a2").toBuilder().putLabels("env", "Dev").putLabels(odd, odd).build(),
                "ann");

        assertThat(labelled(Map.of("env", "Dev"))).containsExactlyInAnyOrder("a1", "a2");
        assertThat(labelled(Map.of("env", "Dev", odd, odd))).containsExactly("a2");
        assertThat(labelled(Map.of("env", "dev"))).isEmpty();
        assertThat(labelled(Map.of("e", "Dev"))).isEmpty();
    }

    private List<String> labelled(Map<String, String> labels) {
        var all = ApplicationFilter.all(PROJECT);
        var filter =
                new ApplicationFilter(
                        PROJECT, all.activity(), List.of(), List.of(), "", "", labels);
        return there.table.list(filter, Cursor.START, 10).stream().map(Application::getId).toList();
    }

    @Test
    void aNameLongerThanAColumnIsKeptWhole() {
        var name = "n".repeat(300);
        here.table.add(application("a1").toBuilder().setName(name).build(), "ann");

        here.count("a1");

        assertThat(there.found("a1").getName()).isEqualTo(name);
    }

    /// Columns of the public schema end in 2038; another number than the document's would lead its
    /// pages astray.
    @Test
    void aTimeIsKeptAsItIsOrRefused() {
        var late = application("a1").toBuilder().setCreatedAt(1L << 31).build();

        if (engine == TestEngine.MYSQL) {
            assertThatThrownBy(() -> here.table.add(late, "ann"))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "created_at: 2147483648 (expected: at most 2147483647, the last second that the public schema holds)");
            assertThat(there.table.find(new ApplicationId("a1"))).isEmpty();
        } else {
            here.table.add(late, "ann");
            assertThat(there.found("a1").getCreatedAt()).isEqualTo(1L << 31);
        }
    }

    /// Operators guard a database so, and the public server passes their words on.
    @Test
    void aTriggerThatForbidsAChangeIsHeard() {
        if (!engine.shared()) return; // nobody operates it but us
        here.table.add(application("a1"), "ann");
        var name = ((Database.Place.Server) replicas.place()).dsn().database();
        engine.server()
                .execute(
                        name,
                        "CREATE TRIGGER frozen BEFORE UPDATE ON Application FOR EACH ROW"
                                + " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'frozen until Monday'");
        try {
            assertThatThrownBy(() -> here.count("a1"))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            problem ->
                                    assertThat(problem.code())
                                            .isEqualTo(Problem.Code.PRECONDITION_FAILED))
                    .hasMessage("database: frozen until Monday");
        } finally {
            engine.server().execute(name, "DROP TRIGGER frozen");
        }
        there.count("a1");
        assertThat(here.found("a1").getLabelsMap()).isEqualTo(Map.of("count", "1"));
    }

    @Test
    void whatIsDisabledOrDeletedIsNotAnAgentsAnyMore() {
        for (var id : List.of("a1", "a2", "a3")) here.table.add(application(id), "ann");

        set("a1", a -> a.toBuilder().setDisabled(true).build());
        set("a2", a -> a.toBuilder().setDeleted(true).build());

        assertThat(there.table.enabled(PIPED)).extracting(Application::getId).containsExactly("a3");
        assertThat(there.table.find(new ApplicationId("a2"))).isEmpty();
        assertThat(active(ApplicationFilter.Activity.ENABLED)).containsExactly("a3");
        assertThat(active(ApplicationFilter.Activity.DISABLED)).containsExactly("a1");
    }

    private void set(String id, java.util.function.UnaryOperator<Application> change) {
        here.table.update(
                new ApplicationId(id), "ann", a -> new Edit.Changed<>(change.apply(a), "set"));
    }

    private List<String> active(ApplicationFilter.Activity activity) {
        var filter =
                new ApplicationFilter(PROJECT, activity, List.of(), List.of(), "", "", Map.of());
        return there.table.list(filter, Cursor.START, 10).stream().map(Application::getId).toList();
    }

    @Test
    void aKeyIsFoundAsSoonAsItIsMadeAndGoneAsSoonAsItIsDisabled() {
        var key =
                StoredAPIKey.newBuilder().setId("k1").setName("robot").setProjectId("here").build();

        here.keys.add(key, "ann");
        assertThat(there.keys.find("k1")).map(StoredAPIKey::getDisabled).hasValue(false);
        here.keys.update(
                "k1",
                "ann",
                k -> new Edit.Changed<>(k.toBuilder().setDisabled(true).build(), "disabled"));

        assertThat(there.keys.find("k1")).map(StoredAPIKey::getDisabled).hasValue(true);
        assertThat(there.keys.of(PROJECT)).extracting(StoredAPIKey::getId).containsExactly("k1");
    }
}
