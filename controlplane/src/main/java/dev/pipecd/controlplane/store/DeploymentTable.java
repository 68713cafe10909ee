// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.deployment.DeploymentFilter;
import dev.pipecd.controlplane.deployment.DeploymentStore;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// Keeps deployments.
public final class DeploymentTable implements DeploymentStore {
    private static final int MOST_TRACED = 5_000;

    private final Documents<Deployment> documents;
    private final Shelf<Deployment> liveByPiped;

    public DeploymentTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "Deployment",
                        Deployment.getDefaultInstance(),
                        Change.Kind.DEPLOYMENT,
                        "application_name",
                        "piped_id");
        documents = new Documents<>(database, trail, kind, clock);
        liveByPiped =
                new Shelf<>(
                        documents,
                        new Shelf.Order<>(
                                Deployment::getPipedId,
                                Deployment::getId,
                                d -> d.getStatusValue() < DeploymentStatus.DEPLOYMENT_SUCCESS_VALUE,
                                piped -> Where.ALL.and("PipedId = ?", piped).and("Status < 4")));
    }

    @Override
    public Optional<Deployment> find(DeploymentId id) {
        return documents.find(id.value());
    }

    @Override
    public Collection<Deployment> live(PipedId piped) {
        return liveByPiped.all(piped.value());
    }

    @Override
    public Optional<Deployment> findLive(PipedId piped, DeploymentId id) {
        return liveByPiped.find(piped.value(), id.value());
    }

    @Override
    public List<Deployment> list(DeploymentFilter filter, Cursor after, int limit) {
        return documents.list(where(filter, after), Where.NEWEST_FIRST, limit);
    }

    static Where where(DeploymentFilter filter, Cursor after) {
        var statuses = filter.statuses().stream().map(DeploymentStatus::getNumber).toList();
        var where =
                Where.ALL
                        .and("ProjectId = ?", filter.project().value())
                        .since(filter.since())
                        .in("Status", statuses)
                        .in(
                                "Kind",
                                filter.kinds().stream().map(ApplicationKind::getNumber).toList())
                        .in("ApplicationId", filter.applications())
                        .is("ApplicationName", filter.applicationName())
                        .labels(filter.labels())
                        .after(after);
        return seldom(statuses) || !filter.applications().isEmpty() ? where.few() : where;
    }

    /// Nearly all deployments have succeeded or failed.
    private static boolean seldom(List<Integer> statuses) {
        return !statuses.isEmpty()
                && !statuses.contains(DeploymentStatus.DEPLOYMENT_SUCCESS_VALUE)
                && !statuses.contains(DeploymentStatus.DEPLOYMENT_FAILURE_VALUE);
    }

    Documents<Deployment> documents() {
        return documents;
    }

    @Override
    public List<Deployment> traced(ProjectId project, Collection<String> commits) {
        return documents.list(tracedBy(project, commits), Where.NEWEST_FIRST, MOST_TRACED);
    }

    static Where tracedBy(ProjectId project, Collection<String> commits) {
        return Where.ALL
                .and("ProjectId = ?", project.value())
                .and("DeploymentTraceCommitHash IS NOT NULL")
                .in("DeploymentTraceCommitHash", commits);
    }

    @Override
    public List<Deployment> inChain(String chain) {
        return documents.list(
                Where.ALL.and("DeploymentChainId = ?", chain), "Id", Integer.MAX_VALUE);
    }

    @Override
    public Optional<Deployment> add(Deployment added, String actor) {
        return documents.add(added, actor, Where.ALL.and("Id = ?", added.getId()));
    }

    @Override
    public Optional<Deployment> update(
            DeploymentId id, String actor, Function<Deployment, Edit<Deployment>> edit) {
        return documents.update(id.value(), actor, edit);
    }

    @Override
    public List<Deployment> ended(long before, Cursor after, int limit) {
        return documents.list(endedBefore(before, after), "CompletedAt, Id", limit);
    }

    static Where endedBefore(long before, Cursor after) {
        return Where.ALL
                .and("Status >= 4")
                .and("CompletedAt < ?", before)
                .behind("CompletedAt", after);
    }

    @Override
    public boolean delete(DeploymentId id, String what, Predicate<Deployment> still) {
        return documents.delete(
                id.value(),
                what,
                d ->
                        d.getStatusValue() >= DeploymentStatus.DEPLOYMENT_SUCCESS_VALUE
                                && still.test(d));
    }
}
