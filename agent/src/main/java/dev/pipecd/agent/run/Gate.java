// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.engine.Observation.GateAnswer;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;

/// Asked before a deployment is opened, before one of a chain is planned, and before every stage
/// starts: windows, freezes, budgets and invariants will answer here.
@FunctionalInterface
public interface Gate {
    /// Nothing holds anything back yet.
    Gate OPEN = (_, _) -> new GateAnswer.Allow();

    GateAnswer ask(Deployment deployment, StageId stage);

    /// Whether this agent may open anything just now.
    ///
    /// @param told whether the control plane has told, since the start, what goes on
    default boolean opens(boolean told) {
        return true;
    }

    /// Comes back when it is known that this agent did not stand still for so long that another
    /// goes on with its deployments.
    default void awaitAwake() throws InterruptedException {}

    /// Comes back when a stage that was let pass, perhaps before a restart, may really go on.
    default void awaitForward(PipelineStage stage) throws InterruptedException {}

    /// Whether it may just now.
    default boolean isForward(PipelineStage stage) {
        return true;
    }

    /// Whether the block of the chain that the deployment stands in has come.
    default Turn turn(Deployment chained) {
        return new Turn.Now();
    }

    /// When a deployment of a chain may be planned.
    sealed interface Turn {
        record Now() implements Turn {}

        /// @param ask again after this long
        record Later(Duration ask) implements Turn {}

        /// @param why told to people as the reason it is cancelled
        record Never(String why) implements Turn {}
    }
}
