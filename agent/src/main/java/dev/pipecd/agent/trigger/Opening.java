// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.process.Machine;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.History;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.PlatformNames;
import dev.pipecd.domain.IdSource;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentMetadata;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/// Writes the public document of a new deployment.
public final class Opening {
    private final IdSource ids;
    private final InstantSource clock;
    private final List<PipedConfig.Plugin> plugins;

    /// @param plugins of the agent, to find the one an old registration means
    public Opening(IdSource ids, InstantSource clock, List<PipedConfig.Plugin> plugins) {
        this.ids = ids;
        this.clock = clock;
        this.plugins = List.copyOf(plugins);
    }

    /// @param open records and starts a deployment, together with the reports of it
    public Openings with(
            History repositories,
            Applications applications,
            BiConsumer<Deployment, List<Report>> open) {
        return new Openings(repositories, applications, this, open);
    }

    Instant now() {
        return clock.instant();
    }

    Machine machine() {
        return Machine.of(clock);
    }

    /// What a commit would open if it were on the branch.
    public Deployment preview(Application application, Commit commit, String commitUrl) {
        return deployment(application, commit, commitUrl, Why.commit(), Map.of());
    }

    @SuppressWarnings("deprecation") // the public protocol still carries the kind
    Deployment deployment(
            Application application,
            Commit head,
            String commitUrl,
            Why why,
            Map<String, String> marks) {
        // In the same second, or after the clock was set back, it would not look newer than the one
        // before it: that one's commit would count as the last, and this one be opened again.
        var before = application.getMostRecentlyTriggeredDeployment().getStartedAt();
        var now = Math.max(now().getEpochSecond(), before + 1);
        return Deployment.newBuilder()
                .setId(ids.next())
                .setApplicationId(application.getId())
                .setApplicationName(application.getName())
                .setPipedId(application.getPipedId())
                .setProjectId(application.getProjectId())
                .setKind(application.getKind())
                .setGitPath(application.getGitPath())
                .putAllDeployTargetsByPlugin(deployTargets(application))
                .putAllLabels(application.getLabelsMap())
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setCommit(
                                        dev.pipecd.wire.model.Commit.newBuilder()
                                                .setHash(head.hash())
                                                .setMessage(head.subject())
                                                .setAuthor(head.author())
                                                .setBranch(head.branch())
                                                .setUrl(commitUrl)
                                                .setCreatedAt(head.authoredAt().getEpochSecond()))
                                .setCommander(why.commander())
                                .setTimestamp(now)
                                .setSyncStrategy(why.strategy())
                                .setStrategySummary(why.summary()))
                .setStatus(DeploymentStatus.DEPLOYMENT_PENDING)
                .setStatusReason(waitsFor(why))
                .setDeploymentChainId(why.chain())
                .setDeploymentChainBlockIndex(why.block())
                .setDeploymentTraceCommitHash(Trace.of(head))
                .setMetadataV2(
                        DeploymentMetadata.newBuilder()
                                .setShared(
                                        DeploymentMetadata.KeyValues.newBuilder()
                                                .putAllKeyValues(marks)))
                .setCreatedAt(now)
                .setUpdatedAt(now)
                .build();
    }

    private static String waitsFor(Why why) {
        return why.block() == 0
                ? "waiting to be planned"
                : "waiting for block %d of its deployment chain".formatted(why.block() - 1);
    }

    /// An application that was registered before there were plugins names a provider and a kind.
    @SuppressWarnings("deprecation") // the public protocol still carries kind and provider
    public Map<String, DeployTargets> deployTargets(Application application) {
        var provider = application.getPlatformProvider();
        if (!application.getDeployTargetsByPluginMap().isEmpty() || provider.isEmpty())
            return application.getDeployTargetsByPluginMap();
        var platform = PlatformNames.plain(application.getKind().name());
        return plugins.stream()
                .filter(plugin -> plugin.serves(platform) && plugin.hasTarget(provider))
                .limit(1)
                .collect(
                        Collectors.toMap(
                                PipedConfig.Plugin::name,
                                _ ->
                                        DeployTargets.newBuilder()
                                                .addDeployTargets(provider)
                                                .build()));
    }
}
