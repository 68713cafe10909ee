// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import dev.pipecd.agent.journal.Entry.Sheet;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.agent.report.SharedObjects;
import dev.pipecd.agent.run.Orders;
import dev.pipecd.agent.run.PluginDesk;
import dev.pipecd.agent.run.Runs;
import dev.pipecd.agent.simulation.SimulatedMachine.Crashed;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/// One run: the agent's own `Runs`, `Orders`, `Outbox` and `Ledger`, taken from one accident to the
/// next until all has come to its end.
final class Simulation {
    private static final int STEPS = 200_000;

    /// After these the world is kind, so that everything can end.
    private static final int UNKIND_STEPS = 1_500;

    private final RandomGenerator random;
    private final SharedObjects objects;
    final Scenario scenario;
    final SimulatedMachine machine;
    final SimulatedPages pages;
    final SimulatedControlPlane controlPlane;
    final SimulatedStages stages;
    private final Deque<Scenario.Intended> toOpen;
    private final Faults faults;
    private Outbox outbox;
    private Runs runs;
    private Orders orders;
    private int ordered;
    boolean diskWasLost;

    /// @param chance whether accidents happen beside the crashes that were asked for
    record Faults(List<Integer> crashAfter, boolean chance, boolean diskLost) {}

    Simulation(long seed, Faults faults, SharedObjects objects) {
        this.scenario = Scenario.drawn(new SplittableRandom(seed));
        this.random = new SplittableRandom(seed + 1);
        this.faults = faults;
        this.objects = objects;
        this.machine = new SimulatedMachine(random, Set.of("plan-", "gate-", "stage-", "stop-"));
        this.pages = new SimulatedPages(random, faults.crashAfter());
        this.controlPlane = new SimulatedControlPlane(random);
        this.stages = new SimulatedStages(scenario, machine, this::approvals, pages);
        this.toOpen = new ArrayDeque<>(scenario.deployments());
        boot();
    }

    /// False when it has not come to an end.
    boolean run() {
        for (var step = 0; step < STEPS; step++) {
            var unkind = step < UNKIND_STEPS;
            if (!unkind) comeBack();
            try {
                if (random.nextInt(unkind ? 12 : 40) == 0) happen(unkind);
                else if (random.nextInt(10) == 0 || !machine.step())
                    machine.pass(Duration.ofSeconds(1 + random.nextInt(20)));
            } catch (Crashed crashed) {
                restart();
            }
            if (step % 50 == 0 && over()) return true;
        }
        return false;
    }

    private boolean over() {
        return toOpen.isEmpty()
                && runs.active() == 0
                && outbox.waiting() == 0
                && controlPlane.commands.isEmpty()
                && controlPlane.unfinished().isEmpty();
    }

    /// What is left, for the message of a failure.
    String left() {
        return "to open %d, going on %d, reports %d, orders %s, unfinished %s, faults %s, threads %s at %s"
                .formatted(
                        toOpen.size(),
                        runs.active(),
                        outbox.waiting(),
                        controlPlane.commands.keySet(),
                        controlPlane.unfinished().stream().map(Deployment::getId).toList(),
                        runs.faults(),
                        machine.waiting(),
                        machine.uptime());
    }

    private void comeBack() {
        controlPlane.away = false;
        stages.gitIsAway = false;
    }

    private void happen(boolean unkind) {
        switch (random.nextInt(unkind ? 14 : 4)) {
            case 0 -> open();
            case 1, 2 -> poll();
            case 3 -> reconcile();
            case 4, 5 -> cancel();
            case 6, 7 -> approve();
            case 8, 9 -> controlPlane.away = faults.chance() && random.nextBoolean();
            case 10 -> stages.gitIsAway = faults.chance() && random.nextInt(3) == 0;
            case 11 -> setClock();
            case 12 -> {
                if (faults.chance() && random.nextInt(4) == 0) throw new Crashed();
            }
            default -> {
                if (faults.chance() && random.nextInt(4) == 0) stopAndStart();
            }
        }
    }

    /// What the trigger does; what a crash has forgotten it finds again.
    private void open() {
        if (toOpen.isEmpty()) return;
        var intended = toOpen.peek();
        var id = new DeploymentId(intended.id());
        var there =
                controlPlane.deployments.containsKey(intended.id())
                        || pages.history.stream()
                                .anyMatch(e -> e instanceof Sheet(var d, _) && d.equals(id));
        if (!there) runs.open(intended.pending(), List.of(Reports.created(intended.pending())));
        toOpen.remove();
    }

    private void poll() {
        if (controlPlane.away) return;
        List.copyOf(controlPlane.commands.values()).forEach(orders::take);
    }

    private void reconcile() {
        if (controlPlane.away) return;
        var unfinished = controlPlane.unfinished();
        if (!runs.reconciled()) poll();
        runs.reconcile(
                unfinished,
                id -> Optional.ofNullable(controlPlane.deployments.get(id.value())),
                orders::takeEarly);
        orders.takeEarly();
    }

    private void cancel() {
        if (random.nextInt(6) > 0) return;
        anyOf(controlPlane.unfinished())
                .ifPresent(deployment -> {
                    var cancel =
                            Command.CancelDeployment.newBuilder()
                                    .setDeploymentId(deployment.getId());
                    switch (random.nextInt(3)) {
                        case 0 -> cancel.setForceRollback(true);
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
        controlPlane.commands.put(id, command.setId(id).setCommander("ann").build());
    }

    private Optional<Deployment> anyOf(List<Deployment> deployments) {
        return deployments.isEmpty()
                ? Optional.empty()
                : Optional.of(deployments.get(random.nextInt(deployments.size())));
    }

    private void setClock() {
        if (faults.chance() && random.nextInt(4) == 0)
            machine.setClock(Duration.ofMinutes(random.nextBoolean() ? 60 : -60));
    }

    private void restart() {
        machine.kill();
        stages.agentIsGone();
        pages.crashed();
        if (faults.diskLost() && !diskWasLost && random.nextInt(3) == 0) {
            diskWasLost = true;
            pages.lose();
        }
        try {
            boot();
        } catch (Crashed again) {
            restart();
        }
    }

    /// As a person stops it: all detach, nothing is lost.
    private void stopAndStart() {
        runs.close();
        outbox.close();
        for (var i = 0; i < 1_000 && machine.step(); i++) continue;
        pages.close();
        machine.kill();
        stages.agentIsGone();
        boot();
    }

    private void boot() {
        var ledger = Ledger.on(pages);
        outbox = new Outbox(ledger, controlPlane, machine);
        runs = new Runs(outbox, stages, stages, stages, machine, Notifier.NOBODY, _ -> {});
        var handled =
                ledger.undelivered().stream()
                        .map(Reports::handledCommand)
                        .flatMap(Optional::stream)
                        .toList();
        orders = new Orders(runs, outbox, handled, _ -> {}, machine);
        runs.takeUp(ledger.stories());
    }

    private List<Command> approvals(DeploymentId deployment, StageId stage) {
        try {
            return new PluginDesk(() -> runs, objects).stageCommands(deployment, stage);
        } catch (Problem over) {
            return List.of();
        }
    }
}
