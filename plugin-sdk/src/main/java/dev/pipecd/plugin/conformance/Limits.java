// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import java.time.Duration;

/// How long a plugin may take: to start, to answer, to end a stage that is over, to end itself.
public record Limits(Duration start, Duration answer, Duration stop, Duration end) {
    public static final Limits USUAL =
            new Limits(
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(15),
                    // The public SDK gives its calls 30 s.
                    Duration.ofSeconds(35));
}
