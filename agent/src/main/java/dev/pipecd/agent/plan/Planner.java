// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.plugin.DeterminedStrategy;
import dev.pipecd.agent.plugin.Owners;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.plugin.SourceDirs;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.plugin.StageToPlan;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.wire.model.ArtifactVersion;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.SyncStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Makes the plan of a deployment: asks the plugins, checks what they answer, puts the stages in
/// order.
public final class Planner {
    /// Plugins that are just being restarted are worth waiting for.
    private static final Duration PLUGINS_WITHIN = Duration.ofMinutes(1);

    private final ApplicationFiles files;
    private final Sources sources;
    private final Plugins plugins;
    private final Applications applications;
    private final IdSource ids;

    public Planner(
            ApplicationFiles files,
            Sources sources,
            Plugins plugins,
            Applications applications,
            IdSource ids) {
        this.files = files;
        this.sources = sources;
        this.plugins = plugins;
        this.applications = applications;
        this.ids = ids;
    }

    public Planned plan(Deployment pending) throws InterruptedException {
        var config =
                files.read(pending.getGitPath(), pending.getTrigger().getCommit().getHash())
                        .config();
        var owners = owners(pending, config);
        var deployment = withRunningCommit(pending);
        var target = sources.target(deployment, "plan");
        var running = sources.running(deployment, "plan");
        var chosen = strategy(deployment, config, owners, target, running);
        var quick = chosen.kind() == SyncStrategy.QUICK_SYNC;
        var stages = inOrder(quick ? quickSync(owners) : pipeline(config, owners));
        if (stages.stream().allMatch(PipelineStage::getRollback))
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "%s: no stage to run (expected: at least one)".formatted(chosen.summary()),
                    "Write a pipeline, or use a plugin that offers a quick sync.");
        var sheet =
                deployment.toBuilder()
                        .setStatus(DeploymentStatus.DEPLOYMENT_PLANNED)
                        .setSummary(chosen.summary())
                        .setTrigger(
                                deployment.getTrigger().toBuilder().setSyncStrategy(chosen.kind()))
                        .addAllVersions(versions(deployment, owners, target, running))
                        .addAllStages(stages)
                        .build();
        return new Planned(plan(config, stages, quick), sheet);
    }

    /// A stage nobody offers may belong to a plugin that is just being restarted.
    private Map<String, List<Integer>> owners(Deployment pending, ApplicationConfig config)
            throws InterruptedException {
        try {
            return new Owners(plugins).of(pending, config);
        } catch (Problem unknown) {
            plugins.awaitReady(PLUGINS_WITHIN);
            return new Owners(plugins).of(pending, config);
        }
    }

    private Deployment withRunningCommit(Deployment pending) {
        var last =
                applications
                        .find(new ApplicationId(pending.getApplicationId()))
                        .map(a -> a.getMostRecentlySuccessfulDeployment());
        return last.filter(l -> !l.getDeploymentId().isEmpty())
                .map(l ->
                        pending.toBuilder()
                                .setRunningCommitHash(l.getTrigger().getCommit().getHash())
                                .setRunningConfigFilename(l.getConfigFilename())
                                .build())
                .orElse(pending);
    }

    private Strategy strategy(
            Deployment deployment,
            ApplicationConfig config,
            Map<String, List<Integer>> owners,
            SourceDirs target,
            Optional<SourceDirs> running)
            throws InterruptedException {
        var byRule = Strategy.byRule(config, deployment.getTrigger());
        if (byRule.isPresent()) return byRule.get();
        if (deployment.getRunningCommitHash().isEmpty()
                && quickSync(owners).stream().anyMatch(s -> !s.getRollback()))
            return new Strategy(
                    SyncStrategy.QUICK_SYNC,
                    "quick sync: the first deployment of this application");
        Optional<Strategy> last = Optional.empty();
        for (var plugin : owners.keySet()) {
            if (plugins.determineStrategy(plugin, deployment, target, running)
                    instanceof DeterminedStrategy.Determined(var kind, var summary)) {
                last = Optional.of(new Strategy(kind, summary));
                if (kind == SyncStrategy.PIPELINE) break;
            }
        }
        // Where only stage plugins are asked nobody has an opinion; the person wrote a pipeline.
        return last.orElse(new Strategy(SyncStrategy.PIPELINE, "pipeline: as configured"));
    }

    private List<PipelineStage> quickSync(Map<String, List<Integer>> owners)
            throws InterruptedException {
        var stages = new ArrayList<PipelineStage>();
        for (var plugin : owners.keySet())
            stages.addAll(plugins.buildQuickSyncStages(plugin, true));
        return stages;
    }

    private List<PipelineStage> pipeline(
            ApplicationConfig config, Map<String, List<Integer>> owners)
            throws InterruptedException {
        var stages = new ArrayList<PipelineStage>();
        for (var owner : owners.entrySet()) {
            var asked =
                    owner.getValue().stream().map(i -> toPlan(config.stages().get(i), i)).toList();
            var answered = plugins.buildPipelineSyncStages(owner.getKey(), asked, true);
            checkIndexes(owner.getKey(), owner.getValue(), answered);
            stages.addAll(answered);
        }
        return stages;
    }

    private static StageToPlan toPlan(ApplicationConfig.Stage stage, int index) {
        return new StageToPlan(
                stage.name(),
                stage.desc(),
                index,
                ByteString.copyFromUtf8(stage.with().toString()));
    }

    private static void checkIndexes(
            String plugin, List<Integer> asked, List<PipelineStage> answered) {
        for (var rollback : List.of(false, true)) {
            var indexes =
                    answered.stream()
                            .filter(s -> s.getRollback() == rollback)
                            .map(PipelineStage::getIndex)
                            .toList();
            if (!asked.containsAll(indexes)
                    || indexes.stream().distinct().count() != indexes.size())
                throw new Problem(
                        Problem.Code.PLUGIN_UNAVAILABLE,
                        "plugin %s answered stages with the indexes %s (expected: each at most once, of %s)"
                                .formatted(plugin, indexes, asked),
                        "This is a fault of the plugin: tell its author.");
        }
    }

    /// Forward stages by index, each after the one before; then the rollback stages.
    private List<PipelineStage> inOrder(List<PipelineStage> stages) {
        var ordered = new ArrayList<PipelineStage>();
        var byIndex =
                Comparator.comparing(PipelineStage::getRollback)
                        .thenComparing(PipelineStage::getIndex);
        for (var stage : stages.stream().sorted(byIndex).toList()) {
            var placed = stage.toBuilder().setId(ids.next());
            if (!stage.getRollback() && !ordered.isEmpty())
                placed.addRequires(ordered.getLast().getId());
            ordered.add(placed.build());
        }
        return ordered;
    }

    private List<ArtifactVersion> versions(
            Deployment deployment,
            Map<String, List<Integer>> owners,
            SourceDirs target,
            Optional<SourceDirs> running)
            throws InterruptedException {
        var versions = new ArrayList<ArtifactVersion>();
        for (var plugin : owners.keySet())
            versions.addAll(plugins.determineVersions(plugin, deployment, target, running));
        return versions.isEmpty()
                ? List.of(ArtifactVersion.newBuilder().setVersion("unknown").build())
                : versions;
    }

    private static Plan plan(ApplicationConfig config, List<PipelineStage> stages, boolean quick) {
        return new Plan(
                stages.stream()
                        .map(s ->
                                new PlannedStage(
                                        new StageId(s.getId()),
                                        s.getName(),
                                        s.getRollback(),
                                        quick
                                                ? config.timeout()
                                                : config.stages().get(s.getIndex()).timeout()))
                        .toList(),
                config.timeout(),
                config.planner().autoRollback());
    }

    /// @param sheet the public document with stages, versions, strategy and summary filled in
    public record Planned(Plan plan, Deployment sheet) {}
}
