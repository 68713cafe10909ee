// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.domain.ProjectId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// A trail of changes that tests write by hand.
public final class InMemoryTrail implements Changes.ChangeStore {
    private final List<Change> kept = new ArrayList<>();

    synchronized Change add(
            String project, Change.Kind kind, String id, String piped, String actor) {
        var change = change(kept.size() + 1L, project, kind, id, piped, actor);
        kept.add(change);
        return change;
    }

    static Change change(
            long cursor, String project, Change.Kind kind, String id, String piped, String actor) {
        return new Change(
                cursor,
                new ProjectId(project),
                kind,
                id,
                "",
                piped,
                new Change.Deed(actor, "", Instant.EPOCH));
    }

    @Override
    public synchronized List<Change> since(ProjectId project, long cursor, int limit) {
        return kept.stream()
                .filter(c -> c.project().equals(project) && c.cursor() > cursor)
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized long latest() {
        return kept.size();
    }
}
