// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/// What agents tell about their applications.
public final class ApplicationReports {
    private final ApplicationStore store;
    private final FileStore files;
    private final InstantSource clock;

    public ApplicationReports(ApplicationStore store, FileStore files, InstantSource clock) {
        this.store = store;
        this.files = files;
        this.clock = clock;
    }

    /// The enabled applications of the agent.
    public List<Application> list(Agent agent) {
        return store.enabled(agent.piped()).stream()
                .sorted(Comparator.comparing(Application::getId))
                .toList();
    }

    public void syncState(Agent agent, ApplicationId id, ApplicationSyncState state) {
        update(
                agent,
                id,
                application -> {
                    var changed = application.toBuilder().setSyncState(state).build();
                    var same =
                            application.hasSyncState()
                                    && application.getSyncState().toBuilder()
                                            .setTimestamp(state.getTimestamp())
                                            .build()
                                            .equals(state);
                    // every minute for every application: only news goes to the trail
                    return same
                            ? new Edit.Refreshed<>(changed)
                            : new Edit.Changed<>(changed, "sync state " + state.getStatus());
                });
    }

    public void deploying(Agent agent, ApplicationId id, boolean deploying) {
        update(
                agent,
                id,
                application ->
                        application.getDeploying() == deploying
                                ? new Edit.Unchanged<>()
                                : new Edit.Changed<>(
                                        application.toBuilder().setDeploying(deploying).build(),
                                        deploying ? "deploying" : "deployed"));
    }

    /// Only the latest triggered (PENDING) and the latest successful one are kept. What is told of
    /// an older one may come late; the agent would deploy its commit again. Which is older is known
    /// from the clocks of agents, so what one of them dates later than now does not stand in the
    /// way of what has a true date, and the latest triggered one is later than any that succeeded.
    public void mostRecent(
            Agent agent,
            ApplicationId id,
            DeploymentStatus status,
            ApplicationDeploymentReference deployment) {
        var now = clock.instant().getEpochSecond();
        update(
                agent,
                id,
                application -> {
                    var changed = application.toBuilder();
                    var triggered = application.getMostRecentlyTriggeredDeployment();
                    if (status == DeploymentStatus.DEPLOYMENT_SUCCESS
                            && (isSame(triggered, deployment)
                                    || follows(
                                            application.getMostRecentlySuccessfulDeployment(),
                                            deployment,
                                            now)))
                        changed.setMostRecentlySuccessfulDeployment(deployment);
                    if (status == DeploymentStatus.DEPLOYMENT_PENDING
                            && follows(triggered, deployment, now))
                        changed.setMostRecentlyTriggeredDeployment(deployment);
                    var built = changed.build();
                    return built.equals(application)
                            ? new Edit.Unchanged<>()
                            : new Edit.Changed<>(
                                    built,
                                    "most recent deployment " + deployment.getDeploymentId());
                });
    }

    private static boolean follows(
            ApplicationDeploymentReference known, ApplicationDeploymentReference told, long now) {
        return told.getStartedAt() >= known.getStartedAt()
                || known.getStartedAt() > now && told.getStartedAt() <= now
                || isSame(known, told);
    }

    private static boolean isSame(
            ApplicationDeploymentReference known, ApplicationDeploymentReference told) {
        return told.getDeploymentId().equals(known.getDeploymentId());
    }

    public ApplicationDeploymentReference mostRecent(
            Agent agent, ApplicationId id, DeploymentStatus status) {
        var application = own(agent, id);
        if (status == DeploymentStatus.DEPLOYMENT_SUCCESS
                && application.hasMostRecentlySuccessfulDeployment())
            return application.getMostRecentlySuccessfulDeployment();
        if (status == DeploymentStatus.DEPLOYMENT_PENDING
                && application.hasMostRecentlyTriggeredDeployment())
            return application.getMostRecentlyTriggeredDeployment();
        throw new Problem(
                Problem.Code.NOT_FOUND,
                "deployment: none of status %s yet".formatted(status),
                "This is normal before the first deployment.");
    }

    /// Takes over name, description and labels from Git; every id is checked before the first
    /// change.
    public void configurations(Agent agent, List<ApplicationInfo> infos) {
        infos.forEach(info -> own(agent, id(info)));
        for (var info : infos)
            update(
                    agent,
                    id(info),
                    application -> {
                        var changed =
                                application.toBuilder()
                                        .setName(info.getName())
                                        .setDescription(info.getDescription())
                                        .clearLabels()
                                        .putAllLabels(info.getLabelsMap())
                                        .build();
                        return changed.equals(application)
                                ? new Edit.Unchanged<>()
                                : new Edit.Changed<>(changed, "configuration changed in Git");
                    });
    }

    private static ApplicationId id(ApplicationInfo info) {
        if (info.getId().isBlank())
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "id: \"\" (expected: the id of a registered application)",
                    "Report applications that are not registered as such.");
        return new ApplicationId(info.getId());
    }

    public byte[] sharedObject(Agent agent, ApplicationId id, String plugin, String key) {
        own(agent, id);
        return files.get(object(id, plugin, key))
                .orElseThrow(() -> Ownership.notFound("shared object", key));
    }

    public void putSharedObject(
            Agent agent, ApplicationId id, String plugin, String key, byte[] object) {
        own(agent, id);
        files.put(object(id, plugin, key), object);
    }

    private static FilePath object(ApplicationId id, String plugin, String key) {
        return FilePath.of("application-shared-objects", id.value(), plugin, key + ".json");
    }

    /// The agent's own application, or a refusal.
    public Application own(Agent agent, ApplicationId id) {
        var application =
                store.findEnabled(agent.piped(), id)
                        .or(() -> store.find(id))
                        .orElseThrow(() -> Ownership.notFound("application", id.value()));
        Ownership.ofAgent(agent, owner(application), "application", id.value());
        return application;
    }

    private void update(
            Agent agent, ApplicationId id, Function<Application, Edit<Application>> edit) {
        var _ =
                store.update(
                                id,
                                agent.name(),
                                application -> {
                                    Ownership.ofAgent(
                                            agent, owner(application), "application", id.value());
                                    Applications.requireLiving(application);
                                    return edit.apply(application);
                                })
                        .orElseThrow(() -> Ownership.notFound("application", id.value()));
    }

    private static Ownership.Owner owner(Application application) {
        return new Ownership.Owner(application.getProjectId(), application.getPipedId());
    }
}
