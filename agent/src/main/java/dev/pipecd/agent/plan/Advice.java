// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import dev.pipecd.agent.plugin.DeterminedStrategy;
import dev.pipecd.agent.plugin.Needed;
import dev.pipecd.agent.plugin.SourceDirs;
import dev.pipecd.agent.plugin.StageToPlan;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.wire.model.ArtifactVersion;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What plugins, in processes of their own, are asked for while planning. Each throws a `Problem`
/// when it is refused or nobody answers.
interface Advice {
    /// The plugins of the application, each with the places of its stages in the pipeline.
    Map<String, List<Integer>> owners(Deployment deployment, ApplicationConfig config)
            throws InterruptedException;

    /// What of the sources a plugin reads when it is asked for strategy and versions.
    Needed readToPlan(String plugin);

    /// What of them a stage reads.
    Needed read(String plugin, String stage);

    /// The stages a plugin says it can run.
    List<String> offered(String plugin);

    DeterminedStrategy strategy(String plugin, Question question) throws InterruptedException;

    List<ArtifactVersion> versions(String plugin, Question question) throws InterruptedException;

    List<PipelineStage> quickSync(String plugin) throws InterruptedException;

    List<PipelineStage> pipeline(String plugin, List<StageToPlan> stages)
            throws InterruptedException;

    /// @param target without folders where none of the plugins reads any
    /// @param running what runs now, as far as it is known
    record Question(Deployment deployment, SourceDirs target, Optional<SourceDirs> running) {}
}
