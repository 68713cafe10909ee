// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

/// Whether what runs is what Git says. Unknown is an answer of its own: it never starts a
/// deployment.
public sealed interface Drift {
    record None() implements Drift {}

    /// `summary` is one line, `details` the whole difference.
    record Drifted(String summary, String details) implements Drift {}

    /// The application's files are such that nothing can be compared.
    record Unreadable(String summary, String details) implements Drift {}

    record Unknown(String reason) implements Drift {}
}
