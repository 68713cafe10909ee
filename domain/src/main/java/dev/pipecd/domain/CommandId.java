// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain;

/// Names an order given by a person.
public record CommandId(String value) {
    public CommandId {
        if (value.isBlank())
            throw new IllegalArgumentException("commandId: \"\" (expected: an id)");
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
