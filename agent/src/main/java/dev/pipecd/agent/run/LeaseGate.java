// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.report.Lease;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.engine.Observation.GateAnswer;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import java.time.InstantSource;

/// Lets nothing go forward while it is not certain that this agent alone acts under its id. A
/// rollback goes on: it leads to what served before.
///
/// @param behind asked when this one has nothing against it
public record LeaseGate(Lease lease, InstantSource clock, Gate behind) implements Gate {
    private static final Duration ASKED_AGAIN = Duration.ofSeconds(10);

    @Override
    public GateAnswer ask(Deployment deployment, StageId stage) {
        var rollback =
                deployment.getStagesList().stream()
                        .anyMatch(s -> s.getId().equals(stage.value()) && s.getRollback());
        if (rollback || lease.forward()) return behind.ask(deployment, stage);
        return new GateAnswer.Hold(
                "the control plane has not confirmed that this agent still acts",
                clock.instant().plus(ASKED_AGAIN));
    }

    @Override
    public boolean opens() {
        return lease.forward() && behind.opens();
    }

    @Override
    public void awaitForward(PipelineStage stage) throws InterruptedException {
        if (!stage.getRollback()) lease.awaitForward();
        behind.awaitForward(stage);
    }

    @Override
    public boolean isForward(PipelineStage stage) {
        return (stage.getRollback() || lease.forward()) && behind.isForward(stage);
    }

    @Override
    public Turn turn(Deployment chained) {
        return behind.turn(chained);
    }
}
