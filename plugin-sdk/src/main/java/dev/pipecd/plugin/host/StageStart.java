// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.PipelineStage;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// When a stage began, and where it stood when it was last called.
record StageStart(Instant at, boolean again, List<Checkpoint> checkpoints) {
    /// Written by our agent before the first call.
    private static final String STARTED_AT = "pipecd/started-at";

    /// Written by plugins under an agent that does not: unix seconds.
    private static final String START_TIME = "startTime";

    StageStart {
        checkpoints = List.copyOf(checkpoints);
    }

    Optional<Checkpoint> checkpoint() {
        return checkpoints.stream().findFirst();
    }

    static StageStart of(PipelineStage stage, StageKey key, StageEdge edge, boolean again)
            throws InterruptedException {
        var checkpoint = known(stage, key, edge, Checkpoint.KEY).flatMap(Checkpoint::read);
        return new StageStart(
                startedAt(stage, key, edge),
                again || checkpoint.isPresent(),
                checkpoint.stream().toList());
    }

    private static Instant startedAt(PipelineStage stage, StageKey key, StageEdge edge)
            throws InterruptedException {
        var recorded = stage.getMetadataMap().get(STARTED_AT);
        if (recorded != null) return instant(recorded);
        var seconds = known(stage, key, edge, START_TIME);
        if (seconds.isPresent()) return Instant.ofEpochSecond(Long.parseLong(seconds.get()));
        var now = Instant.ofEpochSecond(edge.clock().instant().getEpochSecond());
        edge.agent()
                .putStageMetadata(key, Map.of(START_TIME, String.valueOf(now.getEpochSecond())));
        return now;
    }

    private static Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    STARTED_AT
                            + ": \""
                            + text
                            + "\" (expected: a time such as 2026-01-31T12:00:00Z)",
                    "");
        }
    }

    /// The agent's store is newer than what came with the call, which may be a snapshot from before
    /// a restart.
    private static Optional<String> known(
            PipelineStage stage, StageKey key, StageEdge edge, String name)
            throws InterruptedException {
        return edge.agent()
                .stageMetadata(key, name)
                .or(() -> Optional.ofNullable(stage.getMetadataMap().get(name)));
    }
}
