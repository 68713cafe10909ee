// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

/// What came of one target.
public record TargetResult(String target, Result result, String message) {
    public enum Result {
        SUCCEEDED,
        FAILED,
        SKIPPED
    }
}
