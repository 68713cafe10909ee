// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.controlplane.access.Accounts;
import dev.pipecd.controlplane.access.Keyring;
import dev.pipecd.controlplane.agentapi.LinkDoor;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.http.Webhook;
import io.grpc.BindableService;
import java.util.List;
import java.util.function.Supplier;

/// What the ports need of what is behind them.
record Inside(
        Changes changes,
        Keyring keys,
        Accounts accounts,
        LinkDoor.Orders orders,
        Webhook.Watching watching,
        Supplier<String> webhookSecret,
        Handlers handlers) {

    /// The three public services.
    ///
    /// @param api the public one for holders of a key, and our own beside it
    record Handlers(BindableService piped, BindableService web, List<BindableService> api) {
        Handlers {
            api = List.copyOf(api);
        }
    }
}
