// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.engine;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.StageResult;
import java.time.Duration;
import java.time.Instant;

/// What the world told about a deployment.
public sealed interface Observation {
    /// The agent has just begun to look after it, for the first time or again after a restart.
    record TakenUp() implements Observation {}

    record TimePassed() implements Observation {}

    /// The machine's clock was set, by this much.
    record ClockJumped(Duration by) implements Observation {}

    record PlanReady(Plan plan) implements Observation {}

    record PlanFailed(String reason) implements Observation {}

    record GateAnswered(StageId stage, GateAnswer answer) implements Observation {}

    /// A plugin says how a stage ended.
    record StageAnswered(StageId stage, StageResult result) implements Observation {}

    /// A plugin confirms that a stage which was told to stop has stopped.
    record StageStopped(StageId stage) implements Observation {}

    record CancelOrdered(String person, RollbackWish wish) implements Observation {}

    /// It is not wanted any more and has not begun: a newer one replaces it, or its chain has
    /// ended.
    record Withdrawn(Outcome outcome) implements Observation {}

    /// May a stage start?
    sealed interface GateAnswer {
        record Allow() implements GateAnswer {}

        record Hold(String reason, Instant until) implements GateAnswer {}

        record Refuse(String reason) implements GateAnswer {}

        /// This change does not need it.
        record Skip(String reason) implements GateAnswer {}
    }

    /// What the person who cancels wants of the rollback.
    enum RollbackWish {
        AS_PLANNED,
        ALWAYS,
        NEVER
    }
}
