// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.controlplane.change.Change;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Remembers for a moment whose an agent's key is, so that an agent that calls a hundred times a
/// second is looked up twice. A refusal is never remembered, and a change of the agent forgets it
/// at once: even when that news is lost, no answer is older than half a second.
public final class RecentKeys implements Keyring {
    private static final Duration LIFE = Duration.ofMillis(500);
    private static final int MOST_REMEMBERED = 10_000;

    private final Keyring keys;
    private final InstantSource clock;
    private final Map<Credentials.PipedToken, Seen> agents = new ConcurrentHashMap<>();

    public RecentKeys(Keyring keys, InstantSource clock) {
        this.keys = keys;
        this.clock = clock;
    }

    @Override
    public Caller.Agent agent(Credentials.PipedToken token) {
        var now = clock.instant();
        var seen = agents.get(token);
        if (seen != null && now.isBefore(seen.until())) return seen.agent();
        var agent = keys.agent(token);
        if (agents.size() >= MOST_REMEMBERED) agents.clear();
        agents.put(token, new Seen(agent, now.plus(LIFE)));
        return agent;
    }

    @Override
    public Caller.KeyHolder keyHolder(Credentials.ApiKey key) {
        return keys.keyHolder(key);
    }

    /// Listens to changes.
    public void hear(Change change) {
        if (change.kind() == Change.Kind.PIPED)
            agents.keySet().removeIf(t -> t.piped().value().equals(change.id()));
    }

    private record Seen(Caller.Agent agent, Instant until) {}
}
