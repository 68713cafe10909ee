// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.store.Replica.PIPED;
import static dev.pipecd.controlplane.store.Replica.PROJECT;
import static dev.pipecd.controlplane.store.Replica.application;
import static dev.pipecd.controlplane.store.Replica.atOnce;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.change.Question;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.Piped;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Two servers that remember and write one database: what one was told is done, the other answers.
@ParameterizedClass
@EnumSource(
        value = TestEngine.class,
        names = {"MARIADB", "MYSQL"})
class FollowedShelfTest {
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));

    private final Replicas replicas;
    private final Replica here;
    private final Replica there;
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 7); // such clocks may overflow

    FollowedShelfTest(TestEngine engine) {
        replicas = engine.replicas();
        here = new Replica(replicas.here());
        there = new Replica(replicas.there());
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    @Test
    void whatOneServerWroteTheOtherListsAtOnce() {
        here.table.add(application("a1"), "ann");
        for (var n = 1; n <= 50; n++) {
            here.count("a1");

            assertThat(there.table.enabled(PIPED))
                    .extracting(a -> a.getLabelsOrDefault("count", ""))
                    .containsExactly("" + n);
        }
    }

    /// An agent's report is decided upon what stands when it is written; so who reports need not be
    /// asked for each time.
    @Test
    void whoOnlyTellsIsLookedUpAsOfAMomentAgoUnlessTheyAreNew() {
        here.pipeds.add(agent("p1"), "ann");
        assertThat(there.pipeds.known(new PipedId("p1"))).isPresent();
        here.pipeds.update(new PipedId("p1"), "ann", p -> disabled(p));
        here.pipeds.add(agent("p2"), "ann");

        assertThat(telling(() -> there.pipeds.known(new PipedId("p1")).orElseThrow().getDisabled()))
                .isFalse();
        assertThat(telling(() -> there.pipeds.known(new PipedId("p2")))).isPresent();
        assertThat(telling(() -> there.pipeds.known(new PipedId("p1")).orElseThrow().getDisabled()))
                .isTrue();
    }

    private static <R> R telling(Supplier<R> asked) {
        return new Question(System::nanoTime, true).during(asked::get);
    }

    private static Piped agent(String id) {
        return Piped.newBuilder().setId(id).setName(id).setProjectId(PROJECT.value()).build();
    }

    private static Edit<Piped> disabled(Piped piped) {
        return new Edit.Changed<>(piped.toBuilder().setDisabled(true).build(), "disabled");
    }

    @Test
    void whatIsSwitchedOffOrOnAtOneServerGoesAndComesAtTheOther() {
        here.table.add(application("a1"), "ann");
        here.table.add(application("a2"), "ann");
        assertThat(there.table.enabled(PIPED)).hasSize(2);

        disable(true);
        assertThat(there.table.enabled(PIPED)).extracting(Application::getId).containsExactly("a2");
        disable(false);
        assertThat(there.table.enabled(PIPED)).hasSize(2);
    }

    private void disable(boolean disabled) {
        here.table.update(
                new ApplicationId("a1"),
                "ann",
                a -> new Edit.Changed<>(a.toBuilder().setDisabled(disabled).build(), "switched"));
    }

    @Test
    void anAgentThatIsDisabledAtOneServerIsSoAtTheOther() {
        here.pipeds.add(
                Piped.newBuilder().setId("p1").setName("east").setProjectId("here").build(), "ann");
        assertThat(there.pipeds.known(PIPED).orElseThrow().getDisabled()).isFalse();

        here.pipeds.update(
                PIPED,
                "ann",
                p -> new Edit.Changed<>(p.toBuilder().setDisabled(true).build(), "disabled"));

        assertThat(there.pipeds.known(PIPED).orElseThrow().getDisabled()).isTrue();
        assertThat(there.pipeds.known(new PipedId("p2"))).isEmpty();
    }

    @Test
    void commandsGoWhenTheyAreHandledAtTheOtherServer() {
        var mine = new CommandTable(here.database, here.trail, CLOCK);
        var other = new CommandTable(there.database, there.trail, CLOCK);
        assertThat(other.unhandled(PIPED)).isEmpty();

        mine.add(
                Command.newBuilder().setId("c1").setPipedId("p1").setProjectId("here").build(),
                "ann");
        assertThat(other.unhandled(PIPED)).extracting(Command::getId).containsExactly("c1");
        other.update(
                new CommandId("c1"),
                "p1",
                c ->
                        new Edit.Changed<>(
                                c.toBuilder().setStatus(CommandStatus.COMMAND_SUCCEEDED).build(),
                                "handled"));

        assertThat(mine.unhandled(PIPED)).isEmpty();
        assertThat(other.unhandled(PIPED)).isEmpty();
    }

    @Test
    void deploymentsGoWhenTheyEndAtTheOtherServer() {
        var id = new DeploymentId("d1");
        var mine = new DeploymentTable(here.database, here.trail, CLOCK);
        var other = new DeploymentTable(there.database, there.trail, CLOCK);
        assertThat(other.findLive(PIPED, id)).isEmpty();

        mine.add(deployment("d1"), "p1");
        assertThat(other.findLive(PIPED, id)).isPresent();
        mine.update(
                id,
                "p1",
                d ->
                        new Edit.Changed<>(
                                d.toBuilder()
                                        .setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                                        .build(),
                                "ended"));

        assertThat(other.live(PIPED)).isEmpty();
        assertThat(other.findLive(PIPED, id)).isEmpty();
    }

    @Test
    void noneOfManyWhoWriteAndReadAtOnceMissesWhatItWrote() throws Exception {
        atOnce(
                32,
                i -> {
                    var writer = i % 2 == 0 ? here : there;
                    var reader = i % 2 == 0 ? there : here;
                    for (var n = 0; n < 5; n++) {
                        var id = "a%dx%d".formatted(i, n);
                        writer.table.add(application(id), "ann");
                        assertThat(reader.table.enabled(PIPED))
                                .extracting(Application::getId)
                                .contains(id);
                        assertThat(writer.table.enabled(PIPED))
                                .extracting(Application::getId)
                                .contains(id);
                    }
                });

        assertThat(here.table.enabled(PIPED)).hasSize(160);
        assertThat(there.table.enabled(PIPED)).hasSize(160);
    }

    /// The public server never writes beside ours; a person may.
    @Test
    void whatTheTrailDoesNotTellIsSeenAfterAMinute() {
        here.table.add(application("a1"), "ann");
        var shelf = shelf();
        assertThat(shelf.all("p1")).extracting(Application::getName).containsExactly("name of a1");
        renameByHand();

        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(shelf.all("p1")).extracting(Application::getName).containsExactly("name of a1");
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());

        assertThat(shelf.all("p1")).extracting(Application::getName).containsExactly("by hand");
    }

    @Test
    void aShelfMayLiveLongerAndStillHearsAllThatTheTrailTells() {
        here.table.add(application("a1"), "ann");
        var shelf = shelf(Duration.ofHours(1));
        assertThat(shelf.all("p1")).hasSize(1);
        renameByHand();

        nanos.addAndGet(Duration.ofMinutes(59).toNanos());
        here.table.add(application("a2"), "ann");
        assertThat(shelf.all("p1"))
                .extracting(Application::getName)
                .containsExactlyInAnyOrder("name of a1", "name of a2");
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());

        assertThat(shelf.all("p1")).extracting(Application::getName).contains("by hand");
    }

    private void renameByHand() {
        var _ =
                here.database.write(transaction ->
                        transaction
                                .prepare(
                                        "UPDATE Application SET Data ="
                                                + " json_set(Data, '$.name', 'by hand')")
                                .executeUpdate());
    }

    private FollowedShelf<Application> shelf() {
        return shelf(FollowedShelf.LIFE);
    }

    private FollowedShelf<Application> shelf(Duration life) {
        var kind =
                new DocumentKind<>(
                        "Application",
                        Application.getDefaultInstance(),
                        Change.Kind.APPLICATION,
                        "name",
                        "piped_id");
        return new FollowedShelf<>(
                new Documents<>(there.database, there.trail, kind, CLOCK),
                new Shelf.Order<>(
                        Application::getPipedId,
                        Application::getId,
                        _ -> true,
                        piped -> Where.ALL.and("PipedId = ?", piped)),
                life,
                nanos::get);
    }

    @Test
    void whatAServerRefreshedItFindsAtOnce() {
        here.table.add(application("a1"), "ann");
        assertThat(here.table.enabled(PIPED)).hasSize(1);

        here.table.update(
                new ApplicationId("a1"),
                "p1",
                a -> new Edit.Refreshed<>(a.toBuilder().setDescription("fresh").build()));

        assertThat(here.table.enabled(PIPED))
                .extracting(Application::getDescription)
                .containsExactly("fresh");
        assertThat(here.trail.since(PROJECT, 0, 10)).hasSize(1);
    }

    @Test
    void serversThatWriteOneDocumentByTurnsEachAnswerTheNewest() {
        here.table.add(application("a1"), "ann");
        for (var n = 1; n <= 30; n++) {
            (n % 3 == 0 ? there : here).count("a1");
            if (n % 2 == 0) refresh(n % 4 == 0 ? there : here, "at " + n);

            for (var server : List.of(here, there))
                assertThat(server.table.enabled(PIPED))
                        .extracting(a -> a.getLabelsOrDefault("count", ""))
                        .containsExactly("" + n);
        }
    }

    private static void refresh(Replica server, String description) {
        server.table.update(
                new ApplicationId("a1"),
                "p1",
                a -> new Edit.Refreshed<>(a.toBuilder().setDescription(description).build()));
        assertThat(server.table.enabled(PIPED))
                .extracting(Application::getDescription)
                .containsExactly(description);
    }

    /// What is remembered when all is quiet is what stands in the table: no write of one was taken
    /// for newer than the other's.
    @Test
    void serversThatWriteOneDocumentAtOnceRememberWhatStands() throws Exception {
        here.table.add(application("a1"), "ann");
        atOnce(
                16,
                i -> {
                    var server = i % 2 == 0 ? here : there;
                    for (var n = 0; n < 5; n++) {
                        if (i % 4 < 2) server.count("a1");
                        else
                            server.table.update(
                                    new ApplicationId("a1"),
                                    "p1",
                                    a ->
                                            new Edit.Refreshed<>(
                                                    a.toBuilder()
                                                            .setUpdatedAt(a.getUpdatedAt() + 1)
                                                            .build()));
                        assertThat(server.table.enabled(PIPED)).hasSize(1);
                    }
                });

        for (var server : List.of(here, there))
            assertThat(server.table.enabled(PIPED))
                    .extracting(a -> a.getLabelsOrDefault("count", ""))
                    .containsExactly("40");
    }

    /// It stays on the shelf as it was written: what stands in the table by hand is not looked at.
    @Test
    void whatAServerWroteItselfIsNotReadAgain() {
        here.table.add(application("a1"), "ann");
        assertThat(here.table.enabled(PIPED)).hasSize(1);
        here.count("a1");
        refresh(here, "fresh");
        var _ =
                here.database.write(transaction ->
                        transaction
                                .prepare(
                                        "UPDATE Application SET Data ="
                                                + " json_set(Data, '$.name', 'by hand')")
                                .executeUpdate());

        assertThat(here.table.enabled(PIPED))
                .containsExactly(
                        application("a1").toBuilder()
                                .putLabels("count", "1")
                                .setDescription("fresh")
                                .setCreatedAt(1_800_000_000)
                                .setUpdatedAt(1_800_000_000)
                                .build());
    }

    @Test
    void whatEndsByOneTableOfAServerHasEndedForAllOfThem() {
        var mine = new DeploymentTable(here.database, here.trail, CLOCK);
        var second = new DeploymentTable(here.database, here.trail, CLOCK);
        mine.add(deployment("d1"), "p1");
        assertThat(second.live(PIPED)).hasSize(1);

        // by another table of the same process, whose shelves are its own
        second.update(
                new DeploymentId("d1"),
                "p1",
                d ->
                        new Edit.Changed<>(
                                d.toBuilder()
                                        .setStatus(DeploymentStatus.DEPLOYMENT_CANCELLED)
                                        .build(),
                                "ended"));

        assertThat(mine.live(PIPED)).isEmpty();
        assertThat(second.live(PIPED)).isEmpty();
    }

    private static Deployment deployment(String id) {
        return Deployment.newBuilder()
                .setId(id)
                .setApplicationId("a1")
                .setApplicationName("a")
                .setPipedId("p1")
                .setProjectId("here")
                .build();
    }

    @Test
    void moreChangesThanAreReadOneByOneAreSeenToo() {
        for (var i = 0; i < 60; i++) here.table.add(application("a" + i), "ann");
        assertThat(there.table.enabled(PIPED)).hasSize(60);

        for (var i = 0; i < 60; i++) here.count("a" + i);

        assertThat(there.table.enabled(PIPED))
                .allSatisfy(a -> assertThat(a.getLabelsMap()).containsEntry("count", "1"));
    }
}
