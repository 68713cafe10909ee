// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import java.time.Duration;

/// How long a caller waits for a database that does not answer.
///
/// @param reading until a reader is told
/// @param writing until a writer is told; longer, since a writer asks whether its commit happened
public record Patience(Duration reading, Duration writing) {
    public static final Patience USUAL =
            new Patience(Duration.ofSeconds(5), Duration.ofSeconds(10));
}
