// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.cache.Cache;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.model.Piped.ConnectionStatus;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// When each agent was last heard, by any server; in the cache only, since a minute later it is
/// known again.
public final class Heartbeats {
    private static final Duration SILENCE_MEANS_OFFLINE = Duration.ofMinutes(2);
    private static final Duration BELIEVED = Duration.ofSeconds(1);
    private static final Duration PUBLIC_BELIEVED = Duration.ofSeconds(10);
    private static final Duration REMEMBERED = Duration.ofHours(24);
    private static final int MOST_METRICS = 512 * 1024;

    /// As the public server writes it, with the agent's metrics.
    private static final String PUBLIC_STATS = "HASHKEY:PIPED:STATS";

    /// When alone, because whole metrics of all agents are too much to ask for a list of agents.
    private static final String HEARD = "pipecd:piped:heard";

    /// Which servers are there to hear agents.
    private static final String LISTENING = "pipecd:server:heard";

    private final Cache cache;
    private final InstantSource clock;
    private final KeptStats stats = new KeptStats();
    private final Map<String, Instant> here = new ConcurrentHashMap<>();
    private final Map<String, Told> told = new ConcurrentHashMap<>();
    private volatile Seen seen = new Seen(Map.of(), Instant.MIN);

    public Heartbeats(Cache cache, InstantSource clock) {
        this.cache = cache;
        this.clock = clock;
    }

    void beat(PipedId piped) {
        var now = clock.instant();
        var before = here.get(piped.value());
        // others would not look before that; and a clock may be set back
        if (before != null && !now.isBefore(before) && now.isBefore(before.plus(BELIEVED))) return;
        here.put(piped.value(), now);
        cache.put(HEARD, piped.value(), Long.toString(now.toEpochMilli()));
    }

    /// @param metrics in Prometheus' text form
    void beat(Caller.Agent agent, byte[] metrics) {
        beat(agent.piped());
        if (metrics.length > MOST_METRICS) return; // it lives, whatever it tells
        var piped = agent.piped().value();
        var stat =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("piped_id", piped)
                        .put("metrics", metrics)
                        .put("timestamp", clock.instant().getEpochSecond())
                        .toString();
        stats.keep(agent.project(), piped, stat.length())
                .forEach(old -> cache.remove(PUBLIC_STATS, old));
        cache.put(PUBLIC_STATS, piped, stat);
    }

    /// A server is there, and agents can be heard.
    public void listen(String server) {
        cache.put(LISTENING, server, Long.toString(clock.instant().toEpochMilli()));
    }

    /// Whether any server was there of late, so that silence means something.
    public boolean isListening() {
        var recently = clock.instant().minus(SILENCE_MEANS_OFFLINE);
        return cache.all(LISTENING).values().stream().anyMatch(at -> instant(at).isAfter(recently));
    }

    /// When it was last heard, as far as is known.
    public Optional<Instant> last(PipedId piped) {
        var last = later(here.get(piped.value()), everywhere().get(piped.value()));
        // While servers are exchanged it may talk to a public one, which keeps only this.
        if (isSilent(last)) last = later(last, byAPublicServer(piped.value()));
        return last.equals(Instant.MIN) ? Optional.empty() : Optional.of(last);
    }

    public ConnectionStatus status(PipedId piped) {
        var last = last(piped).orElse(Instant.MIN);
        if (last.equals(Instant.MIN)) return ConnectionStatus.UNKNOWN;
        return isSilent(last) ? ConnectionStatus.OFFLINE : ConnectionStatus.ONLINE;
    }

    private boolean isSilent(Instant last) {
        return !last.isAfter(clock.instant().minus(SILENCE_MEANS_OFFLINE));
    }

    /// One by one, and only of those who are silent here: metrics come with it.
    private Instant byAPublicServer(String piped) {
        var now = clock.instant();
        var known = told.get(piped);
        if (known != null && now.isBefore(known.until())) return known.at();
        var at = stat(piped).map(Stat::at);
        told.put(piped, new Told(at.orElse(Instant.MIN), now.plus(PUBLIC_BELIEVED)));
        return at.orElse(Instant.MIN);
    }

    /// Drops what is known of agents and servers that have been gone for long.
    public void forget() {
        var before = clock.instant().minus(REMEMBERED);
        for (var hash : List.of(HEARD, LISTENING))
            cache.all(hash)
                    .forEach((id, at) -> {
                        if (instant(at).isBefore(before)) cache.remove(hash, id);
                    });
        for (var id : cache.fields(PUBLIC_STATS))
            if (stat(id).filter(s -> !s.at().isBefore(before)).isEmpty()) {
                cache.remove(PUBLIC_STATS, id);
                stats.forget(id);
            }
        here.values().removeIf(at -> at.isBefore(before));
        told.clear();
    }

    /// Those of whom something is kept that they told of themselves, living or not.
    public List<PipedId> told() {
        return cache.fields(PUBLIC_STATS).stream().sorted().map(PipedId::new).toList();
    }

    /// What a living agent told of itself; in Prometheus' text form, as it sent it. One by one:
    /// nobody knows how much all of them told.
    public Optional<byte[]> metrics(PipedId piped) {
        var since = clock.instant().minus(SILENCE_MEANS_OFFLINE);
        return stat(piped.value()).filter(stat -> stat.at().isAfter(since)).map(Stat::metrics);
    }

    private Optional<Stat> stat(String piped) {
        return cache.get(PUBLIC_STATS, piped).flatMap(Stat::of);
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

    /// A report of an agent's, as the cache holds it for everybody.
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Stat(byte[] metrics, Instant at) {
        private static final ObjectMapper JSON = new ObjectMapper();

        static Optional<Stat> of(String text) {
            try {
                var tree = JSON.readTree(text);
                var at = Instant.ofEpochSecond(tree.path("timestamp").asLong());
                var metrics = tree.path("metrics").binaryValue();
                return Optional.of(new Stat(metrics == null ? new byte[0] : metrics, at));
            } catch (IOException | RuntimeException e) {
                return Optional.empty(); // whoever wrote it, it is no report
            }
        }
    }

    private record Seen(Map<String, Instant> heard, Instant until) {}

    /// What a public server kept of one agent.
    private record Told(Instant at, Instant until) {}
}
