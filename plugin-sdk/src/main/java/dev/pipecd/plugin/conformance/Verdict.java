// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

/// What came of looking at a rule.
public sealed interface Verdict {
    record Kept() implements Verdict {}

    record Broken(String how) implements Verdict {}

    record NotChecked(String why) implements Verdict {}
}
