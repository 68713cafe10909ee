// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.store.Replica.PROJECT;
import static dev.pipecd.controlplane.store.Replica.application;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.deployment.DeploymentFilter;
import dev.pipecd.controlplane.event.EventFilter;
import dev.pipecd.controlplane.event.TraceFilter;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrace;
import dev.pipecd.wire.model.Event;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Names and hashes that fill the columns they are searched by, or do not fit them, on every
/// engine: 36, 40 and 50 letters in the public schema, 255 in ours.
@ParameterizedClass
@EnumSource(TestEngine.class)
class LongTextContractTest {
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));
    private static final List<Integer> LENGTHS = List.of(35, 36, 40, 50, 64, 255, 300);

    private final Replicas replicas;
    private final ApplicationTable applications;
    private final DeploymentTable deployments;
    private final EventTable events;
    private final TraceTable traces;

    LongTextContractTest(TestEngine engine) {
        replicas = engine.replicas();
        var database = replicas.here();
        var trail = new Trail(database);
        applications = new ApplicationTable(database, trail, CLOCK);
        deployments = new DeploymentTable(database, trail, CLOCK);
        events = new EventTable(database, trail, CLOCK);
        traces = new TraceTable(database, trail, CLOCK);
        LENGTHS.forEach(this::add);
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    /// Each begins like all that are longer.
    private static String text(int letters) {
        return "\u00fc\ud83d\ude80".repeat(150).substring(0, letters / 2 * 3)
                + "x".repeat(letters % 2);
    }

    private void add(int letters) {
        var id = "of " + letters;
        var text = text(letters);
        applications.add(application(id).toBuilder().setName(text).build(), "ann");
        deployments.add(
                Deployment.newBuilder()
                        .setId(id)
                        .setProjectId(PROJECT.value())
                        .setPipedId("p1")
                        .setApplicationId("a1")
                        .setApplicationName(text)
                        .setDeploymentTraceCommitHash(text)
                        .build(),
                "ann");
        events.add(
                Event.newBuilder()
                        .setId(id)
                        .setProjectId(PROJECT.value())
                        .setName(text)
                        .setEventKey("key")
                        .build(),
                "ann");
        traces.add(
                DeploymentTrace.newBuilder()
                        .setId(id)
                        .setProjectId(PROJECT.value())
                        .setCommitHash(text)
                        .build(),
                "ann");
    }

    @Test
    void applicationsAreFoundByAWholeNameAndNotByItsBeginning() {
        var any = ApplicationFilter.all(PROJECT).activity();

        for (var letters : LENGTHS)
            assertThat(
                            applications.list(
                                    new ApplicationFilter(
                                            PROJECT,
                                            any,
                                            List.of(),
                                            List.of(),
                                            text(letters),
                                            "",
                                            Map.of()),
                                    Cursor.START,
                                    10))
                    .extracting(Application::getId)
                    .containsExactly("of " + letters);
    }

    @Test
    void deploymentsAreFoundByAWholeNameAndNotByItsBeginning() {
        for (var letters : LENGTHS)
            assertThat(
                            deployments.list(
                                    new DeploymentFilter(
                                            PROJECT,
                                            List.of(),
                                            List.of(),
                                            List.of(),
                                            text(letters),
                                            Map.of(),
                                            0),
                                    Cursor.START,
                                    10))
                    .extracting(Deployment::getId)
                    .containsExactly("of " + letters);
    }

    @Test
    void deploymentsAreFoundByWholeHashesAndNotByTheirBeginnings() {
        assertThat(deployments.traced(PROJECT, List.of(text(40), text(300), "none")))
                .extracting(Deployment::getId)
                .containsExactlyInAnyOrder("of 40", "of 300");
    }

    @Test
    void eventsAreFoundByAWholeNameAndNotByItsBeginning() {
        for (var letters : LENGTHS)
            assertThat(
                            events.list(
                                    new EventFilter(PROJECT, text(letters), List.of(), Map.of(), 0),
                                    Cursor.START,
                                    10))
                    .extracting(Event::getId)
                    .containsExactly("of " + letters);
    }

    @Test
    void tracesAreFoundByAWholeHashAndNotByItsBeginning() {
        for (var letters : LENGTHS)
            assertThat(traces.list(new TraceFilter(PROJECT, text(letters), 0), Cursor.START, 10))
                    .extracting(DeploymentTrace::getId)
                    .containsExactly("of " + letters);
    }
}
