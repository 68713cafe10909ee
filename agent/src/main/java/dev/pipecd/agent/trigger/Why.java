// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.SyncStrategy;
import java.util.List;

/// What led to a deployment.
///
/// @param trace the commit of another repository that it came of; empty when none is told
/// @param orders answered by its opening
record Why(
        String trace,
        String commander,
        SyncStrategy strategy,
        String summary,
        String chain,
        int block,
        List<Command> orders) {
    Why {
        orders = List.copyOf(orders);
    }

    static Why commit(String trace) {
        return new Why(trace, "", SyncStrategy.AUTO, "", "", 0, List.of());
    }

    boolean isCommit() {
        return orders.isEmpty() && summary.isEmpty();
    }

    static Why outOfSync(String trace) {
        return new Why(
                trace, "", SyncStrategy.AUTO, "the application was out of sync", "", 0, List.of());
    }

    static Why order(Command command, String trace) {
        return new Why(
                trace,
                command.getCommander(),
                command.getSyncApplication().getSyncStrategy(),
                "",
                "",
                0,
                List.of(command));
    }

    /// The commander is the chain, whoever gave the order.
    static Why chain(Command command, String trace) {
        var order = command.getChainSyncApplication();
        return new Why(
                trace,
                order.getDeploymentChainId(),
                order.getSyncStrategy(),
                "",
                order.getDeploymentChainId(),
                order.getBlockIndex(),
                List.of(command));
    }
}
