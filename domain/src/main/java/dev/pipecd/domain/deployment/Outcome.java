// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

import java.util.List;

/// How a deployment ended, told honestly. The seven public statuses are coarser: see
/// `PublicStatus`.
public sealed interface Outcome {
    record Succeeded() implements Outcome {}

    /// Everything that was begun is undone.
    record RolledBack(Cause cause) implements Outcome {}

    /// Some of it is undone; what is not is named.
    record PartlyRolledBack(Cause cause, List<String> failed) implements Outcome {
        public PartlyRolledBack {
            failed = List.copyOf(failed);
        }
    }

    record RollbackFailed(Cause cause, String reason) implements Outcome {}

    record Failed(String reason) implements Outcome {}

    record Cancelled(String person) implements Outcome {}

    record TimedOut(String reason) implements Outcome {}

    record Superseded(String by) implements Outcome {}

    /// Its agent was gone too long. The only end that a late true report may correct.
    record Lost(String reason) implements Outcome {}

    /// The sentence shown beside the status.
    default String told() {
        return switch (this) {
            case Succeeded() -> "all stages completed";
            case RolledBack(var cause) -> "rolled back: " + cause.told();
            case PartlyRolledBack(var cause, var failed) ->
                    "partly rolled back: "
                            + cause.told()
                            + "; not undone: "
                            + String.join(", ", failed);
            case RollbackFailed(var cause, var reason) ->
                    "rollback failed (" + reason + ") after: " + cause.told();
            case Failed(var reason) -> reason;
            case Cancelled(var person) -> "cancelled by " + person;
            case TimedOut(var reason) -> reason;
            case Superseded(var by) -> "superseded by " + by;
            case Lost(var reason) -> "lost: " + reason;
        };
    }

    default PublicStatus status() {
        return switch (this) {
            case Succeeded() -> PublicStatus.SUCCESS;
            case RolledBack(var cause) -> afterRollback(cause);
            case PartlyRolledBack(var cause, _) -> afterRollback(cause);
            case RollbackFailed(var cause, _) -> afterRollback(cause);
            case Failed _, TimedOut _, Lost _ -> PublicStatus.FAILURE;
            case Cancelled _, Superseded _ -> PublicStatus.CANCELLED;
        };
    }

    private static PublicStatus afterRollback(Cause cause) {
        return cause instanceof Cause.CancelledBy ? PublicStatus.CANCELLED : PublicStatus.FAILURE;
    }

    /// The final statuses of the public protocol.
    enum PublicStatus {
        SUCCESS,
        FAILURE,
        CANCELLED
    }
}
