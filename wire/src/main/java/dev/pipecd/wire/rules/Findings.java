// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import java.util.ArrayList;
import java.util.List;

/// The broken rules found so far in one message.
final class Findings {
    /// A request of a few megabytes can hold a million broken items: without an end it would cost
    /// the server its memory.
    private static final int MOST = 100;

    private final List<Violation> violations = new ArrayList<>();

    boolean full() {
        return violations.size() >= MOST;
    }

    void add(Place place, String rule, String value, String expected) {
        if (full()) return;
        var field = place.told();
        violations.add(
                new Violation(field, rule, field + ": " + value + " (expected: " + expected + ")"));
    }

    List<Violation> violations() {
        return List.copyOf(violations);
    }
}
