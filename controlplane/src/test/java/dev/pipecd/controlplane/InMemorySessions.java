// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.controlplane.access.SessionStore;
import dev.pipecd.domain.ProjectId;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Remembers ended sessions.
public final class InMemorySessions implements SessionStore {
    private final Set<String> ended = ConcurrentHashMap.newKeySet();

    @Override
    public void opened(ProjectId project, String person, String how) {}

    @Override
    public void end(ProjectId project, String person, String id, Instant expires) {
        ended.add(id);
    }

    @Override
    public boolean ended(String id) {
        return ended.contains(id);
    }
}
