// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.controlplane.cache.Cache;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.model.Piped.ConnectionStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// When each agent was last heard, by any server; in the cache only, since a minute later it is
/// known again.
public final class Heartbeats {
    private static final Duration SILENCE_MEANS_OFFLINE = Duration.ofMinutes(2);
    private static final Duration BELIEVED = Duration.ofSeconds(1);

    /// As the public server writes it, with the agent's metrics.
    private static final String PUBLIC_STATS = "HASHKEY:PIPED:STATS";

    /// When alone, because whole metrics of all agents are too much to ask for a list of agents.
    private static final String HEARD = "pipecd:piped:heard";

    private final Cache cache;
    private final InstantSource clock;
    private final Map<String, Instant> here = new ConcurrentHashMap<>();
    private volatile Seen seen = new Seen(Map.of(), Instant.MIN);

    public Heartbeats(Cache cache, InstantSource clock) {
        this.cache = cache;
        this.clock = clock;
    }

    void beat(PipedId piped) {
        var now = clock.instant();
        here.put(piped.value(), now);
        cache.put(HEARD, piped.value(), Long.toString(now.toEpochMilli()));
    }

    /// @param metrics in Prometheus' text form
    void beat(PipedId piped, byte[] metrics) {
        beat(piped);
        var stat =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("piped_id", piped.value())
                        .put("metrics", metrics)
                        .put("timestamp", clock.instant().getEpochSecond());
        cache.put(PUBLIC_STATS, piped.value(), stat.toString());
    }

    public ConnectionStatus status(PipedId piped) {
        var last = later(here.get(piped.value()), everywhere().get(piped.value()));
        if (last.equals(Instant.MIN)) return ConnectionStatus.UNKNOWN;
        return last.plus(SILENCE_MEANS_OFFLINE).isAfter(clock.instant())
                ? ConnectionStatus.ONLINE
                : ConnectionStatus.OFFLINE;
    }

    private Map<String, Instant> everywhere() {
        var now = clock.instant();
        var known = seen;
        if (now.isBefore(known.until())) return known.heard();
        var heard =
                cache.all(HEARD).entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, e -> instant(e.getValue())));
        seen = new Seen(heard, now.plus(BELIEVED));
        return heard;
    }

    private static Instant instant(String millis) {
        try {
            return Instant.ofEpochMilli(Long.parseLong(millis));
        } catch (NumberFormatException _) {
            return Instant.MIN;
        }
    }

    private static Instant later(@Nullable Instant a, @Nullable Instant b) {
        var first = a == null ? Instant.MIN : a;
        return b == null || first.isAfter(b) ? first : b;
    }

    private record Seen(Map<String, Instant> heard, Instant until) {}
}
