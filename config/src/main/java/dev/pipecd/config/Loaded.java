// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import java.util.List;

/// A document that can be used, what to tell its author, and how it may be shown: `masked` is the
/// effective `spec` as YAML with sorted keys, in which whatever is secret, unknown or a plugin's
/// own is six asterisks.
public record Loaded<T>(T value, List<Warning> warnings, String masked) {
    public Loaded {
        warnings = List.copyOf(warnings);
    }
}
