// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import dev.pipecd.config.launch.RequestScope;
import io.grpc.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Words a failure for its caller; of one that is our fault the log has the whole, under the id of
/// the request.
public final class Faults {
    private static final Logger log = LoggerFactory.getLogger(Faults.class);

    private Faults() {}

    public static Status told(Throwable failure) {
        var status = Failures.of(failure);
        if (status.getCode() != Status.Code.INTERNAL) return status;
        log.error("internal error", failure);
        return RequestScope.id().isEmpty()
                ? status
                : status.withDescription(
                        "internal error. Look for request %s in the log of the control plane."
                                .formatted(RequestScope.id()));
    }
}
