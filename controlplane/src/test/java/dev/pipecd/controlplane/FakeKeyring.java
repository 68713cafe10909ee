// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Credentials;
import dev.pipecd.controlplane.access.Keyring;
import dev.pipecd.domain.Problem;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Believes the agent `piped-1` with key `secret` and the API key `id.secret`, until told
/// otherwise.
final class FakeKeyring implements Keyring {
    final Set<String> disabled = ConcurrentHashMap.newKeySet();

    @Override
    public Caller.Agent agent(Credentials.PipedToken token) {
        if (!token.key().equals("secret") || disabled.contains(token.piped().value()))
            throw refused();
        return new Caller.Agent(token.project(), token.piped());
    }

    @Override
    public Caller.KeyHolder keyHolder(Credentials.ApiKey key) {
        if (!key.key().equals("id.secret")) throw refused();
        return new Caller.KeyHolder(RunningServer.PROJECT, "id", "ci", true);
    }

    private static Problem refused() {
        return new Problem(Problem.Code.UNAUTHENTICATED, "Unauthenticated", "Check the key.");
    }
}
