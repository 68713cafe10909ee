// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import dev.pipecd.agent.plugin.DeterminedStrategy;
import dev.pipecd.agent.plugin.Needed;
import dev.pipecd.agent.plugin.Owners;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.plugin.StageToPlan;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.wire.model.ArtifactVersion;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// Asks the agent's plugins. Rollback stages are asked for always: a person may want the rollback
/// that the file does not.
record PluginAdvice(Plugins plugins) implements Advice {
    /// Plugins that are just being restarted are worth waiting for.
    private static final Duration PLUGINS_WITHIN = Duration.ofMinutes(1);

    /// A stage nobody offers may belong to a plugin that is just being restarted.
    @Override
    public Map<String, List<Integer>> owners(Deployment deployment, ApplicationConfig config)
            throws InterruptedException {
        return plugins.whenKnown(PLUGINS_WITHIN, () -> new Owners(plugins).of(deployment, config));
    }

    @Override
    public Needed readToPlan(String plugin) {
        return plugins.neededToPlan(plugin);
    }

    @Override
    public Needed read(String plugin, String stage) {
        return plugins.needed(plugin, stage);
    }

    @Override
    public List<String> offered(String plugin) {
        return plugins.stagesOf(plugin);
    }

    @Override
    public DeterminedStrategy strategy(String plugin, Question question)
            throws InterruptedException {
        return plugins.determineStrategy(
                plugin, question.deployment(), question.target(), question.running());
    }

    @Override
    public List<ArtifactVersion> versions(String plugin, Question question)
            throws InterruptedException {
        return plugins.determineVersions(
                plugin, question.deployment(), question.target(), question.running());
    }

    @Override
    public List<PipelineStage> quickSync(String plugin) throws InterruptedException {
        return plugins.buildQuickSyncStages(plugin, true);
    }

    @Override
    public List<PipelineStage> pipeline(String plugin, List<StageToPlan> stages)
            throws InterruptedException {
        return plugins.buildPipelineSyncStages(plugin, stages, true);
    }
}
