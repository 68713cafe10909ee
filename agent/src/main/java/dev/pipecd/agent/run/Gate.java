// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.engine.Observation.GateAnswer;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;

/// Asked before every stage starts: windows, freezes, budgets and invariants will answer here.
@FunctionalInterface
public interface Gate {
    /// Nothing holds anything back yet.
    Gate OPEN = (_, _) -> new GateAnswer.Allow();

    GateAnswer ask(Deployment deployment, StageId stage);

    /// Comes back when a stage that was let pass, perhaps before a restart, may really go on.
    default void awaitTurn(PipelineStage stage) throws InterruptedException {}
}
