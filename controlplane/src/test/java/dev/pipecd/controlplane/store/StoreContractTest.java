// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.stored.StoredAPIKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// What every engine promises. Where several processes may write, a second one does.
@ParameterizedClass
@EnumSource(TestEngine.class)
class StoreContractTest {
    private static final ProjectId PROJECT = new ProjectId("here");
    private static final PipedId PIPED = new PipedId("p1");
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));

    private final TestEngine engine;
    private Replica here;
    private Replica there;

    StoreContractTest(TestEngine engine) {
        this.engine = engine;
    }

    @BeforeEach
    void open() {
        var place = engine.emptied(getClass());
        here = new Replica(Database.open(place));
        there = engine.shared() ? new Replica(Database.open(place)) : here;
    }

    @AfterEach
    void close() {
        here.database.close();
        if (there != here) there.database.close();
    }

    /// One server process.
    private static final class Replica {
        final Database database;
        final Trail trail;
        final ApplicationTable table;
        final PipedTable pipeds;
        final ApiKeyTable keys;

        Replica(Database database) {
            this.database = database;
            trail = new Trail(database);
            table = new ApplicationTable(database, trail, CLOCK);
            pipeds = new PipedTable(database, trail, CLOCK);
            keys = new ApiKeyTable(database, trail, CLOCK);
        }

        Application found(String id) {
            return table.find(new ApplicationId(id)).orElseThrow();
        }

        void count(String id) {
            table.update(new ApplicationId(id), "ann", StoreContractTest::counted);
        }
    }

    private Replica replica(int i) {
        return i % 2 == 0 ? here : there;
    }

    private static Application application(String id) {
        return Application.newBuilder()
                .setId(id)
                .setName("name of " + id)
                .setPipedId(PIPED.value())
                .setProjectId(PROJECT.value())
                .setGitPath(ApplicationGitPath.newBuilder().setPath("folder/" + id))
                .build();
    }

    private static Edit<Application> counted(Application application) {
        var count = Integer.parseInt(application.getLabelsOrDefault("count", "0")) + 1;
        return new Edit.Changed<>(
                application.toBuilder().putLabels("count", "" + count).build(), "counted");
    }

    private static void atOnce(int number, IntFunction<Callable<?>> work) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all =
                    IntStream.range(0, number)
                            .mapToObj(i -> threads.submit(work.apply(i)))
                            .toList();
            for (var one : all) one.get();
        }
    }

    private static Callable<?> done(Runnable work) {
        return Executors.callable(work);
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
    void ofThirtyTwoWritersToOneDocumentNoneIsLost() throws Exception {
        here.table.add(application("a1"), "ann");

        atOnce(
                32,
                i ->
                        done(() -> {
                            for (var n = 0; n < 25; n++) replica(i).count("a1");
                        }));

        assertThat(here.found("a1").getLabelsMap()).isEqualTo(Map.of("count", "800"));
        assertThat(there.trail.since(PROJECT, 0, 1000)).hasSize(801);
    }

    @Test
    void ofThirtyTwoWritersToEightDocumentsNoneIsLost() throws Exception {
        for (var d = 0; d < 8; d++) here.table.add(application("a" + d), "ann");

        atOnce(
                32,
                i ->
                        done(() -> {
                            for (var n = 0; n < 16; n++) replica(i).count("a" + (i + n) % 8);
                        }));

        for (var d = 0; d < 8; d++)
            assertThat(there.found("a" + d).getLabelsMap()).isEqualTo(Map.of("count", "64"));
    }

    @Test
    void aWriterThatFailsLeavesNothingAndDoesNotSpoilTheOthers() throws Exception {
        for (var i = 0; i < 20; i++) here.table.add(application("a" + i), "ann");

        atOnce(
                20,
                i ->
                        done(() -> {
                            if (i % 2 == 0) replica(i / 2).count("a" + i);
                            else
                                assertThatThrownBy(() -> fail(replica(i / 2), "a" + i))
                                        .hasMessage("odd");
                        }));

        assertThat(here.trail.since(PROJECT, 20, 100)).hasSize(10);
        for (var i = 0; i < 20; i++)
            assertThat(here.found("a" + i).getLabelsCount()).isEqualTo(1 - i % 2);
    }

    private static void fail(Replica at, String id) {
        at.table.update(
                new ApplicationId(id),
                "ann",
                _ -> {
                    throw new IllegalStateException("odd");
                });
    }

    @Test
    void aUnitThatFailsAfterItHasWrittenLeavesNothing() throws Exception {
        here.table.add(application("a1"), "ann");

        atOnce(
                16,
                i ->
                        done(() -> {
                            if (i % 2 == 0) replica(i / 2).count("a1");
                            else
                                assertThatThrownBy(() -> writeAndFail(replica(i / 2).database))
                                        .hasMessage("too late");
                        }));

        assertThat(here.found("a1").getLabelsMap()).isEqualTo(Map.of("count", "8"));
        assertThat(here.trail.since(PROJECT, 0, 100)).hasSize(9);
    }

    private static void writeAndFail(Database database) {
        database.write(
                "a1",
                transaction -> {
                    transaction.prepare("DELETE FROM Application").executeUpdate();
                    throw new IllegalStateException("too late");
                });
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
    void ofManyThatAreAddedForOnePlaceAtOnceOneIsKept() throws Exception {
        var refused = Collections.synchronizedList(new ArrayList<String>());

        atOnce(
                16,
                i ->
                        done(() ->
                                replica(i)
                                        .table
                                        .add(
                                                application("a").toBuilder().setId("a" + i).build(),
                                                "ann")
                                        .ifPresent(twin -> refused.add(twin.getId()))));

        var kept = here.table.list(ApplicationFilter.all(PROJECT), Cursor.START, 100);
        assertThat(kept).hasSize(1);
        assertThat(refused).hasSize(15).containsOnly(kept.getFirst().getId());
    }

    @Test
    void anAnswerIsNeverOlderThanTheLastAcknowledgedWrite() throws Exception {
        for (var i = 0; i < 8; i++) here.table.add(application("a" + i), "ann");

        atOnce(
                8,
                i ->
                        done(() -> {
                            for (var n = 1; n <= 20; n++) {
                                replica(n).count("a" + i);
                                assertThat(count(replica(n + 1), "a" + i)).isEqualTo("" + n);
                            }
                        }));
    }

    private static String count(Replica at, String id) {
        return at.table.enabled(PIPED).stream()
                .filter(a -> a.getId().equals(id))
                .findFirst()
                .orElseThrow()
                .getLabelsOrDefault("count", "0");
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
    void changesArePassedOnInTheOrderOfTheTrailWhoeverMadeThem() throws Exception {
        var told = Collections.synchronizedList(new ArrayList<Change>());
        var changes = new Changes(here.trail);
        here.trail.passOnTo(changes::passOn);
        changes.listen(told::add);

        atOnce(50, i -> done(() -> replica(i).table.add(application("a" + i), "ann")));
        here.trail.look();

        assertThat(told).isEqualTo(changes.since(PROJECT, 0, 100));
        assertThat(told.stream().map(Change::cursor))
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 50).boxed().toList());
        assertThat(changes.latest()).isEqualTo(50);
    }

    @Test
    void whoHearsOfAChangeFindsItAtOnce() {
        assertThat(here.table.enabled(PIPED)).isEmpty();
        var found = new ArrayList<Integer>();
        here.trail.passOnTo(_ -> found.add(here.table.enabled(PIPED).size()));

        here.table.add(application("a1"), "ann");
        here.table.add(application("a2"), "ann");

        assertThat(found).containsExactly(1, 2);
    }

    @Test
    void whoFollowsTheTrailWhileMuchIsWrittenMissesNothing() throws Exception {
        for (var i = 0; i < 8; i++) here.table.add(application("a" + i), "ann");
        var writing = new AtomicBoolean(true);

        List<Long> seen;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var reader = threads.submit(() -> follow(writing));
            atOnce(
                    16,
                    i ->
                            done(() -> {
                                for (var n = 0; n < 20; n++) replica(i).count("a" + (i + n) % 8);
                            }));
            writing.set(false);
            seen = reader.get();
        }

        assertThat(seen).isEqualTo(LongStream.rangeClosed(1, 328).boxed().toList());
    }

    private List<Long> follow(AtomicBoolean writing) {
        var seen = new ArrayList<Long>();
        var cursor = 0L;
        while (true) {
            var last = !writing.get();
            for (var change : here.trail.since(PROJECT, cursor, 50)) {
                seen.add(change.cursor());
                cursor = change.cursor();
            }
            if (last && here.trail.since(PROJECT, cursor, 1).isEmpty()) return seen;
        }
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
