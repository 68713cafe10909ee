// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import dev.pipecd.controlplane.cache.Cache;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/// Takes out of the shared cache what the public server remembers of things that changed here. It
/// would believe that for minutes and show them as they were before, if it were started again.
public final class PublicAnswers {
    private static final Duration AGAIN = Duration.ofMinutes(1);
    private static final int MOST = 10_000;
    private static final int RETRIES = 3;

    private final Cache cache;
    private final InstantSource clock;
    private final Map<String, Instant> dropped = new ConcurrentHashMap<>();

    public PublicAnswers(Cache cache, InstantSource clock) {
        this.cache = cache;
        this.clock = clock;
    }

    public void hear(Change change) {
        switch (change.kind()) {
            case COMMAND -> drop(change, List.of("command:" + change.id()));
            case LIVE_STATE -> drop(change, List.of("application-live-state:" + change.id()));
            case STAGE_LOG -> drop(change, logs(change));
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

    private static List<String> logs(Change change) {
        return IntStream.rangeClosed(0, RETRIES)
                .mapToObj(retried ->
                        "piped-stage-log:%s:%s:%d".formatted(change.id(), change.stage(), retried))
                .toList();
    }

    /// A log grows many times a minute; only what was there before us has to go.
    private void drop(Change change, List<String> keys) {
        var now = clock.instant();
        var name = change.kind() + " " + change.id() + " " + change.stage();
        var last = dropped.get(name);
        if (last != null && now.isBefore(last.plus(AGAIN))) return;
        if (dropped.size() >= MOST) dropped.clear();
        dropped.put(name, now);
        cache.drop(keys);
    }
}
