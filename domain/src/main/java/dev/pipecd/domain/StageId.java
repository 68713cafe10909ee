// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain;

/// Names one stage of one deployment.
public record StageId(String value) {
    public StageId {
        if (value.isBlank()) throw new IllegalArgumentException("stageId: \"\" (expected: an id)");
    }

    /// What people are shown.
    public String brief() {
        return value.length() <= 8 ? value : value.substring(0, 8);
    }

    @Override
    public String toString() {
        return value;
    }
}
