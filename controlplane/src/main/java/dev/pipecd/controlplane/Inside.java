// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.controlplane.access.Accounts;
import dev.pipecd.controlplane.access.Keyring;
import dev.pipecd.controlplane.access.SessionStore;
import dev.pipecd.controlplane.agentapi.LinkDoor;
import dev.pipecd.controlplane.audit.AuditLog;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.http.Webhook;
import dev.pipecd.controlplane.sso.Ways;
import io.grpc.BindableService;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// What the ports need of what is behind them.
record Inside(
        Changes changes,
        Keyring keys,
        People people,
        LinkDoor.Behind link,
        Webhook.Watching watching,
        Supplier<String> webhookSecret,
        Handlers handlers) {

    /// Who may log in and how, and what is kept of it.
    ///
    /// @param address the URL people reach us under
    record People(
            Accounts accounts,
            SessionStore sessions,
            Ways ways,
            String address,
            Supplier<String> stateKey,
            AuditLog audit) {}

    /// The three public services.
    ///
    /// @param api the public one for holders of a key, and our own beside it
    /// @param own our own services for people, beside the public one
    record Handlers(
            BindableService piped,
            BindableService web,
            List<BindableService> api,
            List<BindableService> own) {
        Handlers {
            api = List.copyOf(api);
            own = List.copyOf(own);
        }

        List<BindableService> forPeople() {
            var all = new ArrayList<>(own);
            all.addFirst(web);
            return all;
        }
    }
}
