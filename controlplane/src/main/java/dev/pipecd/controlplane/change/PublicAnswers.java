// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import dev.pipecd.controlplane.cache.Cache;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.IntStream;

/// Takes out of the shared cache what the public server remembers of things that changed here. It
/// would believe that for minutes and show them as they were before, if it were started again.
public final class PublicAnswers {
    private static final Duration AGAIN = Duration.ofMinutes(1);
    private static final int MOST = 10_000;
    private static final int RETRIES = 3;

    private final Cache cache;
    private final InstantSource clock;

    /// Logs by when they were last taken out, the longest ago first.
    private final SequencedMap<Log, Instant> dropped = new LinkedHashMap<>();

    private final Set<Log> grownSince = new HashSet<>();

    public PublicAnswers(Cache cache, InstantSource clock) {
        this.cache = cache;
        this.clock = clock;
    }

    public void hear(Change change) {
        dropOverdue();
        switch (change.kind()) {
            case COMMAND -> cache.drop(List.of("command:" + change.id()));
            case LIVE_STATE -> cache.drop(List.of("application-live-state:" + change.id()));
            case STAGE_LOG -> grown(new Log(change.id(), change.stage()));
            case APPLICATION,
                    DEPLOYMENT,
                    PIPED,
                    API_KEY,
                    PROJECT,
                    SESSION,
                    EVENT,
                    DEPLOYMENT_TRACE,
                    DEPLOYMENT_CHAIN,
                    LIVE_STATE_WANTED,
                    REPOSITORY -> {} // of these it remembers nothing
        }
    }

    /// Many times a minute: at once, and what comes in the minute after that at its end.
    private synchronized void grown(Log log) {
        if (dropped.containsKey(log)) grownSince.add(log);
        else drop(log);
    }

    private synchronized void dropOverdue() {
        var end = clock.instant().minus(AGAIN);
        while (!dropped.isEmpty()) {
            var first = dropped.firstEntry();
            if (first.getValue().isAfter(end) && dropped.size() < MOST) return;
            dropped.pollFirstEntry();
            if (grownSince.remove(first.getKey())) drop(first.getKey());
        }
    }

    private void drop(Log log) {
        dropped.putLast(log, clock.instant());
        cache.drop(log.keys());
    }

    private record Log(String deployment, String stage) {
        List<String> keys() {
            return IntStream.rangeClosed(0, RETRIES)
                    .mapToObj(retried ->
                            "piped-stage-log:%s:%s:%d".formatted(deployment, stage, retried))
                    .toList();
        }
    }
}
