// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

/// What a change would do to one target; `details` is coloured as `language`.
public record TargetPreview(
        String target, boolean changed, String summary, String details, String language) {
    public static TargetPreview unchanged(String target) {
        return new TargetPreview(target, false, "No changes were detected", "", "diff");
    }

    public static TargetPreview diff(String target, String summary, String details) {
        return new TargetPreview(target, true, summary, details, "diff");
    }
}
