// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.plugin.PlannedOwner;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Marks;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.History;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.PlatformNames;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentMetadata;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

    /// @param open records and starts a deployment, together with the reports of it; false when
    ///   nothing may be opened just now
    /// @param room for how many more
    public Openings with(
            History repositories,
            Applications applications,
            BiPredicate<Deployment, List<Report>> open,
            IntSupplier room) {
        return new Openings(repositories, applications, this, open, room);
    }

    Instant now() {
        return clock.instant();
    }

    Machine machine() {
        return Machine.of(clock);
    }

    /// What a commit would open if it were on the branch.
    public Deployment preview(Application application, Commit commit, String commitUrl) {
        return deployment(application, commit, commitUrl, Why.commit(Trace.of(commit)), Map.of());
    }

    @SuppressWarnings("deprecation") // the public protocol still carries kind and provider
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
                .setPlatformProvider(application.getPlatformProvider())
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
                .setDeploymentTraceCommitHash(why.trace())
                .setMetadataV2(
                        DeploymentMetadata.newBuilder()
                                .setShared(
                                        DeploymentMetadata.KeyValues.newBuilder()
                                                .putAllKeyValues(marks)
                                                .putAllKeyValues(orders(why))))
                .setCreatedAt(now)
                .setUpdatedAt(now)
                .build();
    }

    private static Map<String, String> orders(Why why) {
        if (why.orders().isEmpty()) return Map.of();
        return Map.of(
                Marks.ORDERS,
                why.orders().stream().map(Command::getId).collect(Collectors.joining(",")));
    }

    private static String waitsFor(Why why) {
        return why.block() == 0
                ? "waiting to be planned"
                : "waiting for block %d of its deployment chain".formatted(why.block() - 1);
    }

    /// An application that was registered before there were plugins names a provider and a kind.
    @SuppressWarnings("deprecation") // the public protocol still carries kind and provider
    public Map<String, DeployTargets> deployTargets(Application application) {
        return application.getDeployTargetsByPluginCount() > 0
                ? application.getDeployTargetsByPluginMap()
                : ofProvider(application.getPlatformProvider(), application.getKind());
    }

    /// What planning begins with. One that an older agent opened names its provider alone.
    @SuppressWarnings("deprecation") // the public protocol still carries kind and provider
    public Deployment aimed(Deployment opened) {
        return opened.getDeployTargetsByPluginCount() > 0
                ? opened
                : opened.toBuilder()
                        .putAllDeployTargetsByPlugin(
                                ofProvider(opened.getPlatformProvider(), opened.getKind()))
                        .build();
    }

    /// What planning ends with. Without its deploy target a stage of the platform would do nothing,
    /// or fail in a plugin's words that name no provider; others do without.
    @SuppressWarnings("deprecation") // the public protocol still carries kind and provider
    public Deployment reaching(Deployment planned) {
        var provider = planned.getPlatformProvider();
        if (provider.isEmpty() || planned.getDeployTargetsByPluginCount() > 0) return planned;
        var serving = serving(planned.getKind()).toList();
        var owners =
                planned.getStagesList().stream()
                        .flatMap(stage -> PlannedOwner.of(stage).stream())
                        .collect(Collectors.toSet());
        if (serving.stream().anyMatch(plugin -> owners.contains(plugin.name())))
            throw unknown(provider, serving);
        return planned;
    }

    private Map<String, DeployTargets> ofProvider(String provider, ApplicationKind kind) {
        return serving(kind)
                .filter(plugin -> plugin.hasTarget(provider))
                .limit(1)
                .collect(
                        Collectors.toMap(
                                PipedConfig.Plugin::name,
                                _ ->
                                        DeployTargets.newBuilder()
                                                .addDeployTargets(provider)
                                                .build()));
    }

    private Stream<PipedConfig.Plugin> serving(ApplicationKind kind) {
        var platform = PlatformNames.plain(kind.name());
        return plugins.stream().filter(plugin -> plugin.serves(platform));
    }

    private static Problem unknown(String provider, List<PipedConfig.Plugin> serving) {
        var known =
                serving.stream()
                        .flatMap(plugin -> plugin.deployTargets().stream())
                        .map(PipedConfig.DeployTarget::name)
                        .collect(Collectors.joining(", "));
        return new Problem(
                Problem.Code.CONFIG_INVALID,
                "platform provider: \"%s\" (expected: one of %s)"
                        .formatted(
                                provider, known.isEmpty() ? "the agent's, which has none" : known),
                "Correct it where the application is registered, or add the provider to the agent's configuration.");
    }
}
