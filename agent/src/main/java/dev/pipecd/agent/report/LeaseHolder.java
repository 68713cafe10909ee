// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import java.time.Duration;
import java.util.Optional;

/// An agent process that may hold the lease. Its text tells the others how long to wait for it.
public record LeaseHolder(Duration life, String machine, String id) {
    String text() {
        return "%dms %s %s".formatted(life.toMillis(), machine.replace(' ', '-'), id);
    }

    static Optional<Duration> life(String text) {
        var end = text.indexOf("ms ");
        try {
            return end < 0
                    ? Optional.empty()
                    : Optional.of(Duration.ofMillis(Long.parseLong(text.substring(0, end))));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /// On which machine, for people.
    static String told(String text) {
        var parts = text.split(" ", 3);
        return parts.length == 3 ? "on " + parts[1] : "on a machine that is not told";
    }
}
