// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.plugin.Leave;
import dev.pipecd.agent.plugin.Needed;
import dev.pipecd.agent.plugin.Owners;
import dev.pipecd.agent.plugin.PlannedOwner;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.plugin.SourceDirs;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.plugin.StageAnswer;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Health;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.SyncStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a planned stage by the plugin that owns it, with the options the pipeline gives it.
public final class PluginStages implements Stages {
    private static final Logger log = LoggerFactory.getLogger(PluginStages.class);

    /// Plugins that are just being restarted are worth waiting for.
    private static final Duration PLUGINS_WITHIN = Duration.ofMinutes(1);

    private static final int LONGEST_REASON = 4_000;

    private final ApplicationFiles files;
    private final Sources sources;
    private final Plugins plugins;
    private final Repositories repositories;

    public PluginStages(
            ApplicationFiles files, Sources sources, Plugins plugins, Repositories repositories) {
        this.files = files;
        this.sources = sources;
        this.plugins = plugins;
        this.repositories = repositories;
    }

    /// A quick sync has no `skipOn`, and a rollback must not ask the repository for leave.
    @Override
    public Optional<String> unneeded(Deployment deployment, PipelineStage stage) {
        if (CustomSync.isRollback(stage)) return CustomSync.unneeded(deployment);
        if (stage.getRollback() || quickSync(deployment)) return Optional.empty();
        var skipOn = config(deployment).stages().get(stage.getIndex()).skipOn();
        return new SkipRule(skipOn, repositories).reason(deployment);
    }

    @Override
    public StageResult run(Deployment deployment, PipelineStage stage, Leave leave)
            throws InterruptedException {
        var config = config(deployment);
        var owner = owner(deployment, stage, config);
        var options = options(deployment, stage, config);
        while (true) {
            try {
                return handed(owner, deployment, stage, options, leave);
            } catch (ReadsMore anotherProgram) {
                log.info(
                        "deployment {}: {} is laid out again: plugin {} reads more by now",
                        new DeploymentId(deployment.getId()).brief(),
                        stage.getName(),
                        owner);
            }
        }
    }

    private StageResult handed(
            String owner,
            Deployment deployment,
            PipelineStage stage,
            ByteString options,
            Leave leave)
            throws InterruptedException {
        var needed = plugins.needed(owner, stage.getName());
        var withheld = new ArrayList<String>();
        var target = needed.target() ? laidOut(deployment, stage) : sources.targetNamed(deployment);
        var running =
                needed.running()
                        ? laidOut(deployment, stage, withheld)
                        : sources.runningNamed(deployment);
        sources.noteOwner(deployment, stage, owner);
        var answer =
                plugins.execute(
                        owner,
                        deployment,
                        stage,
                        options,
                        target,
                        running,
                        new Plugins.SettingOut(
                                sources.mark(deployment, stage.getId()),
                                asLaidOut(leave, owner, stage, needed)));
        return switch (answer) {
            case StageAnswer.Succeeded() -> new StageResult.Succeeded();
            case StageAnswer.Failed(var reason) ->
                    new StageResult.Failed(brief(reason + String.join("", withheld)));
            case StageAnswer.Skipped(var reason) -> new StageResult.Skipped(brief(reason));
            case StageAnswer.Exited(var reason) -> new StageResult.Exited(brief(reason));
            // The engine knows why it was stopped; here it only has not succeeded.
            case StageAnswer.Stopped(var reason) -> new StageResult.Failed(brief(reason));
        };
    }

    private SourceDirs laidOut(Deployment deployment, PipelineStage stage) {
        sources.handOver(deployment, stage.getId());
        return sources.target(deployment, stage.getId());
    }

    /// What runs now, whole. While a server of it does not answer, perhaps for good, a rollback
    /// fails with that reason. Any other stage is handed over without what runs now, as when
    /// nothing was deployed before: most only read what is new, and one that deploys from it (a
    /// baseline) finds none rather than less than there was.
    ///
    /// @param withheld gets why it is not given
    private Optional<SourceDirs> laidOut(
            Deployment deployment, PipelineStage stage, List<String> withheld) {
        try {
            return sources.runningWhole(deployment, stage.getId());
        } catch (Problem e) {
            if (stage.getRollback() || !Health.isAway(e) || Thread.currentThread().isInterrupted())
                throw e;
            log.warn(
                    "deployment {}: {} is not given what runs now: {}",
                    new DeploymentId(deployment.getId()).brief(),
                    stage.getName(),
                    e.told());
            withheld.add("; it was not given what runs now: " + e.message());
            return Optional.empty();
        }
    }

    /// It may wait for hours before it sets out. By then its plugin, once given up and mended, may
    /// be a program that reads more than was laid out, and would find folders without a name.
    private Leave asLaidOut(Leave leave, String owner, PipelineStage stage, Needed laidOut) {
        BooleanSupplier fits = () -> laidOut.covers(plugins.needed(owner, stage.getName()));
        return new Leave(
                () -> {
                    if (!fits.getAsBoolean()) throw new ReadsMore();
                    return leave.coming().isOver();
                },
                () -> fits.getAsBoolean() && leave.isGiven());
    }

    /// It goes into the journal, every report and every message: the log is the place for more.
    private static String brief(String reason) {
        return reason.length() <= LONGEST_REASON
                ? reason
                : reason.substring(0, LONGEST_REASON) + "… (see the log)";
    }

    @Override
    public void stop(Deployment deployment, PipelineStage stage, String reason)
            throws InterruptedException {
        for (var plugin : concerned(deployment, stage))
            plugins.stop(
                    plugin,
                    new DeploymentId(deployment.getId()),
                    new StageId(stage.getId()),
                    reason);
    }

    /// Who began it, else whose it was when it was planned: this machine may be another. Others
    /// have nothing of it to stop, and must not hold up the rollback when they are down. Where
    /// nobody knows who it was, all that could are asked.
    private List<String> concerned(Deployment deployment, PipelineStage stage)
            throws InterruptedException {
        var owner =
                sources.knownOwner(deployment, stage)
                        .or(() -> PlannedOwner.of(stage))
                        .filter(plugins.names()::contains)
                        .filter(plugin -> !plugins.isMissing(plugin))
                        .or(() -> new Owners(plugins).kept(stage));
        return owner.isPresent() ? List.of(owner.get()) : offering(stage.getName());
    }

    /// Not asked of the application's file, which may be gone by now. Who did not begin a stage has
    /// nothing of it to stop.
    private List<String> offering(String stage) throws InterruptedException {
        var allReady = !plugins.ownersOf(stage).isEmpty() || plugins.awaitReady(PLUGINS_WITHIN);
        var offering = plugins.ownersOf(stage);
        if (offering.isEmpty() && !allReady)
            throw new Problem(
                    Problem.Code.PLUGIN_UNAVAILABLE,
                    "stage: %s is not stopped (expected: plugins that answer)".formatted(stage),
                    "See /healthz of the agent.");
        if (offering.isEmpty())
            log.warn("stage {}: no plugin offers it any more; end by hand what it left", stage);
        return offering;
    }

    @Override
    public void release(Deployment deployment) {
        sources.remove(deployment);
    }

    @Override
    public void keep(Set<DeploymentId> unfinished) {
        sources.keep(unfinished);
    }

    private ApplicationConfig config(Deployment deployment) {
        return files.read(deployment.getGitPath(), deployment.getTrigger().getCommit().getHash())
                .config();
    }

    private String owner(Deployment deployment, PipelineStage stage, ApplicationConfig config)
            throws InterruptedException {
        return plugins.whenKnown(
                PLUGINS_WITHIN, () -> new Owners(plugins).owner(stage, deployment, config));
    }

    /// The `with` of the stage at its index; a rollback stage gets that of the stage it undoes. A
    /// quick sync has none, and plugins tell the two apart by exactly that.
    private ByteString options(
            Deployment deployment, PipelineStage stage, ApplicationConfig config) {
        if (quickSync(deployment)) return ByteString.EMPTY;
        var with =
                CustomSync.isRollback(stage)
                        ? CustomSync.options(running(deployment))
                        : config.stages().get(stage.getIndex()).with();
        return ByteString.copyFromUtf8(with.toString());
    }

    private ApplicationConfig running(Deployment deployment) {
        if (deployment.getRunningCommitHash().isEmpty())
            throw CustomSync.nothingToGoBackTo("nothing was deployed before");
        return files.read(Sources.runningPath(deployment), deployment.getRunningCommitHash())
                .config();
    }

    private static boolean quickSync(Deployment deployment) {
        return deployment.getTrigger().getSyncStrategy() == SyncStrategy.QUICK_SYNC;
    }

    /// A stage is laid out anew before it sets out.
    private static final class ReadsMore extends RuntimeException {}
}
