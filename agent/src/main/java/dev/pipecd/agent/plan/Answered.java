// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import dev.pipecd.agent.plugin.StageToPlan;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.PipelineStage;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The stages that one plugin answered, believed only as far as they can be a plan.
///
/// @param offered the stages that it says it can run
record Answered(String plugin, List<String> offered, List<PipelineStage> stages) {
    Answered {
        offered = List.copyOf(offered);
        stages = List.copyOf(stages);
        for (var stage : stages)
            if (!offered.contains(stage.getName()))
                throw nonsense(
                        plugin,
                        "stage \"%s\" (expected: one of %s, which it offers)"
                                .formatted(stage.getName(), String.join(", ", offered)));
    }

    /// The stages of a pipeline are those that were asked for, each at its place: one that is left
    /// out, or another in its stead, would not be what the file says.
    Answered at(List<StageToPlan> asked) {
        requirePlaces(asked.stream().map(StageToPlan::index).toList());
        for (var stage : asked)
            if (stages.stream().noneMatch(s -> answers(s, stage)))
                throw nonsense(
                        plugin,
                        "no stage \"%s\" with the index %d (expected: each that was asked for)"
                                .formatted(stage.name(), stage.index()));
        return this;
    }

    private static boolean answers(PipelineStage answered, StageToPlan asked) {
        return !answered.getRollback()
                && answered.getIndex() == asked.index()
                && answered.getName().equals(asked.name());
    }

    private void requirePlaces(List<Integer> asked) {
        var forward = places(false).stream().map(Place::index).toList();
        if (!asked.containsAll(forward) || !areDistinct(forward))
            throw nonsense(
                    plugin,
                    "stages with the indexes %s (expected: each at most once, of %s)"
                            .formatted(forward, asked));
        // Several may stand at one place: what undoes that stage, and what undoes the whole.
        var back = places(true);
        if (!asked.containsAll(back.stream().map(Place::index).toList()) || !areDistinct(back))
            throw nonsense(
                    plugin,
                    "rollback stages %s (expected: each at most once, at indexes of %s)"
                            .formatted(back, asked));
    }

    private List<Place> places(boolean rollback) {
        return stages.stream()
                .filter(stage -> stage.getRollback() == rollback)
                .map(stage -> new Place(stage.getName(), stage.getIndex()))
                .toList();
    }

    private static boolean areDistinct(List<?> list) {
        return list.stream().distinct().count() == list.size();
    }

    private record Place(String stage, int index) {
        @Override
        public String toString() {
            return stage + " at " + index;
        }
    }

    /// Two versions of one plugin would do the same thing twice. Their rollback stages may share a
    /// name: each undoes what is its own.
    static void requireOneOwner(List<Answered> answers) {
        var owners = new LinkedHashMap<String, Set<String>>();
        for (var answer : answers)
            for (var stage : answer.stages)
                if (!stage.getRollback())
                    owners.computeIfAbsent(stage.getName(), _ -> new LinkedHashSet<>())
                            .add(answer.plugin);
        owners.forEach((stage, plugins) -> {
            if (plugins.size() > 1)
                throw new Problem(
                        Problem.Code.PLUGIN_UNKNOWN,
                        "stage: \"%s\" is planned by the plugins %s (expected: one of them named by this application)"
                                .formatted(stage, String.join(", ", plugins)),
                        "Name only one of them under `plugins:` of the application's configuration.");
        });
    }

    static Problem nonsense(String plugin, String what) {
        return new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "plugin %s answered %s".formatted(plugin, what),
                "This is a fault of the plugin: tell its author.");
    }
}
