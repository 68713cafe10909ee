// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.report.SharedObjects;
import dev.pipecd.agent.simulation.Simulation.Faults;
import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.DeploymentState.Finished;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.deployment.StageState;
import dev.pipecd.wire.model.Deployment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
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
    private static final String OUT_OF_SYNC = "the application was out of sync";

    private static ControlPlaneClient nobody;
    private static SharedObjects objects;

    /// In memory where the system has such a folder: thousands of runs would wear out a disk.
    private static Path home;

    private static Watchdog watchdog;
    private static int runs;

    @BeforeAll
    static void quiet() throws IOException {
        var memory = Path.of("/dev/shm");
        home =
                Files.isWritable(memory)
                        ? Files.createTempDirectory(memory, "simulation")
                        : Files.createTempDirectory("simulation");
        if (Long.getLong("simulation.seed") == null) LOG.setLevel(Level.OFF);
        nobody =
                new ControlPlaneClient(
                        "localhost:1",
                        new ControlPlaneClient.Security.Plaintext(),
                        new ProjectId("project"),
                        new PipedId("piped"),
                        "");
        objects = new SharedObjects(nobody);
        watchdog = new Watchdog();
    }

    @AfterAll
    static void loud() throws IOException {
        LOG.setLevel(null);
        nobody.close();
        watchdog.close();
        Folder.delete(home);
    }

    @Test
    void everyRunEndsHonestlyWhateverRecordTheAgentCrashesAfter() throws Exception {
        forSeeds(
                0,
                12,
                seed -> {
                    var records = new int[1];
                    check(
                            seed,
                            "calm",
                            Faults.NONE,
                            calm -> records[0] = calm.agents.getFirst().pages.records);
                    for (var crash = 1; crash <= records[0]; crash++)
                        check(
                                seed,
                                "crash after record " + crash,
                                Faults.NONE.crashingAfter(List.of(crash)));
                });
    }

    @Test
    void everyRunEndsHonestlyInAWorldFullOfAccidents() throws Exception {
        forSeeds(
                1_000,
                2_000,
                seed ->
                        check(
                                seed,
                                "accidents",
                                seed % 5 > 0
                                        ? Faults.ALL
                                        : Faults.ALL.crashingAfter(
                                                IntStream.range(1, 60).boxed().toList())));
    }

    @Test
    void everyRunEndsHonestlyOnTheJournalsOwnFile() throws Exception {
        forSeeds(
                4_000,
                30,
                seed ->
                        check(
                                seed,
                                "accidents, on file",
                                Faults.ALL.onFile().crashingAfter(List.of(3, 7, 12, 20, 33))));
    }

    @Test
    void everyRunEndsWhenTheDiskIsLostToo() throws Exception {
        forSeeds(5_000, 150, seed -> check(seed, "disk lost", Faults.ALL.losingTheDisk()));
    }

    @Test
    void ofTwoAgentsWithOneIdNeverDoBothGoForward() throws Exception {
        var takeovers = new AtomicInteger();
        forSeeds(
                6_000,
                500,
                seed ->
                        check(
                                seed,
                                "two agents",
                                Faults.ALL.ofTwo(),
                                run -> run.agents.forEach(a -> takeovers.addAndGet(a.takeovers))));
        if (Long.getLong("simulation.seed") == null) assertThat(takeovers).hasValueGreaterThan(300);
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

    private static void check(long seed, String how, Faults faults) {
        check(seed, how, faults, _ -> {});
    }

    private static void check(long seed, String how, Faults faults, Consumer<Simulation> then) {
        var name =
                "seed %d, %s (replay: scripts/mvn -pl domain,wire,config,agent test -Dsurefire.failIfNoSpecifiedTests=false -Dtest=AgentSimulationTest -Dsimulation.seed=%d)"
                        .formatted(seed, how, seed);
        var folder = home.resolve("run-" + runs++);
        watchdog.begins(name);
        try (var simulation = new Simulation(seed, faults, folder, objects)) {
            var ended = simulation.run();
            assertThat(ended).as("it ends (%s)", simulation.left()).isTrue();
            simulation.agents.forEach(a -> assertThat(a.stages.trespasses).isEmpty());
            simulation.agents.forEach(a -> assertThat(a.stages.violations).isEmpty());
            assertThat(simulation.controlPlane.violations).isEmpty();
            new Told(name, simulation).endsHonestly();
            nothingIsOpenedTwice(name, told(simulation));
            if (!faults.second()) endsAsItShould(name, simulation);
            then.accept(simulation);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(name, e);
        } finally {
            watchdog.ends();
            forget(folder);
        }
    }

    /// All of them together would not fit into the memory that containers have for it.
    private static void forget(Path folder) {
        try {
            Folder.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void endsAsItShould(String name, Simulation simulation) {
        assertThat(simulation.controlPlane.contradictions).as(name).isEmpty();
        everyPushIsDeployed(name, simulation);
        assertThat(simulation.controlPlane.unapproved).as(name).isEmpty();
        if (simulation.diskWasLost) return;
        assertThat(simulation.agents.getFirst().stages.contradictions).as(name).isEmpty();
        everyReportArrivesInOrder(name, simulation);
        var opened = opened(simulation);
        opened.keySet().forEach(id -> endsHonestly(name, simulation, id));
        nothingIsOpenedTwice(name, opened.values());
        new ToldOfApplications(name, simulation).isTrue();
    }

    private static void everyPushIsDeployed(String name, Simulation simulation) {
        for (var application : simulation.scenario.files.keySet()) {
            var deployed =
                    simulation.controlPlane.deployments.values().stream()
                            .filter(d -> d.getApplicationId().equals(application))
                            .map(d -> d.getTrigger().getCommit().getHash())
                            .map(SimulatedGit::number)
                            .toList();
            // It may be registered at the wrong place.
            if (deployed.isEmpty() && simulation.git.broken(simulation.git.head(), application))
                continue;
            assertThat(deployed)
                    .as("%s: commits of %s that were deployed", name, application)
                    .anyMatch(n -> n >= simulation.git.lastTouching(application));
        }
    }

    private static Map<String, Deployment> opened(Simulation simulation) {
        var opened = new LinkedHashMap<String, Deployment>();
        for (var entry : simulation.agents.getFirst().pages.history)
            if (entry instanceof Entry.Sheet(var id, var document))
                opened.putIfAbsent(id.value(), parsed(document));
        return opened;
    }

    /// In the order in which they were opened, whoever did.
    private static List<Deployment> told(Simulation simulation) {
        return simulation.controlPlane.deployments.values().stream()
                .sorted(Comparator.comparingLong(Deployment::getCreatedAt))
                .toList();
    }

    private static Deployment parsed(byte[] document) {
        try {
            return Deployment.parseFrom(document);
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    /// One for each order of a person or a chain, and none by a commit that was just deployed,
    /// except where what runs is not that any more.
    private static void nothingIsOpenedTwice(String name, Collection<Deployment> opened) {
        var orders = new HashSet<String>();
        var commits = new HashMap<String, String>();
        for (var deployment : opened) {
            var application = deployment.getApplicationId();
            var commander = deployment.getTrigger().getCommander();
            var commit = deployment.getTrigger().getCommit().getHash();
            var before = commits.put(application, commit);
            if (deployment.getTrigger().getStrategySummary().equals(OUT_OF_SYNC)) continue;
            if (commander.isEmpty())
                assertThat(commit)
                        .as("%s: %s by a commit", name, deployment.getId())
                        .isNotEqualTo(before);
            else
                assertThat(orders.add(application + " by " + commander))
                        .as("%s: %s by the first of %s", name, deployment.getId(), commander)
                        .isTrue();
        }
    }

    private static void endsHonestly(String name, Simulation simulation, String id) {
        DeploymentState state = new DeploymentState.Pending();
        for (var entry : simulation.agents.getFirst().pages.history)
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
                        assertThat(simulation.agents.getFirst().stages.ran(stage))
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
        for (Entry entry : simulation.agents.getFirst().pages.history)
            if (entry instanceof Queued(_, var lane, var call, var body))
                lanes.computeIfAbsent(lane, _ -> new ArrayList<>())
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
