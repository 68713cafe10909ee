// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import dev.pipecd.agent.plugin.DeterminedStrategy;
import dev.pipecd.agent.plugin.Needed;
import dev.pipecd.agent.plugin.StageToPlan;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.ArtifactVersion;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Plugins that answer what they were not asked for.
///
/// @param honest what is made worse
/// @param lies by plugin
record LyingAdvice(ScriptedAdvice honest, Map<String, Lie> lies) implements Advice {
    /// What a plugin makes of the stages of a pipeline.
    enum Lie {
        NONE,
        NAMES_NOBODY_OFFERS,
        OTHER_NAMES,
        TWICE,
        ELSEWHERE,
        LEFT_OUT,
        IN_A_CIRCLE,
        IDS_OF_ITS_OWN,
        DONE_ALREADY,
        ONLY_ROLLBACK,
        REFUSED;

        /// It is not believed, and does no harm.
        boolean harmless() {
            return this == NONE || this == IDS_OF_ITS_OWN || this == DONE_ALREADY;
        }

        private Stream<PipelineStage> of(PipelineStage stage) {
            var told = stage.toBuilder();
            return switch (this) {
                case NONE -> Stream.of(stage);
                case NAMES_NOBODY_OFFERS -> Stream.of(told.setName("WIPE").build());
                case OTHER_NAMES -> Stream.of(told.setName("UNDO").build());
                case TWICE -> Stream.of(stage, stage);
                case ELSEWHERE -> Stream.of(told.setIndex(7).build());
                case LEFT_OUT -> Stream.of();
                case IN_A_CIRCLE -> Stream.of(told.setId("b").addRequires("b").build());
                case IDS_OF_ITS_OWN -> Stream.of(told.setId("a").build());
                case DONE_ALREADY -> Stream.of(told.setStatus(StageStatus.STAGE_SUCCESS).build());
                case ONLY_ROLLBACK -> Stream.of(told.setRollback(true).build());
                case REFUSED ->
                        throw new Problem(
                                Problem.Code.PLUGIN_UNAVAILABLE, "plugin refuses", "Ask it why.");
            };
        }
    }

    @Override
    public Map<String, List<Integer>> owners(Deployment deployment, ApplicationConfig config) {
        return honest.owners(deployment, config);
    }

    @Override
    public Needed readToPlan(String plugin) {
        return honest.readToPlan(plugin);
    }

    @Override
    public Needed read(String plugin, String stage) {
        return honest.read(plugin, stage);
    }

    @Override
    public List<String> offered(String plugin) {
        return honest.offered(plugin);
    }

    @Override
    public DeterminedStrategy strategy(String plugin, Question question) {
        return honest.strategy(plugin, question);
    }

    @Override
    public List<ArtifactVersion> versions(String plugin, Question question) {
        return honest.versions(plugin, question);
    }

    @Override
    public List<PipelineStage> quickSync(String plugin) {
        return honest.quickSync(plugin);
    }

    @Override
    public List<PipelineStage> pipeline(String plugin, List<StageToPlan> stages) {
        var lie = lies.getOrDefault(plugin, Lie.NONE);
        return honest.pipeline(plugin, stages).stream().flatMap(lie::of).toList();
    }
}
