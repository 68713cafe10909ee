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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Two plugins: `wait` owns the first stage of a pipeline, `sync` the second.
final class ScriptedAdvice implements Advice {
    final Map<String, List<Integer>> owners = new LinkedHashMap<>(Map.of("wait", List.of(0)));
    final Map<String, DeterminedStrategy> opinions = new HashMap<>();
    private final Map<String, List<PipelineStage>> quick = new HashMap<>();
    final Map<String, String> undoing = new HashMap<>();
    Needed planning = Needed.ALL;
    Needed stages = Needed.ALL;
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
    public Needed readToPlan(String plugin) {
        return planning;
    }

    @Override
    public Needed read(String plugin, String stage) {
        return stages;
    }

    @Override
    public List<String> offered(String plugin) {
        return List.of("WAIT", "SYNC", "UNDO", "CUSTOM_SYNC", "CUSTOM_SYNC_ROLLBACK");
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
        var all = new ArrayList<PipelineStage>();
        for (var s : stages) {
            var stage = PipelineStage.newBuilder().setName(s.name()).setIndex(s.index());
            all.add(stage.build());
            var undo = undoing.getOrDefault(s.name(), "");
            if (!undo.isEmpty()) all.add(stage.setName(undo).setRollback(true).build());
        }
        return all;
    }
}
