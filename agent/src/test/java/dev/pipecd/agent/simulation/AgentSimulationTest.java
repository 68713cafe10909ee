// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.report.SharedObjects;
import dev.pipecd.agent.simulation.Simulation.Faults;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.DeploymentState.Finished;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.deployment.StageState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.LoggerFactory;

/// Thousands of seeded runs. A failure prints the command that replays just that one. They take
/// longest, so they begin first.
@Order(1)
@ResourceLock(value = "logging", mode = ResourceAccessMode.READ) // set up anew it would be loud
final class AgentSimulationTest {
    private static final Logger LOG = (Logger) LoggerFactory.getLogger("dev.pipecd.agent");
    private static final List<String> ORDERED =
            List.of("CreateDeployment", "ReportDeployment", "ReportStage", "SaveStage");

    private static ControlPlaneClient nobody;
    private static SharedObjects objects;

    @BeforeAll
    static void quiet() {
        if (Long.getLong("simulation.seed") == null) LOG.setLevel(Level.OFF);
        nobody =
                new ControlPlaneClient(
                        "localhost:1",
                        new ControlPlaneClient.Security.Plaintext(),
                        new ProjectId("project"),
                        new PipedId("piped"),
                        "");
        objects = new SharedObjects(nobody);
    }

    @AfterAll
    static void loud() {
        LOG.setLevel(null);
        nobody.close();
    }

    @Test
    void everyRunEndsHonestlyWhateverRecordTheAgentCrashesAfter() throws Exception {
        forSeeds(
                0,
                40,
                seed -> {
                    var calm = new Simulation(seed, new Faults(List.of(), false, false), objects);
                    check(seed, "calm", calm);
                    for (var crash = 1; crash <= calm.pages.records; crash++)
                        check(
                                seed,
                                "crash after record " + crash,
                                new Simulation(
                                        seed, new Faults(List.of(crash), false, false), objects));
                });
    }

    @Test
    void everyRunEndsHonestlyInAWorldFullOfAccidents() throws Exception {
        forSeeds(
                1_000,
                2_500,
                seed ->
                        check(
                                seed,
                                "accidents",
                                new Simulation(
                                        seed,
                                        new Faults(
                                                seed % 5 == 0
                                                        ? IntStream.range(1, 60).boxed().toList()
                                                        : List.of(),
                                                true,
                                                false),
                                        objects)));
    }

    @Test
    void everyRunEndsWhenTheDiskIsLostToo() throws Exception {
        forSeeds(
                5_000,
                500,
                seed ->
                        check(
                                seed,
                                "disk lost",
                                new Simulation(seed, new Faults(List.of(), true, true), objects)));
    }

    /// Who drives is a virtual thread, as those of the simulation are: between these a turn is
    /// handed on without a thread of the operating system being woken for it.
    private static void forSeeds(long first, int count, LongConsumer run) throws Exception {
        var chosen = Long.getLong("simulation.seed");
        var seeds = chosen != null ? LongStream.of(chosen) : LongStream.range(first, first + count);
        try (var driver = Executors.newVirtualThreadPerTaskExecutor()) {
            driver.submit(() -> seeds.forEach(run)).get();
        }
    }

    private static void check(long seed, String how, Simulation simulation) {
        var name =
                "seed %d, %s (replay: scripts/mvn -pl domain,wire,config,agent test -Dsurefire.failIfNoSpecifiedTests=false -Dtest=AgentSimulationTest -Dsimulation.seed=%d)"
                        .formatted(seed, how, seed);
        try {
            var ended = simulation.run();
            assertThat(ended).as("it ends (%s)", simulation.left()).isTrue();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(name, e);
        } finally {
            simulation.machine.kill();
        }
        assertThat(simulation.controlPlane.violations).as(name).isEmpty();
        if (simulation.diskWasLost) return;
        assertThat(simulation.stages.violations).as(name).isEmpty();
        everyReportArrivesInOrder(name, simulation);
        simulation.scenario.deployments().forEach(d -> endsHonestly(name, simulation, d.id()));
    }

    private static void endsHonestly(String name, Simulation simulation, String id) {
        DeploymentState state = new DeploymentState.Pending();
        for (var entry : simulation.pages.history)
            if (entry instanceof Moved(var deployment, var event, _)
                    && deployment.equals(new DeploymentId(id))) state = state.on(event);
        assertThat(state).as("%s: %s", name, id).isInstanceOf(Finished.class);
        var finished = (Finished) state;
        assertThat(simulation.controlPlane.deployment(id).getStatus().name())
                .as("%s: %s at the control plane", name, id)
                .isEqualTo("DEPLOYMENT_" + finished.outcome().status());
        var progress = finished.progress();
        progress.stages()
                .forEach((stage, where) -> {
                    assertThat(where.active()).as("%s: %s", name, stage).isFalse();
                    if (where instanceof StageState.Done(StageResult.Succeeded _))
                        assertThat(simulation.stages.ran(stage))
                                .as("%s: %s succeeded without having run", name, stage)
                                .isTrue();
                });
        var plan = simulation.scenario.deployment(id).plan();
        if (finished.outcome() instanceof Outcome.Succeeded)
            assertThat(
                            plan.forward().stream()
                                    .map(s -> progress.stage(s.id()))
                                    .takeWhile(s ->
                                            !(s instanceof StageState.Done(StageResult.Exited _))))
                    .as("%s: %s", name, id)
                    .allMatch(s -> s instanceof StageState.Done(var r) && r.goesOn());
        if (finished.outcome() instanceof Outcome.RolledBack)
            assertThat(plan.rollback())
                    .as("%s: %s", name, id)
                    .isNotEmpty()
                    .allMatch(s ->
                            progress.stage(s.id()) instanceof StageState.Done(var r)
                                    && r.accomplished());
    }

    /// At least once, and within a lane nothing before what was recorded before it.
    private static void everyReportArrivesInOrder(String name, Simulation simulation) {
        var lanes = new LinkedHashMap<String, List<String>>();
        for (Entry entry : simulation.pages.history)
            if (entry instanceof Queued(_, var lane, var call, var body)
                    && ORDERED.stream().anyMatch(call::startsWith))
                lanes.computeIfAbsent(lane, _ -> new java.util.ArrayList<>())
                        .add(SimulatedControlPlane.key(call, body));
        lanes.forEach((lane, queued) -> arrivesInOrder(name + ": " + lane, queued, simulation));
    }

    private static void arrivesInOrder(String name, List<String> queued, Simulation simulation) {
        Map<String, Integer> known = new LinkedHashMap<>();
        queued.forEach(key -> known.put(key, 0));
        var next = 0;
        for (var key : simulation.controlPlane.arrived) {
            if (!known.containsKey(key)) continue;
            if (next < queued.size() && queued.get(next).equals(key)) next++;
            else
                assertThat(queued.subList(0, next))
                        .as("%s: %s comes too early", name, key)
                        .contains(key);
        }
        assertThat(next).as("%s: reports that arrived", name).isEqualTo(queued.size());
    }
}
