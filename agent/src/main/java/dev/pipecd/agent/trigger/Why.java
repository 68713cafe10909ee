// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.SyncStrategy;
import java.util.List;

/// What led to a deployment.
///
/// @param orders answered by its opening
record Why(
        String commander,
        SyncStrategy strategy,
        String summary,
        String chain,
        int block,
        List<Command> orders) {
    Why {
        orders = List.copyOf(orders);
    }

    static Why commit() {
        return new Why("", SyncStrategy.AUTO, "", "", 0, List.of());
    }

    boolean isCommit() {
        return orders.isEmpty() && summary.isEmpty();
    }

    static Why outOfSync() {
        return new Why("", SyncStrategy.AUTO, "the application was out of sync", "", 0, List.of());
    }

    static Why order(Command command) {
        return new Why(
                command.getCommander(),
                command.getSyncApplication().getSyncStrategy(),
                "",
                "",
                0,
                List.of(command));
    }

    /// The commander is the chain, whoever gave the order.
    static Why chain(Command command) {
        var order = command.getChainSyncApplication();
        return new Why(
                order.getDeploymentChainId(),
                order.getSyncStrategy(),
                "",
                order.getDeploymentChainId(),
                order.getBlockIndex(),
                List.of(command));
    }
}
