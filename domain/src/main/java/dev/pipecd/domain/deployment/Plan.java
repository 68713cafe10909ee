// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

import dev.pipecd.domain.StageId;
import java.time.Duration;
import java.util.List;

/// What a deployment will do: forward stages in order, then the stages that would undo them.
///
/// @param limit the longest the forward part may take
/// @param autoRollback whether a failure or a cancel is followed by the rollback stages unless a
///   person says otherwise
public record Plan(List<PlannedStage> stages, Duration limit, boolean autoRollback) {
    public Plan {
        stages = List.copyOf(stages);
        if (stages.stream().map(PlannedStage::id).distinct().count() != stages.size())
            throw new IllegalArgumentException("stages: two of one id (expected: every id once)");
        if (!limit.isPositive())
            throw new IllegalArgumentException("limit: " + limit + " (expected: > 0)");
    }

    public List<PlannedStage> forward() {
        return stages.stream().filter(s -> !s.rollback()).toList();
    }

    public List<PlannedStage> rollback() {
        return stages.stream().filter(PlannedStage::rollback).toList();
    }

    public PlannedStage stage(StageId id) {
        return stages.stream()
                .filter(s -> s.id().equals(id))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "stage: " + id + " (expected: one of the plan)"));
    }

    /// @param limit the longest it may run; every stage has one, rollback stages too
    public record PlannedStage(StageId id, String name, boolean rollback, Duration limit) {
        public PlannedStage {
            if (!limit.isPositive())
                throw new IllegalArgumentException("limit: " + limit + " (expected: > 0)");
        }
    }
}
