// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain;

/// Names a Git repository as the agent's configuration does.
public record RepositoryId(String value) {
    public RepositoryId {
        if (value.isBlank())
            throw new IllegalArgumentException("repositoryId: \"\" (expected: an id)");
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
