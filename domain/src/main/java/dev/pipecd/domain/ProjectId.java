// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain;

/// Names a project, the tenant everything belongs to.
public record ProjectId(String value) {
    public ProjectId {
        if (value.isBlank())
            throw new IllegalArgumentException("projectId: \"\" (expected: an id)");
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
