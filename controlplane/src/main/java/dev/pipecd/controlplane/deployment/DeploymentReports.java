// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.application.ApplicationReports;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentMetadata.KeyValues;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/// What agents tell about their deployments: accepted when the diagram has an arrow for it.
public final class DeploymentReports {
    private final DeploymentStore store;
    private final ApplicationReports applications;
    private final InstantSource clock;

    public DeploymentReports(
            DeploymentStore store, ApplicationReports applications, InstantSource clock) {
        this.store = store;
        this.applications = applications;
        this.clock = clock;
    }

    /// The agent makes the id; a second deployment of one id is refused.
    public void create(Agent agent, Deployment deployment) {
        requireNew(agent, deployment);
        store.add(deployment, agent.name())
                .ifPresent(twin -> {
                    throw exists(twin);
                });
    }

    /// The same, but told again it changes nothing.
    public void createOnce(Agent agent, Deployment deployment) {
        requireNew(agent, deployment);
        store.add(deployment, agent.name())
                .filter(twin ->
                        !twin.getApplicationId().equals(deployment.getApplicationId())
                                || !twin.getDeploymentChainId()
                                        .equals(deployment.getDeploymentChainId()))
                .ifPresent(twin -> {
                    throw exists(twin);
                });
    }

    private static Problem exists(Deployment twin) {
        return new Problem(
                Problem.Code.ALREADY_EXISTS,
                "deployment: %s exists (expected: a new id)".formatted(twin.getId()),
                "It is created already; go on with it.");
    }

    /// It is the agent's own, of an application of the agent's, and has not begun.
    public void requireNew(Agent agent, Deployment deployment) {
        applications.own(agent, new ApplicationId(deployment.getApplicationId()));
        Ownership.ofAgent(agent, owner(deployment), "deployment", deployment.getId());
        if (deployment.getStatus() != DeploymentStatus.DEPLOYMENT_PENDING)
            throw Walk.refused(
                    "status: %s of a new deployment (expected: DEPLOYMENT_PENDING)"
                            .formatted(deployment.getStatus()));
    }

    public Deployment get(Agent agent, DeploymentId id) {
        return own(agent, id);
    }

    /// All that are not completed, oldest first.
    public List<Deployment> live(Agent agent) {
        return store.live(agent.piped()).stream()
                .sorted(
                        Comparator.comparingLong(Deployment::getCreatedAt)
                                .thenComparing(Deployment::getId))
                .toList();
    }

    /// Answers the deployment as it stands then.
    public Deployment report(Agent agent, DeploymentId id, DeploymentReport report) {
        var now = clock.instant();
        return update(
                agent,
                id,
                deployment ->
                        Walk.isLost(deployment)
                                ? Loss.late(deployment, d -> told(d, report, now))
                                : told(deployment, report, now));
    }

    private static Edit<Deployment> told(
            Deployment deployment, DeploymentReport report, Instant now) {
        return switch (report) {
            case DeploymentReport.Planned planned -> Transitions.planned(deployment, planned);
            case DeploymentReport.Moved(var status, var reason) ->
                    Transitions.moved(deployment, status, reason);
            case DeploymentReport.Completed completed -> Ends.completed(deployment, completed);
            case DeploymentReport.Stage stage -> Transitions.stage(deployment, stage, now);
        };
    }

    @SuppressWarnings("deprecation") // what old agents keep
    public void saveMetadata(Agent agent, DeploymentId id, Map<String, String> metadata) {
        save(agent, id, d -> d.toBuilder().putAllMetadata(metadata).build());
    }

    public void saveSharedMetadata(Agent agent, DeploymentId id, Map<String, String> metadata) {
        save(
                agent,
                id,
                d -> {
                    var builder = d.toBuilder();
                    builder.getMetadataV2Builder().getSharedBuilder().putAllKeyValues(metadata);
                    return builder.build();
                });
    }

    public void savePluginMetadata(
            Agent agent, DeploymentId id, String plugin, Map<String, String> metadata) {
        save(
                agent,
                id,
                d -> {
                    var builder = d.toBuilder();
                    var before =
                            d.getMetadataV2()
                                    .getPluginsOrDefault(plugin, KeyValues.getDefaultInstance());
                    builder.getMetadataV2Builder()
                            .putPlugins(
                                    plugin, before.toBuilder().putAllKeyValues(metadata).build());
                    return builder.build();
                });
    }

    public void saveStageMetadata(
            Agent agent, DeploymentId id, StageId stageId, Map<String, String> metadata) {
        save(
                agent,
                id,
                d -> {
                    var stage = Transitions.find(d, stageId);
                    var builder = d.toBuilder();
                    Transitions.replace(
                            builder, stage.toBuilder().putAllMetadata(metadata).build());
                    return builder.build();
                });
    }

    private void save(Agent agent, DeploymentId id, UnaryOperator<Deployment> change) {
        var _ =
                update(
                        agent,
                        id,
                        deployment -> {
                            var changed = change.apply(deployment);
                            return changed.equals(deployment)
                                    ? new Edit.Unchanged<>()
                                    : new Edit.Changed<>(changed, "metadata");
                        });
    }

    private Deployment update(
            Agent agent, DeploymentId id, Function<Deployment, Edit<Deployment>> edit) {
        return store.update(
                        id,
                        agent.name(),
                        deployment -> {
                            Ownership.ofAgent(agent, owner(deployment), "deployment", id.value());
                            return edit.apply(deployment);
                        })
                .orElseThrow(() -> Ownership.notFound("deployment", id.value()));
    }

    /// The agent's own deployment, or a refusal; the live ones are at hand.
    Deployment own(Agent agent, DeploymentId id) {
        var deployment =
                store.findLive(agent.piped(), id)
                        .or(() -> store.find(id))
                        .orElseThrow(() -> Ownership.notFound("deployment", id.value()));
        Ownership.ofAgent(agent, owner(deployment), "deployment", id.value());
        return deployment;
    }

    private static Ownership.Owner owner(Deployment deployment) {
        return new Ownership.Owner(deployment.getProjectId(), deployment.getPipedId());
    }
}
