// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import dev.pipecd.agent.report.FakeOffice;
import dev.pipecd.agent.report.SharedObjects;
import dev.pipecd.agent.simulation.SimulatedMachine.Crashed;
import dev.pipecd.domain.IdSource;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/// One run: an agent, or two with one id, taken from one accident to the next until all has come to
/// its end.
final class Simulation implements AutoCloseable {
    private static final int STEPS = 200_000;

    /// After these the world is kind, so that everything can end.
    private static final int UNKIND_STEPS = 1_500;

    /// So long that one takes over from the other several times.
    private static final int UNKIND_STEPS_OF_TWO = 4_000;

    final RandomGenerator random;
    final Scenario scenario;
    final SimulatedControlPlane controlPlane;
    final SimulatedGit git;
    final FakeOffice office = new FakeOffice();
    final IdSource ids = this::nextId;
    final List<SimulatedAgent> agents = new ArrayList<>();
    private final Optional<KilledJournal> journal;
    private final Faults faults;
    private int opened;
    private int ordered;
    boolean diskWasLost;

    /// Deployments that somebody wanted rolled back.
    final Set<String> forced = new HashSet<>();

    /// @param chance whether accidents happen beside the crashes that were asked for
    /// @param file whether the journal's own file is written
    /// @param second whether another agent is started with the same id
    record Faults(
            List<Integer> crashAfter,
            boolean chance,
            boolean diskLost,
            boolean file,
            boolean second) {
        static final Faults NONE = new Faults(List.of(), false, false, false, false);
        static final Faults ALL = new Faults(List.of(), true, false, false, false);

        Faults crashingAfter(List<Integer> records) {
            return new Faults(records, chance, diskLost, file, second);
        }

        Faults losingTheDisk() {
            return new Faults(crashAfter, chance, true, file, second);
        }

        Faults onFile() {
            return new Faults(crashAfter, chance, diskLost, true, second);
        }

        Faults ofTwo() {
            return new Faults(crashAfter, chance, diskLost, file, true);
        }
    }

    Simulation(long seed, Faults faults, Path home, SharedObjects objects) {
        this.scenario = new Scenario(seed);
        this.random = new SplittableRandom(seed + 1);
        this.faults = faults;
        this.controlPlane = new SimulatedControlPlane(scenario.files.keySet(), random);
        this.git = new SimulatedGit(files());
        git.push(new SimulatedGit.Change(Set.of(), Set.of()));
        this.journal =
                faults.file()
                        ? Optional.of(new KilledJournal(home.resolve("journal")))
                        : Optional.empty();
        add("one", home, faults.crashAfter(), objects);
        if (faults.second()) add("other", home, List.of(), objects);
    }

    private LinkedHashMap<String, String> files() {
        var files = new LinkedHashMap<String, String>();
        scenario.files.forEach((name, text) -> files.put(name + "/app.pipecd.yaml", text));
        return files;
    }

    private void add(String name, Path home, List<Integer> crashAfter, SharedObjects objects) {
        var number = agents.size();
        var machine = new SimulatedMachine(random, Set.of("plan-", "gate-", "stage-", "stop-"));
        var pages =
                new SimulatedPages(
                        machine, random, crashAfter, number == 0 ? journal : Optional.empty());
        try {
            var folder = Files.createDirectories(home.resolve(name));
            agents.add(
                    new SimulatedAgent(
                            name, folder, this, machine, pages, () -> alone(number), objects));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean alone(int number) {
        for (var n = 0; n < agents.size(); n++)
            if (agents.get(n).forward() != (n == number)) return false;
        return true;
    }

    private String nextId() {
        return "d" + opened++;
    }

    int opened() {
        return opened;
    }

    /// False when it has not come to an end.
    boolean run() {
        for (var step = 0; step < STEPS; step++) {
            var unkind = step < (faults.second() ? UNKIND_STEPS_OF_TWO : UNKIND_STEPS);
            if (!unkind) comeBack();
            var agent = agents.get(random.nextInt(agents.size()));
            try {
                if (step % 25 == 0 && allIsTold()) controlPlane.requireTruth();
                if (step % 25 == 0 && quiet() && over()) return true;
                if (agent.frozen()) pass();
                else if (agent.left()) agent.stopAndStart();
                else if (random.nextInt(unkind ? 12 : 15) == 0) happen(agent, unkind);
                else if (random.nextInt(10) == 0 || !agent.machine.step()) pass();
            } catch (Crashed crashed) {
                agent.die(losesDisk());
            }
        }
        return false;
    }

    private void pass() {
        var length = Duration.ofSeconds(1 + random.nextInt(20));
        for (var agent : agents) if (!agent.frozen()) length = agent.machine.untilNext(length);
        for (var agent : agents) agent.machine.pass(length);
    }

    private boolean losesDisk() {
        if (!faults.diskLost() || diskWasLost || random.nextInt(3) > 0) return false;
        diskWasLost = true;
        return true;
    }

    /// When nothing goes on the agents look around, which must find nothing more to do.
    private boolean over() {
        var acting = agents.stream().filter(SimulatedAgent::acting).toList();
        if (!acting.isEmpty() && acting.stream().allMatch(SimulatedAgent::settled)) return true;
        acting.forEach(SimulatedAgent::reconcile);
        acting.forEach(SimulatedAgent::look);
        return false;
    }

    /// What another agent took over may be told late.
    private boolean allIsTold() {
        return agents.size() == 1
                && agents.getFirst().acting()
                && (!diskWasLost || agents.getFirst().reconciled())
                && agents.getFirst().waiting() == 0;
    }

    private boolean quiet() {
        return scenario.pushes.isEmpty()
                && controlPlane.commands.isEmpty()
                && controlPlane.unfinished().isEmpty()
                && agents.stream().allMatch(a -> a.waiting() == 0)
                && agents.stream().allMatch(a -> !a.acting() || a.active() == 0);
    }

    /// What is left, for the message of a failure.
    String left() {
        return "to push %d, orders %s, unfinished %s, agents %s"
                .formatted(
                        scenario.pushes.size(),
                        controlPlane.commands.keySet(),
                        controlPlane.unfinished().stream().map(Deployment::getId).toList(),
                        agents.stream().map(SimulatedAgent::told).toList());
    }

    private void comeBack() {
        controlPlane.away = false;
        git.away = false;
        for (var agent : agents) {
            agent.pages.full = false;
            agent.comeBack();
        }
    }

    private void happen(SimulatedAgent agent, boolean unkind) {
        switch (random.nextInt(unkind ? 22 : 5)) {
            case 0 -> push();
            case 1 -> agent.look();
            case 2, 3 -> agent.poll();
            case 4 -> agent.reconcile();
            case 5 -> agent.look();
            case 6 -> sync();
            case 7, 8 -> cancel();
            case 9, 10 -> approve();
            case 11, 12 -> controlPlane.away = faults.chance() && random.nextBoolean();
            case 13 -> git.away = faults.chance() && random.nextInt(3) == 0;
            case 17 -> {
                if (faults.chance() && random.nextInt(4) == 0) agent.damageMirror();
            }
            case 18 -> drift(agent);
            case 19 -> agent.pages.full = faults.chance() && random.nextInt(3) == 0;
            case 14 -> {
                if (faults.second()) agent.cutOff(random.nextInt(30));
            }
            case 15 -> setClock(agent);
            case 20 -> {
                if (faults.second() && random.nextInt(4) == 0) agent.freeze(random.nextInt(20));
            }
            case 16 -> {
                if (faults.chance() && random.nextInt(4) == 0) throw new Crashed();
            }
            default -> {
                if (faults.chance() && random.nextInt(4) == 0 && !agent.machine.stalled())
                    agent.stopAndStart();
            }
        }
    }

    private void drift(SimulatedAgent agent) {
        var names = List.copyOf(scenario.files.keySet());
        if (random.nextInt(3) == 0)
            controlPlane.drift(names.get(random.nextInt(names.size())), agent.machine.instant());
    }

    private void push() {
        var change = scenario.pushes.poll();
        if (change == null) return;
        if (faults.chance() && random.nextInt(8) == 0) git.rewrite(change);
        else git.push(change);
        agents.forEach(SimulatedAgent::unsettle);
    }

    private void sync() {
        if (scenario.syncs == 0) return;
        scenario.syncs--;
        var names = List.copyOf(scenario.files.keySet());
        order(
                Command.newBuilder()
                        .setType(Command.Type.SYNC_APPLICATION)
                        .setApplicationId(names.get(random.nextInt(names.size()))));
    }

    private void cancel() {
        if (random.nextInt(6) > 0) return;
        anyOf(controlPlane.unfinished())
                .ifPresent(deployment -> {
                    var cancel =
                            Command.CancelDeployment.newBuilder()
                                    .setDeploymentId(deployment.getId());
                    switch (random.nextInt(3)) {
                        case 0 -> {
                            cancel.setForceRollback(true);
                            forced.add(deployment.getId());
                        }
                        case 1 -> cancel.setForceNoRollback(true);
                        default -> {}
                    }
                    order(
                            Command.newBuilder()
                                    .setType(Command.Type.CANCEL_DEPLOYMENT)
                                    .setCancelDeployment(cancel)
                                    .setDeploymentId(deployment.getId()));
                });
    }

    private void approve() {
        anyOf(controlPlane.unfinished())
                .filter(deployment -> deployment.getStagesCount() > 0)
                .ifPresent(deployment -> {
                    var stage = deployment.getStages(random.nextInt(deployment.getStagesCount()));
                    order(
                            Command.newBuilder()
                                    .setType(Command.Type.APPROVE_STAGE)
                                    .setDeploymentId(deployment.getId())
                                    .setStageId(stage.getId()));
                });
    }

    private void order(Command.Builder command) {
        var id = "c" + ordered++;
        controlPlane.commands.put(id, command.setId(id).setCommander("ann-" + id).build());
    }

    private Optional<Deployment> anyOf(List<Deployment> deployments) {
        return deployments.isEmpty()
                ? Optional.empty()
                : Optional.of(deployments.get(random.nextInt(deployments.size())));
    }

    private void setClock(SimulatedAgent agent) {
        if (faults.chance() && random.nextInt(4) == 0)
            agent.machine.setClock(Duration.ofMinutes(random.nextBoolean() ? 60 : -60));
    }

    @Override
    public void close() {
        agents.forEach(agent -> agent.machine.kill());
        journal.ifPresent(KilledJournal::close);
    }
}
