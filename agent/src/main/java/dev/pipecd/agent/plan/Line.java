// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import dev.pipecd.agent.plugin.PlannedOwner;
import dev.pipecd.domain.IdSource;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;

/// Puts the stages of all plugins in the order they run in: each forward stage after the one
/// before, rollback stages behind.
///
/// @param now when they are planned
record Line(IdSource ids, Instant now) {

    /// By the places the pipeline gave them.
    List<PipelineStage> byIndex(List<Answered> answers) {
        return placed(
                answers,
                Comparator.comparing((Placed p) -> p.stage().getRollback())
                        .thenComparing(p -> p.stage().getIndex()));
    }

    /// A quick sync gives no places: as the plugins come, and each in its own order.
    List<PipelineStage> asTheyCome(List<Answered> answers) {
        Answered.requireOneOwner(answers);
        return placed(answers, Comparator.comparing(p -> p.stage().getRollback()));
    }

    private List<PipelineStage> placed(List<Answered> answers, Comparator<Placed> order) {
        var all = new ArrayList<Placed>();
        for (var answer : answers)
            for (var stage : answer.stages()) all.add(new Placed(answer.plugin(), stage));
        all.sort(order);
        requireOrder(all);
        var line = new ArrayList<PipelineStage>();
        for (var placed : all) {
            var stage = taken(placed);
            if (!stage.getRollback() && !line.isEmpty()) stage.addRequires(line.getLast().getId());
            line.add(stage.build());
        }
        return line;
    }

    /// Ids, order and times are ours; a plugin may have left them out, or say it ran already.
    private PipelineStage.Builder taken(Placed placed) {
        var stage =
                placed.stage().toBuilder()
                        .setId(ids.next())
                        .clearRequires()
                        .setStatus(StageStatus.STAGE_NOT_STARTED_YET)
                        .setCreatedAt(now.getEpochSecond())
                        .setUpdatedAt(now.getEpochSecond());
        PlannedOwner.keep(stage, placed.plugin());
        return stage;
    }

    /// Stages run one after another: what requires one that comes later, or none of the plan, would
    /// wait for ever.
    private static void requireOrder(List<Placed> line) {
        var before = new HashSet<String>();
        for (var placed : line) {
            for (var required : placed.stage().getRequiresList())
                if (!before.contains(required))
                    throw Answered.nonsense(
                            placed.plugin(),
                            "stage \"%s\" that requires \"%s\" (expected: a stage before it)"
                                    .formatted(placed.stage().getName(), required));
            if (!placed.stage().getId().isEmpty()) before.add(placed.stage().getId());
        }
    }

    private record Placed(String plugin, PipelineStage stage) {}
}
