// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.model.Piped.ConnectionStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// When each agent was last heard; in memory only, since a minute later it is known again.
public final class Heartbeats {
    private static final Duration SILENCE_MEANS_OFFLINE = Duration.ofMinutes(2);

    private final Map<PipedId, Instant> heard = new ConcurrentHashMap<>();
    private final InstantSource clock;

    public Heartbeats(InstantSource clock) {
        this.clock = clock;
    }

    void beat(PipedId piped) {
        heard.put(piped, clock.instant());
    }

    public ConnectionStatus status(PipedId piped) {
        var last = heard.get(piped);
        if (last == null) return ConnectionStatus.UNKNOWN;
        return last.plus(SILENCE_MEANS_OFFLINE).isAfter(clock.instant())
                ? ConnectionStatus.ONLINE
                : ConnectionStatus.OFFLINE;
    }
}
