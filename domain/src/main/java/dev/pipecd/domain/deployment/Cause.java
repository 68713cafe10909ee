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
}
