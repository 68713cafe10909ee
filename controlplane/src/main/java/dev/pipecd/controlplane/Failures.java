// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.domain.Problem;
import io.grpc.Status;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// temporary
public final class Failures {
    private static final Logger log = LoggerFactory.getLogger(Failures.class);

    private Failures() {}

    public static Status of(Throwable failure) {
        if (failure instanceof Problem problem) {
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
            return status.withDescription(problem.told());
        }
        var id = Long.toHexString(ThreadLocalRandom.current().nextLong());
        log.error("failure {}", id, failure);
        return Status.INTERNAL.withDescription("internal error " + id);
    }
}
