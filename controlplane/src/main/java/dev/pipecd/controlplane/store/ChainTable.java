// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.chain.ChainStore;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ChainStatus;
import dev.pipecd.wire.model.DeploymentChain;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Keeps chains of deployments.
public final class ChainTable implements ChainStore {
    static final Where LIVE = Where.ALL.and("Status < 2");

    private static final Comparator<DeploymentChain> OLDEST_FIRST =
            Comparator.comparingLong(DeploymentChain::getCreatedAt)
                    .thenComparing(DeploymentChain::getId);

    /// The public schema has no index of them, and of every change the trail tells.
    private static final Duration LOOK_AGAIN = Duration.ofHours(1);

    private final Documents<DeploymentChain> documents;
    private final Shelf<DeploymentChain> live;

    public ChainTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "DeploymentChain",
                        DeploymentChain.getDefaultInstance(),
                        Change.Kind.DEPLOYMENT_CHAIN,
                        "id",
                        "");
        documents = new Documents<>(database, trail, kind, clock);
        live =
                new Shelf<>(
                        documents,
                        new Shelf.Order<>(
                                _ -> Shelf.ALL,
                                DeploymentChain::getId,
                                c ->
                                        c.getStatusValue()
                                                < ChainStatus.DEPLOYMENT_CHAIN_SUCCESS_VALUE,
                                _ -> LIVE),
                        LOOK_AGAIN);
    }

    @Override
    public Optional<DeploymentChain> find(String id) {
        return documents.find(id);
    }

    @Override
    public List<DeploymentChain> list(ProjectId project, long since, Cursor after, int limit) {
        return documents.list(where(project, since, after), Where.NEWEST_FIRST, limit);
    }

    static Where where(ProjectId project, long since, Cursor after) {
        return Where.ALL.and("ProjectId = ?", project.value()).since(since).after(after);
    }

    Documents<DeploymentChain> documents() {
        return documents;
    }

    @Override
    public List<DeploymentChain> live(int limit) {
        return live.all(Shelf.ALL).stream().sorted(OLDEST_FIRST).limit(limit).toList();
    }

    @Override
    public void add(DeploymentChain added, String actor) {
        var _ = documents.add(added, actor, Where.ALL.and("Id = ?", added.getId()));
    }

    @Override
    public Optional<DeploymentChain> update(
            String id, String actor, Function<DeploymentChain, Edit<DeploymentChain>> edit) {
        return documents.update(id, actor, edit);
    }
}
