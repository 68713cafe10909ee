// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

import dev.pipecd.domain.StageId;
import java.time.Duration;
import java.time.Instant;

/// What can happen to a deployment. Recorded before it is acted upon; replaying the events gives
/// the state.
public sealed interface DeploymentEvent {
    record PlanMade(Plan plan) implements DeploymentEvent {}

    /// @param deadline when the forward part has taken too long
    record Began(Instant at, Instant deadline) implements DeploymentEvent {}

    record StageMoved(StageId stage, StageEvent event) implements DeploymentEvent {}

    /// No further forward stage starts; what runs is told to stop.
    record HaltOrdered(Cause cause, boolean rollBack) implements DeploymentEvent {}

    /// @param deadline when the rollback as a whole has taken too long
    record RollbackBegan(Cause cause, Instant deadline) implements DeploymentEvent {}

    /// The rollback itself is stopped, by a person or by its deadline: what is not undone by now
    /// stays.
    record AbortOrdered(Cause why) implements DeploymentEvent {}

    /// The machine's clock was set, by this much: what has a deadline keeps the time it had left.
    record ClockMoved(Duration by) implements DeploymentEvent {}

    record Ended(Outcome outcome) implements DeploymentEvent {}
}
