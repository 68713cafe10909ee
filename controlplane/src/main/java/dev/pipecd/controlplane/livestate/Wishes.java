// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.livestate;

import dev.pipecd.domain.ApplicationId;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// Which applications somebody wanted to see of late. Every page that is open reads again what an
/// agent reports: if each read were a wish, each report would cause the next.
final class Wishes {
    private static final Duration APART = Duration.ofSeconds(10);
    private static final int MOST = 10_000;

    private final Map<ApplicationId, Instant> settled =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<ApplicationId, Instant> eldest) {
                    return size() > MOST;
                }
            };

    /// Whether the agent is to hear of it: not if it heard of it, or answered, a moment ago.
    synchronized boolean isDue(ApplicationId id, Instant now) {
        var at = settled.get(id);
        // A clock that was put back must not silence wishes.
        if (at != null && !now.isBefore(at) && now.isBefore(at.plus(APART))) return false;
        settle(id, now);
        return true;
    }

    /// What nobody wished for is not remembered: agents report far more than people read.
    synchronized void answered(ApplicationId id, Instant now) {
        if (settled.containsKey(id)) settle(id, now);
    }

    private void settle(ApplicationId id, Instant now) {
        settled.remove(id);
        settled.put(id, now);
    }
}
