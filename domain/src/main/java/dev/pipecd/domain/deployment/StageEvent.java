// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

import java.time.Instant;

/// What can happen to a stage.
public sealed interface StageEvent {
    /// A gate said: not yet.
    record HeldBack(String reason, Instant until) implements StageEvent {}

    record Started(Instant at, Instant deadline) implements StageEvent {}

    record StopOrdered(Cause cause, Instant until) implements StageEvent {}

    record Ended(StageResult result) implements StageEvent {}
}
