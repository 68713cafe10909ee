// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

/// What a person ordered for a running stage.
public record StageCommand(String id, Order order, String person) {
    public enum Order {
        APPROVE,
        SKIP
    }
}
