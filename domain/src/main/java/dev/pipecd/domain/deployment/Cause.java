// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

/// Why a deployment is not going on.
public sealed interface Cause {
    record StageFailed(String reason) implements Cause {}

    record CancelledBy(String person) implements Cause {}

    record TooLong(String reason) implements Cause {}

    default String told() {
        return switch (this) {
            case StageFailed(var reason) -> reason;
            case CancelledBy(var person) -> "cancelled by " + person;
            case TooLong(var reason) -> reason;
        };
    }

    /// How a stage ends that was stopped for this.
    default StageResult stopped(String remark) {
        return switch (this) {
            case CancelledBy(var person) -> new StageResult.Cancelled(person + remark);
            case TooLong(var reason) -> new StageResult.TimedOut(reason + remark);
            case StageFailed(var reason) -> new StageResult.Failed(reason + remark);
        };
    }

    /// How a deployment ends that stops for this and rolls nothing back.
    default Outcome outcome() {
        return switch (this) {
            case StageFailed(var reason) -> new Outcome.Failed(reason);
            case CancelledBy(var person) -> new Outcome.Cancelled(person);
            case TooLong(var reason) -> new Outcome.TimedOut(reason);
        };
    }
}
