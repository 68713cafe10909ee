// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.process.Machine;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.engine.Observation;
import dev.pipecd.wire.model.Deployment;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deployments whose block of a chain has not come: they hear a cancel, and hold up no other
/// deployment of their application. One application may stand in two blocks.
final class ChainWait {
    private static final Logger log = LoggerFactory.getLogger(ChainWait.class);

    /// How long each block before may take.
    private static final Duration A_BLOCK = Duration.ofHours(24);

    private final Gate gate;
    private final Machine machine;
    private final Consumer<DeploymentRun> come;
    private final Machine.Bell bell;
    private volatile boolean closed;

    /// @param come told when the block has come
    ChainWait(Gate gate, Machine machine, Consumer<DeploymentRun> come) {
        this.gate = gate;
        this.machine = machine;
        this.bell = machine.bell();
        this.come = come;
    }

    /// The first block is there from the beginning, and who is planned already had his turn.
    static boolean concerns(DeploymentRun run) {
        return run.sheet().getDeploymentChainBlockIndex() > 0
                && run.state() instanceof DeploymentState.Pending;
    }

    void begin(DeploymentRun run) {
        machine.start("chain-" + run.id().brief(), () -> await(run));
    }

    private void await(DeploymentRun run) {
        try {
            while (!run.state().finished() && !closed) {
                switch (turn(run.sheet())) {
                    case Gate.Turn.Now() -> {
                        come.accept(run);
                        return;
                    }
                    case Gate.Turn.Never(var why) -> {
                        withdraw(run, new Outcome.Cancelled("its deployment chain: " + why));
                        return;
                    }
                    case Gate.Turn.Later(var pause) -> {
                        if (!machine.instant().isBefore(deadline(run.sheet()))) {
                            withdraw(run, tooLong(run.sheet()));
                            return;
                        }
                        if (bell.await(() -> closed, pause)) return;
                    }
                }
            }
        } catch (InterruptedException stopped) {
            // The agent stops; the next one asks again.
        }
    }

    /// A fault of ours must not end the waiting: nobody would look after the deployment.
    private Gate.Turn turn(Deployment sheet) {
        try {
            return gate.turn(sheet);
        } catch (Throwable e) {
            log.error("deployment {}: its turn cannot be asked; asked again", sheet.getId(), e);
            return new Gate.Turn.Later(Duration.ofMinutes(1));
        }
    }

    private static void withdraw(DeploymentRun run, Outcome outcome) {
        run.see(new Observation.Withdrawn(outcome));
    }

    /// Counted from its opening, so that restarts do not prolong it.
    private static Instant deadline(Deployment sheet) {
        return Instant.ofEpochSecond(sheet.getCreatedAt())
                .plus(A_BLOCK.multipliedBy(sheet.getDeploymentChainBlockIndex()));
    }

    private static Outcome tooLong(Deployment sheet) {
        return new Outcome.TimedOut(
                "block %d of the deployment chain did not come within %d hours"
                        .formatted(
                                sheet.getDeploymentChainBlockIndex(),
                                A_BLOCK.multipliedBy(sheet.getDeploymentChainBlockIndex())
                                        .toHours()));
    }

    void close() {
        closed = true;
        bell.ring();
    }
}
