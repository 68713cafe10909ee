// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.JournalClosed;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.engine.Observation;
import dev.pipecd.domain.engine.Observation.RollbackWish;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes what people ordered, pushed or polled, each once.
public final class Orders {
    private static final Logger log = LoggerFactory.getLogger(Orders.class);
    private static final int REMEMBERED = 10_000;
    private static final String OVER = "the deployment is over";

    private final Runs runs;
    private final Outbox outbox;
    private final Consumer<Command> elsewhere;
    private final InstantSource clock;
    private final Set<String> taken = new LinkedHashSet<>();

    /// Orders about deployments that nobody here knows yet: after the journal was lost they are
    /// known only once the control plane has told.
    private final Queue<Command> early = new ConcurrentLinkedQueue<>();

    /// @param handled orders that were carried out before a restart and whose report is still under
    ///   way
    /// @param elsewhere what is about neither a deployment nor a stage
    public Orders(
            Runs runs,
            Outbox outbox,
            Collection<CommandId> handled,
            Consumer<Command> elsewhere,
            InstantSource clock) {
        this.runs = runs;
        this.outbox = outbox;
        this.elsewhere = elsewhere;
        this.clock = clock;
        handled.forEach(id -> taken.add(id.value()));
    }

    public void take(Command command) {
        // One without a name cannot be answered, and is no order.
        if (command.getId().isBlank()) log.error("command without an id: {}", command.getType());
        else if (first(command)) carryOut(command);
    }

    private void carryOut(Command command) {
        attempt(command, this::hand);
    }

    /// Whatever breaks while an order is carried out, whoever gave it gets an answer.
    public void attempt(Command command, Consumer<Command> how) {
        try {
            how.accept(command);
        } catch (JournalClosed stopped) {
            throw stopped;
        } catch (Problem problem) {
            refuse(command, problem.told());
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            log.error("command {} ({}): an internal fault", command.getId(), command.getType(), e);
            refuse(command, "it cannot be carried out: " + e);
        }
    }

    private void hand(Command command) {
        switch (command.getType()) {
            case SYNC_APPLICATION, CHAIN_SYNC_APPLICATION, BUILD_PLAN_PREVIEW, RESTART_PIPED ->
                    elsewhere.accept(command);
            case CANCEL_DEPLOYMENT -> cancel(command);
            case APPROVE_STAGE, SKIP_STAGE -> stage(command);
            case UPDATE_APPLICATION_CONFIG, UNRECOGNIZED ->
                    refuse(command, "this agent does not know how to do " + command.getType());
        }
    }

    private synchronized boolean first(Command command) {
        if (!taken.add(command.getId())) return false;
        if (taken.size() > REMEMBERED) taken.remove(taken.iterator().next());
        return true;
    }

    /// Another agent acted since the start was prepared: only these are carried out already.
    public synchronized void remember(Collection<CommandId> handled) {
        taken.clear();
        handled.forEach(id -> taken.add(id.value()));
    }

    /// It could not be carried out now; it comes again by polling.
    public synchronized void putBack(Command command) {
        taken.remove(command.getId());
    }

    private void cancel(Command command) {
        var order = command.getCancelDeployment();
        var wish =
                order.getForceRollback()
                        ? RollbackWish.ALWAYS
                        : order.getForceNoRollback() ? RollbackWish.NEVER : RollbackWish.AS_PLANNED;
        give(
                command,
                run -> {
                    var seen =
                            run.see(
                                    new Observation.CancelOrdered(command.getCommander(), wish),
                                    // Recorded together with what the cancel leads to: a crash
                                    // loses both or neither.
                                    List.of(
                                            handled(
                                                    Ledger.lane(run.id()),
                                                    command,
                                                    CommandStatus.COMMAND_SUCCEEDED,
                                                    "")),
                                    List.of(
                                            handled(
                                                    Ledger.lane(run.id()),
                                                    command,
                                                    CommandStatus.COMMAND_FAILED,
                                                    OVER)));
                    if (seen) runs.hasten(run);
                    else refuse(command, OVER);
                });
    }

    private void stage(Command command) {
        give(
                command,
                run -> {
                    if (!run.orders().add(command)) refuse(command, "the stage is over");
                });
    }

    private void give(Command command, Consumer<DeploymentRun> order) {
        switch (runs.know(new DeploymentId(command.getDeploymentId()))) {
            case Known.GoingOn(var run) -> order.accept(run);
            case Known.Broken(var what) -> broken(command, what, order);
            case Known.Over() -> refuse(command, OVER);
            case Known.NotYet() -> {
                early.add(command);
                // The control plane may have told just now, and nobody would come back to it.
                if (runs.reconciled()) takeEarly();
            }
        }
    }

    /// A cancel is the one order that a walk which broke off, or never began here, still hears.
    private void broken(Command command, String what, Consumer<DeploymentRun> order) {
        var id = new DeploymentId(command.getDeploymentId());
        var run = runs.find(id);
        if (command.getType() != Command.Type.CANCEL_DEPLOYMENT) refuse(command, what);
        else if (run.isPresent()) order.accept(run.get());
        else if (!runs.giveUp(id, command.getCommander(), givenUp(id, command)))
            refuse(command, OVER);
    }

    private Report givenUp(DeploymentId id, Command command) {
        return handled(Ledger.lane(id), command, CommandStatus.COMMAND_SUCCEEDED, "");
    }

    /// The control plane has told which deployments go on: orders that came before are carried out.
    public void takeEarly() {
        for (var command = early.poll(); command != null; command = early.poll()) carryOut(command);
    }

    /// Orders about a deployment that is just being taken up are the first it sees.
    public void takeEarly(DeploymentId deployment) {
        for (var command : early)
            if (command.getDeploymentId().equals(deployment.value()) && early.remove(command))
                carryOut(command);
    }

    private void refuse(Command command, String why) {
        log.warn(
                "command {} ({}) by {} refused: {}",
                command.getId(),
                command.getType(),
                command.getCommander(),
                why);
        var lane = Reports.lane(new CommandId(command.getId()));
        outbox.send(handled(lane, command, CommandStatus.COMMAND_FAILED, why));
    }

    private Report handled(String lane, Command command, CommandStatus status, String why) {
        return Reports.handled(
                lane,
                new CommandId(command.getId()),
                status,
                why.isEmpty() ? Map.of() : Map.of("Reason", why),
                clock.instant());
    }

    /// Where a deployment stands with this agent.
    sealed interface Known {
        record GoingOn(DeploymentRun run) implements Known {}

        record Broken(String what) implements Known {}

        record Over() implements Known {}

        /// It may go on at the control plane, which has not been asked yet.
        record NotYet() implements Known {}
    }
}
