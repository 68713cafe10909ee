// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.event.EventFilter;
import dev.pipecd.controlplane.event.EventSpan;
import dev.pipecd.controlplane.event.TraceFilter;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ChainStatus;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentChain;
import dev.pipecd.wire.model.DeploymentTrace;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// What every engine promises of events, traces, chains and what leads to them.
@ParameterizedClass
@EnumSource(TestEngine.class)
class DeliveryStoresTest {
    private static final ProjectId PROJECT = new ProjectId("here");
    private static final ProjectId OTHER = new ProjectId("HERE");
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));

    private final TestEngine engine;
    private Database database;
    private Trail trail;

    DeliveryStoresTest(TestEngine engine) {
        this.engine = engine;
    }

    @BeforeEach
    void open() {
        database = Database.open(engine.emptied(getClass()));
        trail = new Trail(database);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static String id(int number) {
        return "00000000-0000-4000-8000-%012d".formatted(number);
    }

    private static Event event(int number, ProjectId project, EventStatus status) {
        return Event.newBuilder()
                .setId(id(number))
                .setName("image")
                .setData("v" + number)
                .setProjectId(project.value())
                .setEventKey("key")
                .setStatus(status)
                .putLabels("n", "" + number)
                .setCreatedAt(number)
                .setUpdatedAt(number)
                .build();
    }

    private static List<String> data(List<Event> events) {
        return events.stream().map(Event::getData).toList();
    }

    @Test
    void eventsAreFoundByTimeKeyStatusNameAndLabelOfTheirProjectOnly() {
        var table = new EventTable(database, trail, CLOCK);
        table.add(event(1, PROJECT, EventStatus.EVENT_NOT_HANDLED), "ann");
        table.add(event(2, PROJECT, EventStatus.EVENT_FAILURE), "ann");
        table.add(event(3, PROJECT, EventStatus.EVENT_NOT_HANDLED), "ann");
        table.add(event(4, OTHER, EventStatus.EVENT_NOT_HANDLED), "ann");

        assertThat(table.latest(PROJECT, "key").map(Event::getData)).hasValue("v3");
        assertThat(table.latest(PROJECT, "none")).isEmpty();
        assertThat(
                        data(
                                table.created(
                                        PROJECT,
                                        new EventSpan(
                                                0,
                                                0,
                                                Optional.of(EventStatus.EVENT_NOT_HANDLED),
                                                EventSpan.Order.NEWEST_FIRST))))
                .containsExactly("v3", "v1");
        assertThat(
                        data(
                                table.created(
                                        PROJECT,
                                        new EventSpan(
                                                2,
                                                3,
                                                Optional.empty(),
                                                EventSpan.Order.OLDEST_FIRST))))
                .containsExactly("v2");
        var named = new EventFilter(PROJECT, "image", List.of(), Map.of(), 0);
        var first = table.list(named, Cursor.START, 2);
        assertThat(data(first)).containsExactly("v3", "v2");
        assertThat(data(table.list(named, new Cursor(2, id(2)), 2))).containsExactly("v1");
        assertThat(
                        data(
                                table.list(
                                        new EventFilter(
                                                PROJECT,
                                                "",
                                                List.of(EventStatus.EVENT_NOT_HANDLED),
                                                Map.of("n", "3"),
                                                2),
                                        Cursor.START,
                                        10)))
                .containsExactly("v3");
    }

    @Test
    void aCommitLeadsToItsDeployments() {
        var traces = new TraceTable(database, trail, CLOCK);
        var deployments = new DeploymentTable(database, trail, CLOCK);
        traces.add(
                DeploymentTrace.newBuilder()
                        .setId(id(1))
                        .setProjectId("here")
                        .setCommitHash("cafe")
                        .build(),
                "ann");
        for (var i = 2; i <= 4; i++)
            deployments.add(
                    Deployment.newBuilder()
                            .setId(id(i))
                            .setProjectId(i == 4 ? "HERE" : "here")
                            .setApplicationId(id(9))
                            .setApplicationName("site")
                            .setPipedId(id(8))
                            .setDeploymentChainId(i == 2 ? id(7) : "")
                            .setDeploymentTraceCommitHash(i == 3 ? "" : "cafe")
                            .build(),
                    "ann");

        var filter = new TraceFilter(PROJECT, "cafe", 0);
        assertThat(traces.list(filter, Cursor.START, 10)).hasSize(1);
        assertThat(traces.list(new TraceFilter(PROJECT, "beef", 0), Cursor.START, 10)).isEmpty();
        assertThat(deployments.traced(PROJECT, List.of("cafe", "beef")))
                .extracting(Deployment::getId)
                .containsExactly(id(2));
        assertThat(deployments.inChain(id(7))).extracting(Deployment::getId).containsExactly(id(2));
    }

    @Test
    void chainsAreListedAndTheUnfinishedOnesFound() {
        var table = new ChainTable(database, trail, CLOCK);
        for (var i = 1; i <= 3; i++)
            table.add(
                    DeploymentChain.newBuilder()
                            .setId(id(i))
                            .setProjectId("here")
                            .setCreatedAt(i)
                            .setUpdatedAt(i)
                            .build(),
                    "ann");
        table.add(DeploymentChain.newBuilder().setId(id(1)).setProjectId("x").build(), "ann");

        table.update(
                id(2),
                "ann",
                chain ->
                        new Edit.Changed<>(
                                chain.toBuilder()
                                        .setStatus(ChainStatus.DEPLOYMENT_CHAIN_SUCCESS)
                                        .build(),
                                "success"));

        assertThat(table.live(10)).extracting(DeploymentChain::getId).containsExactly(id(1), id(3));
        assertThat(table.list(PROJECT, 0, Cursor.START, 10))
                .extracting(DeploymentChain::getId)
                .containsExactly(id(2), id(3), id(1));
        assertThat(table.find(id(1)).map(DeploymentChain::getProjectId)).hasValue("here");
    }

    @Test
    void ordersThatWaitTooLongAreFoundAndNoneIsGivenTwice() {
        var table = new CommandTable(database, trail, CLOCK);
        for (var i = 1; i <= 3; i++)
            table.add(
                    Command.newBuilder()
                            .setId(id(i))
                            .setProjectId("here")
                            .setPipedId(id(8))
                            .setCreatedAt(i)
                            .build(),
                    "ann");
        table.add(Command.newBuilder().setId(id(1)).setProjectId("x").build(), "ann");
        table.update(
                new CommandId(id(1)),
                "ann",
                command ->
                        new Edit.Changed<>(
                                command.toBuilder()
                                        .setStatus(CommandStatus.COMMAND_SUCCEEDED)
                                        .build(),
                                "handled"));

        assertThat(table.waiting(3, 10)).extracting(Command::getId).containsExactly(id(2));
        assertThat(table.find(new CommandId(id(1))).map(Command::getProjectId)).hasValue("here");
    }

    @Test
    void anApplicationKnowsTheOtherOneOfItsFile() {
        var table = new ApplicationTable(database, trail, CLOCK);
        var one = application(1, "a.pipecd.yaml");
        var two = application(2, "b.pipecd.yaml");
        assertThat(table.add(one, "ann")).isEmpty();
        assertThat(table.add(two, "ann")).isEmpty();

        assertThat(table.twin(one)).isEmpty();
        assertThat(table.twin(two.toBuilder().setGitPath(one.getGitPath()).build()))
                .map(Application::getId)
                .hasValue(id(1));
        assertThat(table.add(application(3, "a.pipecd.yaml"), "ann"))
                .map(Application::getId)
                .hasValue(id(1));
    }

    private static Application application(int number, String file) {
        return Application.newBuilder()
                .setId(id(number))
                .setName("site")
                .setProjectId("here")
                .setPipedId(id(8))
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId("demo"))
                                .setPath("site")
                                .setConfigFilename(file))
                .build();
    }
}
