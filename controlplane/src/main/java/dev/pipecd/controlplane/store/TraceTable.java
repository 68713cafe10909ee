// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.event.TraceFilter;
import dev.pipecd.controlplane.event.TraceStore;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.wire.model.DeploymentTrace;
import java.time.InstantSource;
import java.util.List;

/// Keeps the commits that events came of.
public final class TraceTable implements TraceStore {
    private final Documents<DeploymentTrace> documents;

    public TraceTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "DeploymentTrace",
                        DeploymentTrace.getDefaultInstance(),
                        Change.Kind.DEPLOYMENT_TRACE,
                        "id",
                        "");
        documents = new Documents<>(database, trail, kind, clock);
    }

    @Override
    public List<DeploymentTrace> list(TraceFilter filter, Cursor after, int limit) {
        return documents.list(where(filter, after), Where.NEWEST_FIRST, limit);
    }

    static Where where(TraceFilter filter, Cursor after) {
        return Where.ALL
                .and("ProjectId = ?", filter.project().value())
                .and("UpdatedAt >= ?", filter.since())
                .is("CommitHash", filter.commitHash())
                .after(after);
    }

    Documents<DeploymentTrace> documents() {
        return documents;
    }

    @Override
    public void add(DeploymentTrace added, String actor) {
        var _ = documents.add(added, actor, Where.NONE);
    }
}
