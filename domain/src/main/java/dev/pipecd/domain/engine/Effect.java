// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.engine;

import dev.pipecd.domain.StageId;
import java.time.Instant;

/// What is to be done in the world once the events before it are recorded. Each may be asked for
/// again after a restart.
public sealed interface Effect {
    record MakePlan() implements Effect {}

    record AskGate(StageId stage) implements Effect {}

    /// Start it, or go on with it if it was started before.
    record RunStage(StageId stage, Instant startedAt, Instant deadline) implements Effect {}

    record StopStage(StageId stage, String reason) implements Effect {}
}
