// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import dev.pipecd.domain.Problem;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;

/// The one place that turns what went wrong into what callers are told. What is our own fault is
/// told as such and no more.
public final class Failures {
    private Failures() {}

    public static Status of(Throwable failure) {
        return switch (failure) {
            case Problem problem -> of(problem);
            case StatusRuntimeException e -> e.getStatus();
            case StatusException e -> e.getStatus();
            default -> internal();
        };
    }

    private static Status of(Problem problem) {
        var status =
                switch (problem.code().kind()) {
                    case INVALID -> Status.INVALID_ARGUMENT;
                    case NOT_FOUND -> Status.NOT_FOUND;
                    case EXISTS -> Status.ALREADY_EXISTS;
                    case UNAUTHENTICATED -> Status.UNAUTHENTICATED;
                    case DENIED -> Status.PERMISSION_DENIED;
                    case CONFLICT -> Status.FAILED_PRECONDITION;
                    case EXHAUSTED -> Status.RESOURCE_EXHAUSTED;
                    case UNAVAILABLE -> Status.UNAVAILABLE;
                    case INTERNAL -> Status.INTERNAL;
                };
        return switch (problem.code().kind()) {
            case INTERNAL -> internal();
            // clients compare this text
            case UNAUTHENTICATED -> status.withDescription(problem.message());
            default -> status.withDescription(problem.told());
        };
    }

    private static Status internal() {
        return Status.INTERNAL.withDescription(
                "internal error. Look at the log of the control plane at this time.");
    }
}
