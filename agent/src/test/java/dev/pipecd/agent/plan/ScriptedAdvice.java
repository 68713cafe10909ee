// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import dev.pipecd.agent.plugin.DeterminedStrategy;
import dev.pipecd.agent.plugin.StageToPlan;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.ArtifactVersion;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Two plugins: `wait` owns the first stage of a pipeline, `sync` the second.
final class ScriptedAdvice implements Advice {
    final Map<String, List<Integer>> owners = new LinkedHashMap<>(Map.of("wait", List.of(0)));
    final Map<String, DeterminedStrategy> opinions = new HashMap<>();
    private final Map<String, List<PipelineStage>> quick = new HashMap<>();
    boolean broken;

    ScriptedAdvice() {
        owners.put("sync", List.of(1));
    }

    ScriptedAdvice quick(String plugin, PipelineStage... stages) {
        quick.put(plugin, List.of(stages));
        return this;
    }

    @Override
    public Map<String, List<Integer>> owners(Deployment deployment, ApplicationConfig config) {
        return owners;
    }

    @Override
    public List<String> offered(String plugin) {
        return List.of("WAIT", "SYNC", "UNDO");
    }

    @Override
    public DeterminedStrategy strategy(String plugin, Question question) {
        breakIfBroken();
        return opinions.getOrDefault(plugin, new DeterminedStrategy.NoOpinion());
    }

    @Override
    public List<ArtifactVersion> versions(String plugin, Question question) {
        breakIfBroken();
        return List.of(ArtifactVersion.newBuilder().setVersion("1").build());
    }

    private void breakIfBroken() {
        if (broken) throw new Problem(Problem.Code.PLUGIN_UNAVAILABLE, "plugin: away", "");
    }

    @Override
    public List<PipelineStage> quickSync(String plugin) {
        return quick.getOrDefault(plugin, List.of());
    }

    @Override
    public List<PipelineStage> pipeline(String plugin, List<StageToPlan> stages) {
        return stages.stream()
                .map(s -> PipelineStage.newBuilder().setName(s.name()).setIndex(s.index()).build())
                .toList();
    }
}
