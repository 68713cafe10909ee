// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import io.grpc.Status;

/// What an answer to a report says of sending it again. Both sides ask the same, or one report
/// could overtake another: the control plane goes on behind what is settled, the agent forgets it.
public enum Verdict {
    TAKEN,

    /// It will never be taken.
    REFUSED,

    /// It could not be looked at, or not now.
    COME_AGAIN;

    /// What a server takes that nobody told otherwise, ours and the public one.
    private static final int LARGEST_MESSAGE = 4 << 20;

    /// @param length of the report: one that is too large is so the next time, too
    public static Verdict of(Status.Code code, int length) {
        return code == Status.Code.RESOURCE_EXHAUSTED && length > LARGEST_MESSAGE
                ? REFUSED
                : of(code);
    }

    public static Verdict of(Status.Code code) {
        return switch (code) {
            // ALREADY_EXISTS: sent before, and the answer was lost.
            case OK, ALREADY_EXISTS -> TAKEN;
            case INVALID_ARGUMENT,
                    NOT_FOUND,
                    PERMISSION_DENIED,
                    FAILED_PRECONDITION,
                    UNIMPLEMENTED,
                    OUT_OF_RANGE ->
                    REFUSED;
            case CANCELLED,
                    UNKNOWN,
                    DEADLINE_EXCEEDED,
                    RESOURCE_EXHAUSTED,
                    ABORTED,
                    INTERNAL,
                    UNAVAILABLE,
                    DATA_LOSS,
                    UNAUTHENTICATED ->
                    COME_AGAIN;
        };
    }
}
