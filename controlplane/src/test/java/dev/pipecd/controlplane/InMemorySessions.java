// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.controlplane.access.SessionStore;
import dev.pipecd.domain.ProjectId;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Remembers ended sessions.
public final class InMemorySessions implements SessionStore {
    private final Map<String, Instant> ended = new ConcurrentHashMap<>();

    @Override
    public void opened(ProjectId project, String person, String how) {}

    @Override
    public void end(ProjectId project, String person, End end) {
        ended.put(end.id(), end.expires());
    }

    @Override
    public Map<String, Instant> ended(List<String> ids) {
        var found = new HashMap<>(ended);
        found.keySet().retainAll(ids);
        return found;
    }
}
