// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.plan.Advice.Question;
import dev.pipecd.agent.plugin.DeterminedStrategy;
import dev.pipecd.agent.plugin.Needed;
import dev.pipecd.agent.plugin.PlannedOwner;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.plugin.SourceDirs;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.plugin.StageToPlan;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Health;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
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
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes the plan of a deployment: asks the plugins, checks what they answer, puts the stages in
/// order.
public final class Planner {
    private static final Logger log = LoggerFactory.getLogger(Planner.class);

    private final ApplicationFiles files;
    private final Sources sources;
    private final Advice advice;
    private final Applications applications;
    private final IdSource ids;
    private final InstantSource clock;

    public Planner(
            ApplicationFiles files,
            Sources sources,
            Plugins plugins,
            Applications applications,
            IdSource ids,
            InstantSource clock) {
        this(files, sources, new PluginAdvice(plugins), applications, ids, clock);
    }

    Planner(
            ApplicationFiles files,
            Sources sources,
            Advice advice,
            Applications applications,
            IdSource ids,
            InstantSource clock) {
        this.files = files;
        this.sources = sources;
        this.advice = advice;
        this.applications = applications;
        this.ids = ids;
        this.clock = clock;
    }

    /// Throws a `Problem` that people can read when there is no plan.
    public Planned plan(Deployment pending) throws InterruptedException {
        var config =
                files.read(pending.getGitPath(), pending.getTrigger().getCommit().getHash())
                        .config();
        var owners = advice.owners(pending, config);
        var before = withRunningCommit(pending);
        var read = read(owners.keySet());
        var use = read.target() ? Sources.PLAN : Sources.FRESH;
        var question = question(before, read, use);
        var isFirst = before.getRunningCommitHash().isEmpty();
        var chosen = strategy(config, owners.keySet(), question, isFirst);
        var stages = stages(config, owners, chosen);
        var deployment = question(question.deployment(), read.and(read(stages)), use).deployment();
        var sheet =
                deployment.toBuilder()
                        .setStatus(DeploymentStatus.DEPLOYMENT_PLANNED)
                        .setSummary(chosen.summary())
                        .setTrigger(
                                deployment.getTrigger().toBuilder().setSyncStrategy(chosen.kind()))
                        .addAllVersions(versions(owners.keySet(), question))
                        .addAllStages(stages)
                        .build();
        return new Planned(plan(config, stages, chosen.quick()), sheet);
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

    private Needed read(Set<String> plugins) {
        return plugins.stream().map(advice::readToPlan).reduce(Needed.NOTHING, Needed::and);
    }

    private Needed read(List<PipelineStage> stages) {
        return stages.stream()
                .map(stage -> advice.read(PlannedOwner.of(stage).orElseThrow(), stage.getName()))
                .reduce(Needed.NOTHING, Needed::and);
    }

    /// What the stages will read is laid out before any of them begins, too: what is wrong with it
    /// is a deployment that cannot be planned, and not one that fails half way.
    private Question question(Deployment before, Needed read, String use) {
        var deployment = asFarAsKnown(before, read);
        return new Question(
                deployment,
                read.target() ? sources.target(deployment, use) : sources.targetNamed(deployment),
                running(deployment, read));
    }

    private Optional<SourceDirs> running(Deployment deployment, Needed read) {
        return read.running()
                ? sources.running(deployment, Sources.PLAN)
                : sources.runningNamed(deployment);
    }

    /// What cannot be laid out any more (its folder was moved, its file is not valid by today's
    /// rules) must not keep what mends it from being deployed; stages do not look for it either. A
    /// server that does not answer for a while is no such thing: by the time a stage fails it may
    /// be back, and the way back must be there. So it is with submodules that are left out of it.
    private Deployment asFarAsKnown(Deployment deployment, Needed read) {
        try {
            var _ = running(deployment, read);
            return deployment;
        } catch (Problem unknown) {
            if (Health.passes(unknown)) throw unknown;
            log.warn(
                    "deployment {} of {}: what runs now is not known: {}",
                    new DeploymentId(deployment.getId()).brief(),
                    deployment.getApplicationName(),
                    unknown.told());
            return deployment.toBuilder()
                    .clearRunningCommitHash()
                    .clearRunningConfigFilename()
                    .build();
        }
    }

    private Strategy strategy(
            ApplicationConfig config, Set<String> plugins, Question question, boolean isFirst)
            throws InterruptedException {
        var byRule = Strategy.byRule(config, question.deployment().getTrigger());
        if (byRule.isPresent()) return byRule.get();
        if (isFirst && offersQuickSync(plugins)) return Strategy.FIRST;
        if (!isFirst && question.running().isEmpty()) return Strategy.CAREFUL;
        var answers = new ArrayList<Strategy>();
        var untold = new ArrayList<String>();
        for (var plugin : plugins) {
            opinion(plugin, question, untold).ifPresent(answers::add);
            if (!answers.isEmpty() && !answers.getLast().quick()) break;
        }
        return answers.isEmpty() ? Strategy.asWritten(untold) : answers.getLast();
    }

    private boolean offersQuickSync(Set<String> plugins) throws InterruptedException {
        return quickSync(plugins).stream()
                .flatMap(answered -> answered.stages().stream())
                .anyMatch(stage -> !stage.getRollback());
    }

    /// A plugin that cannot say is one without an opinion, as in the public system.
    ///
    /// @param untold gets the reason why it cannot
    private Optional<Strategy> opinion(String plugin, Question question, List<String> untold)
            throws InterruptedException {
        try {
            return advice.strategy(plugin, question)
                                    instanceof DeterminedStrategy.Determined(var kind, var summary)
                            && (kind == SyncStrategy.PIPELINE || kind == SyncStrategy.QUICK_SYNC)
                    ? Optional.of(new Strategy(kind, summary))
                    : Optional.empty();
        } catch (Problem problem) {
            log.warn("plugin {} does not tell a strategy: {}", plugin, problem.told());
            untold.add(problem.message());
            return Optional.empty();
        }
    }

    private List<PipelineStage> stages(
            ApplicationConfig config, Map<String, List<Integer>> owners, Strategy chosen)
            throws InterruptedException {
        var line = new Line(ids, clock.instant());
        var stages =
                chosen.quick()
                        ? line.asTheyCome(quickSync(owners.keySet()))
                        : line.byIndex(pipeline(config, owners));
        if (stages.stream().allMatch(PipelineStage::getRollback))
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "%s: no stage to run (expected: at least one)".formatted(chosen.summary()),
                    chosen.quick()
                            ? "Write a pipeline, or use a plugin that offers a quick sync."
                            : "Write a pipeline into the application's file, or order a quick sync.");
        return stages;
    }

    private List<Answered> quickSync(Set<String> plugins) throws InterruptedException {
        var answers = new ArrayList<Answered>();
        for (var plugin : plugins)
            answers.add(new Answered(plugin, advice.offered(plugin), advice.quickSync(plugin)));
        return answers;
    }

    private List<Answered> pipeline(ApplicationConfig config, Map<String, List<Integer>> owners)
            throws InterruptedException {
        var answers = new ArrayList<Answered>();
        for (var owner : owners.entrySet()) {
            var plugin = owner.getKey();
            var asked =
                    owner.getValue().stream().map(i -> toPlan(config.stages().get(i), i)).toList();
            if (asked.isEmpty()) continue;
            var answered = advice.pipeline(plugin, asked);
            answers.add(new Answered(plugin, advice.offered(plugin), answered).at(asked));
        }
        return CustomRollback.alone(answers);
    }

    private static StageToPlan toPlan(ApplicationConfig.Stage stage, int index) {
        return new StageToPlan(
                stage.name(),
                stage.desc(),
                index,
                ByteString.copyFromUtf8(stage.with().toString()));
    }

    /// A plugin that cannot say has none, as in the public system.
    private List<ArtifactVersion> versions(Set<String> plugins, Question question)
            throws InterruptedException {
        var versions = new ArrayList<ArtifactVersion>();
        for (var plugin : plugins) {
            try {
                versions.addAll(advice.versions(plugin, question));
            } catch (Problem problem) {
                log.warn("plugin {} does not tell versions: {}", plugin, problem.told());
            }
        }
        return versions.isEmpty()
                ? List.of(ArtifactVersion.newBuilder().setVersion("unknown").build())
                : versions;
    }

    /// Deadlines are those of the file's stages; a quick sync has none of these stages.
    private static Plan plan(ApplicationConfig config, List<PipelineStage> stages, boolean quick) {
        return new Plan(
                stages.stream()
                        .map(s ->
                                new PlannedStage(
                                        new StageId(s.getId()),
                                        s.getName(),
                                        s.getRollback(),
                                        quick ? config.timeout() : limit(config, stages, s)))
                        .toList(),
                config.timeout(),
                config.planner().autoRollback());
    }

    /// The only rollback stage of a plugin undoes all that the plugin did, though it stands at the
    /// place of the first: a short limit there must not cut off the undoing of a long stage.
    private static Duration limit(
            ApplicationConfig config, List<PipelineStage> stages, PipelineStage stage) {
        var own = config.stages().get(stage.getIndex()).timeout();
        if (!stage.getRollback()) return own;
        var siblings =
                stages.stream()
                        .filter(s -> PlannedOwner.of(s).equals(PlannedOwner.of(stage)))
                        .toList();
        if (siblings.stream().filter(PipelineStage::getRollback).count() > 1) return own;
        return siblings.stream()
                .map(s -> config.stages().get(s.getIndex()).timeout())
                .max(Comparator.naturalOrder())
                .orElse(own);
    }

    /// @param sheet the public document with stages, versions, strategy and summary filled in
    public record Planned(Plan plan, Deployment sheet) {}
}
