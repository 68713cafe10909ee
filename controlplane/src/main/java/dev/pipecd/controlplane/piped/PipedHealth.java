// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.cache.Cache;
import dev.pipecd.domain.PipedId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// How agents do, as they told it themselves; in the cache only, since a minute later it is known
/// again.
public final class PipedHealth {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String HASH = "pipecd:piped:health";
    private static final Duration BELIEVED = Duration.ofMinutes(3);
    private static final int MOST_PARTS = 500;
    private static final int LONGEST_TEXT = 2_000;
    private static final int MOST_CHARACTERS = 64 * 1024;
    private static final Duration REMEMBERED = Duration.ofHours(24);

    private final Pipeds pipeds;
    private final Cache cache;
    private final InstantSource clock;
    private final KeptStats stats = new KeptStats();

    public PipedHealth(Pipeds pipeds, Cache cache, InstantSource clock) {
        this.pipeds = pipeds;
        this.cache = cache;
        this.clock = clock;
    }

    /// What is too much of it is left out: an agent must not fill the cache.
    public void told(Caller.Agent agent, List<Part> parts) {
        try {
            var told = new Told(clock.instant().getEpochSecond(), kept(parts));
            var text = JSON.writeValueAsString(told);
            stats.keep(agent.project(), agent.piped().value(), text.length())
                    .forEach(old -> cache.remove(HASH, old));
            cache.put(HASH, agent.piped().value(), text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Part> kept(List<Part> parts) {
        var kept = new ArrayList<Part>();
        var left = MOST_CHARACTERS;
        for (var part : parts) {
            var shortened = part.shortened();
            left -= shortened.length();
            if (left < 0 || kept.size() == MOST_PARTS) break;
            kept.add(shortened);
        }
        return kept;
    }

    /// Nothing when it has not told of late.
    public Told of(Caller caller, PipedId id) {
        var piped = pipeds.get(caller, id);
        // of this agent alone: what all of them told together has no limit
        return cache.get(HASH, piped.getId())
                .map(PipedHealth::read)
                .filter(told -> !isOlder(told, BELIEVED))
                .orElse(Told.NOTHING);
    }

    /// Drops what was told by agents that have been gone for long.
    public void forget() {
        for (var id : cache.fields(HASH))
            if (cache.get(HASH, id).filter(text -> !isOlder(read(text), REMEMBERED)).isEmpty()) {
                cache.remove(HASH, id);
                stats.forget(id);
            }
    }

    private boolean isOlder(Told told, Duration age) {
        return Instant.ofEpochSecond(told.at()).plus(age).isBefore(clock.instant());
    }

    /// Whoever wrote something else, it is none of ours.
    private static Told read(String text) {
        try {
            return JSON.readValue(text, Told.class);
        } catch (JsonProcessingException e) {
            return Told.NOTHING;
        }
    }

    /// @param at Unix seconds; 0 when nothing is told
    public record Told(long at, List<Part> parts) {
        static final Told NOTHING = new Told(0, List.of());

        public Told {
            parts = List.copyOf(parts);
        }
    }

    /// One thing that can be well or not.
    public record Part(String kind, String name, boolean ok, String detail, String advice) {
        private Part shortened() {
            return new Part(cut(kind), cut(name), ok, cut(detail), cut(advice));
        }

        private int length() {
            return kind.length() + name.length() + detail.length() + advice.length();
        }

        private static String cut(String text) {
            return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
        }
    }
}
