// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

import dev.pipecd.domain.StageId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/// Where each stage of a plan stands, in the plan's order. Several may be active at once.
public record Progress(SequencedMap<StageId, StageState> stages) {
    /// Nothing is planned yet.
    public static final Progress NONE = new Progress(new LinkedHashMap<>());

    public Progress {
        stages = new LinkedHashMap<>(stages);
    }

    public static Progress of(Plan plan) {
        var stages = new LinkedHashMap<StageId, StageState>();
        plan.stages().forEach(s -> stages.put(s.id(), new StageState.NotStarted()));
        return new Progress(stages);
    }

    public Progress on(StageId stage, StageEvent event) {
        var next = new LinkedHashMap<>(stages);
        next.put(stage, stage(stage).on(event));
        return new Progress(next);
    }

    /// The clock was set: what is begun keeps the time it had left.
    Progress on(Duration clockMovedBy) {
        var next = new LinkedHashMap<StageId, StageState>();
        stages.forEach((id, state) -> next.put(id, state.later(clockMovedBy)));
        return new Progress(next);
    }

    public StageState stage(StageId id) {
        var state = stages.get(id);
        if (state == null)
            throw new IllegalArgumentException("stage: " + id + " (expected: one of the plan)");
        return state;
    }

    public boolean anyActive() {
        return stages.values().stream().anyMatch(StageState::active);
    }

    @Override
    public SequencedMap<StageId, StageState> stages() {
        return java.util.Collections.unmodifiableSequencedMap(stages);
    }

    /// Stages that are begun and not ended.
    public Map<StageId, StageState> active() {
        var active = new LinkedHashMap<StageId, StageState>();
        stages.forEach((id, state) -> {
            if (state.active()) active.put(id, state);
        });
        return active;
    }
}
