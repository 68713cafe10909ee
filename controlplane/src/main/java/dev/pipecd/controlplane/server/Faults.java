// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import io.grpc.Status;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Words a failure for its caller; one that is our fault gets an id, under which the log has the
/// whole of it.
public final class Faults {
    private static final Logger log = LoggerFactory.getLogger(Faults.class);

    private Faults() {}

    public static Status told(Throwable failure) {
        var status = Failures.of(failure);
        if (status.getCode() != Status.Code.INTERNAL) return status;
        var id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
        log.error("internal error {}", id, failure);
        return status.withDescription(
                "internal error %s. Look for it in the log of the control plane.".formatted(id));
    }
}
