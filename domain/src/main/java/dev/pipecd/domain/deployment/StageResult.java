// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

/// How a stage ended.
public sealed interface StageResult {
    record Succeeded() implements StageResult {}

    record Failed(String reason) implements StageResult {}

    record TimedOut(String reason) implements StageResult {}

    record Cancelled(String person) implements StageResult {}

    record Skipped(String reason) implements StageResult {}

    /// The rest of the pipeline is not needed; the deployment succeeds.
    record Exited(String reason) implements StageResult {}

    /// Whether a stage that never started may end this way.
    default boolean possibleBeforeStart() {
        return switch (this) {
            case Failed _, TimedOut _, Cancelled _, Skipped _ -> true;
            case Succeeded _, Exited _ -> false;
        };
    }

    /// Whether what follows may go on.
    default boolean goesOn() {
        return this instanceof Succeeded || this instanceof Skipped;
    }

    /// Whether nothing is left to be done by it.
    default boolean accomplished() {
        return goesOn() || this instanceof Exited;
    }

    default String told() {
        return switch (this) {
            case Succeeded() -> "";
            case Failed(var reason) -> reason;
            case TimedOut(var reason) -> reason;
            case Cancelled(var person) -> "cancelled by " + person;
            case Skipped(var reason) -> reason;
            case Exited(var reason) -> reason;
        };
    }
}
