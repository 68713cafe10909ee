// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

/// What came of one target.
public record TargetResult(String target, Result result, String message) {
    public static TargetResult succeeded(String target) {
        return new TargetResult(target, Result.SUCCEEDED, "");
    }

    public static TargetResult failed(String target, String reason) {
        return new TargetResult(target, Result.FAILED, reason);
    }

    public enum Result {
        SUCCEEDED,
        FAILED,
        SKIPPED
    }
}
