// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.FakeOffice;
import dev.pipecd.agent.report.Lease;
import dev.pipecd.agent.report.LeaseHolder;
import dev.pipecd.agent.report.LeaseNote;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.agent.report.SharedObjects;
import dev.pipecd.agent.run.Orders;
import dev.pipecd.agent.run.PluginDesk;
import dev.pipecd.agent.run.Runs;
import dev.pipecd.agent.simulation.SimulatedMachine.Crashed;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.trigger.Opening;
import dev.pipecd.agent.trigger.Trigger;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// One agent on its machine, put together as `Agent` does it: its own `Trigger`, `Runs`, `Orders`,
/// `Outbox`, `Lease` and `Ledger`, with disk and plugins that outlive it.
final class SimulatedAgent implements Lease.Tenant {
    private static final int AT_ONCE = 2;
    private static final Duration LIFE = Duration.ofMinutes(10);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(100);
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(1);

    final SimulatedMachine machine;
    final SimulatedPages pages;
    final SimulatedStages stages;
    private final String name;
    private final Path home;
    private final Simulation world;
    private final FakeOffice.Wire office;
    private final SimulatedGit.Mirror mirror;
    private final SharedObjects objects;

    /// Outlives the agent: reading files anew tells nothing here and takes long.
    private final ApplicationFiles files;

    private final Map<String, Integer> asked = new HashMap<>();
    private Ledger ledger;
    private Outbox outbox;
    private Lease lease;
    private Applications applications;
    private Runs runs;
    private Trigger trigger;
    private Orders orders;
    private boolean acting;
    private boolean looking;
    private boolean polling;
    private boolean reconciling;
    private boolean listed;
    private boolean lost;
    private boolean left;
    private int starts;
    private int quietLooks;

    private Duration cutUntil = Duration.ZERO;
    private Duration frozenUntil = Duration.ZERO;

    /// How often it went on where another had acted.
    int takeovers;

    SimulatedAgent(
            String name,
            Path home,
            Simulation world,
            SimulatedMachine machine,
            SimulatedPages pages,
            BooleanSupplier alone,
            SharedObjects objects) {
        this.name = name;
        this.home = home;
        this.world = world;
        this.pages = pages;
        this.objects = objects;
        this.machine = machine;
        this.office = world.office.wire();
        this.mirror = world.git.new Mirror(machine, home);
        this.files = new ApplicationFiles(mirror);
        this.stages =
                new SimulatedStages(
                        world.scenario,
                        machine,
                        new SimulatedStages.Disk(home, mirror, files),
                        alone,
                        this::approvals,
                        pages);
        boot();
    }

    private void boot() {
        acting = false;
        looking = false;
        polling = false;
        reconciling = false;
        listed = false;
        lost = false;
        left = false;
        quietLooks = 0;
        ledger = Ledger.on(pages);
        outbox = new Outbox(ledger, this::send, machine, this::forward);
        lease =
                new Lease(
                        office,
                        new LeaseNote(home.resolve("lease")),
                        new LeaseHolder(LIFE, name, "" + starts++),
                        () -> machine.uptime().toNanos(),
                        machine);
        applications = new Applications(home.resolve("applications"));
        var gate =
                new SimulatedGate(
                        world.scenario,
                        machine,
                        world.controlPlane,
                        lease,
                        outbox::awaitHeard,
                        asked);
        runs = new Runs(outbox, stages, gate, stages, machine, Notifier.NOBODY, endings());
        trigger =
                new Trigger(
                        mirror,
                        files,
                        applications,
                        outbox,
                        new Opening(world.ids, machine, List.of())
                                .with(mirror, applications, runs::open, this::room),
                        Notifier.NOBODY,
                        this::ask);
        orders = new Orders(runs, outbox, handled(), this::sync, machine);
        machine.start("lease", this::keepLease);
    }

    private List<CommandId> handled() {
        return ledger.undelivered().stream()
                .map(Reports::handledCommand)
                .flatMap(Optional::stream)
                .toList();
    }

    private Runs.Ends endings() {
        var known = applications;
        return new Runs.Ends() {
            @Override
            public void succeeded(Deployment deployment) {
                known.succeeded(deployment);
            }

            @Override
            public void succeededBefore(Deployment deployment) {
                known.succeededBefore(deployment);
            }

            @Override
            public void openedBefore(Deployment deployment) {
                known.triggeredBefore(deployment);
            }
        };
    }

    /// So little that it is always full: what there is no room for must not be forgotten.
    private int room() {
        var left = Math.max(0, AT_ONCE - runs.active());
        if (left == 0) quietLooks = 0;
        return left;
    }

    private List<Outbox.Answer> send(List<Queued> reports) {
        return isCut()
                ? List.of(new Outbox.Answer.ComeAgain("cut off"))
                : world.controlPlane.send(reports);
    }

    private Optional<Deployment> ask(DeploymentId id) {
        requireReach();
        return Optional.ofNullable(world.controlPlane.deployments.get(id.value()));
    }

    private void requireReach() {
        if (reachesNobody())
            throw new Problem(Problem.Code.CONTROL_PLANE_UNREACHABLE, "control plane: away", "");
    }

    boolean reachesNobody() {
        return isCut() || world.controlPlane.away;
    }

    private void keepLease() {
        try {
            while (!lost) {
                office.cut = reachesNobody();
                lease.look(this);
                machine.sleep(BETWEEN_LOOKS);
            }
            runs.leave();
            left = true;
        } catch (InterruptedException stopped) {
            // The agent stops.
        }
    }

    boolean forward() {
        return lease.forward();
    }

    @Override
    public void forget() {
        takeovers++;
        ledger.forgetUnfinished();
        orders.remember(handled());
        applications.forget();
    }

    @Override
    public void begin() {
        outbox.begin();
        runs.takeUp(ledger.stories());
        acting = true;
    }

    @Override
    public void lost() {
        lost = true;
        acting = false;
    }

    @Override
    public boolean idle() {
        return runs.active() == 0;
    }

    boolean acting() {
        return acting;
    }

    /// Another acts under its id, and what went forward here is stopped.
    boolean left() {
        return left;
    }

    void look() {
        if (!acting || looking || !runs.opens()) return;
        looking = true;
        machine.start(
                "look",
                () -> {
                    try {
                        var before = world.opened();
                        var told = listed;
                        listed = false;
                        trigger.look(SimulatedGit.ID);
                        if (!told || world.opened() > before) return;
                        quietLooks++;
                    } catch (Problem unreachable) {
                        // The next look may find more.
                    } finally {
                        looking = false;
                    }
                });
    }

    /// Somebody pushed: what was seen before says nothing.
    void unsettle() {
        quietLooks = 0;
    }

    /// Nothing more would be opened, however often it looked.
    boolean settled() {
        return quietLooks > 1 && !looking;
    }

    void poll() {
        if (!acting || polling) return;
        polling = true;
        machine.start(
                "poll",
                () -> {
                    try {
                        takeOrders();
                    } catch (Problem | InterruptedException unreachable) {
                        // They come again.
                    } finally {
                        polling = false;
                    }
                });
    }

    /// What was asked may have changed before the answer is here.
    private void takeOrders() throws InterruptedException {
        requireReach();
        var commands = List.copyOf(world.controlPlane.commands.values());
        machine.sleep(ANSWERED_WITHIN);
        commands.forEach(orders::take);
        if (!runs.reconciled()) return;
        for (var command : commands)
            if (command.getType() == Command.Type.APPROVE_STAGE)
                stages.approved(command.getStageId());
    }

    void reconcile() {
        if (!acting || reconciling) return;
        reconciling = true;
        machine.start(
                "reconcile",
                () -> {
                    try {
                        list();
                    } catch (Problem | InterruptedException unreachable) {
                        // The next time may tell more.
                    } finally {
                        reconciling = false;
                    }
                });
    }

    private void list() throws InterruptedException {
        requireReach();
        var unfinished = world.controlPlane.unfinished();
        machine.sleep(ANSWERED_WITHIN);
        requireReach();
        var all = world.controlPlane.applications();
        machine.sleep(ANSWERED_WITHIN);
        applications.refresh(all);
        listed = true;
        if (!runs.reconciled()) takeOrders();
        runs.tellOver(applications::all, unfinished, this::ask);
        try {
            runs.reconcile(unfinished, this::ask, orders::takeEarly);
        } finally {
            if (runs.reconciled()) orders.takeEarly();
        }
    }

    private void sync(Command command) {
        machine.start(
                "sync",
                () -> {
                    if (applications.find(new ApplicationId(command.getApplicationId())).isEmpty())
                        orders.putBack(command);
                    else if (!trigger.sync(command)) orders.putBack(command);
                });
    }

    private List<Command> approvals(DeploymentId deployment, StageId stage) {
        try {
            return new PluginDesk(() -> runs, objects).stageCommands(deployment, stage);
        } catch (Problem over) {
            return List.of();
        }
    }

    /// The control plane has told it what goes on.
    boolean reconciled() {
        return runs.reconciled();
    }

    int active() {
        return runs.active();
    }

    int waiting() {
        return outbox.waiting();
    }

    String told() {
        return "%s (%s): going on %s, reports %d, faults %s, threads %s"
                .formatted(
                        name,
                        lease.told(),
                        runs.goingOn().stream().map(d -> d.getId() + " " + d.getStatus()).toList(),
                        outbox.waiting(),
                        runs.faults(),
                        machine.waiting());
    }

    /// Its process stands still, and does not know it when it goes on.
    void freeze(int minutes) {
        frozenUntil = machine.uptime().plusMinutes(minutes);
    }

    /// The control plane cannot be reached from here.
    void cutOff(int minutes) {
        cutUntil = machine.uptime().plusMinutes(minutes);
    }

    private boolean isCut() {
        return machine.uptime().compareTo(cutUntil) < 0;
    }

    void comeBack() {
        cutUntil = Duration.ZERO;
        frozenUntil = Duration.ZERO;
    }

    boolean frozen() {
        return machine.uptime().compareTo(frozenUntil) < 0;
    }

    /// @param diskToo with all that it had written down
    void die(boolean diskToo) {
        machine.kill();
        stages.agentIsGone();
        pages.crashed();
        if (diskToo) loseDisk();
        try {
            boot();
        } catch (Crashed again) {
            die(false);
        }
    }

    void damageMirror() {
        mirror.damaged = true;
    }

    private void loseDisk() {
        pages.lose();
        mirror.lose();
        try {
            for (var file : List.of("lease", "applications", "pipecd-index"))
                Files.deleteIfExists(home.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// As a person stops it: all detach, nothing is lost.
    void stopAndStart() {
        runs.close();
        outbox.close();
        for (var i = 0; i < 1_000 && machine.step(); i++) continue;
        pages.close();
        machine.kill();
        stages.agentIsGone();
        boot();
    }
}
