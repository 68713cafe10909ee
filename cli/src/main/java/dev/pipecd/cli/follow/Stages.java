// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.show.Printable;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.ManualOperation;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;

/// The stages of a deployment.
public final class Stages {
    private Stages() {}

    /// As they are run, the way back last.
    public static List<PipelineStage> inOrder(Deployment deployment) {
        return deployment.getStagesList().stream()
                .sorted(
                        Comparator.comparing(PipelineStage::getRollback)
                                .thenComparing(PipelineStage::getIndex))
                .toList();
    }

    /// Those a person has to approve now.
    public static List<PipelineStage> waiting(Deployment deployment) {
        return inOrder(deployment).stream().filter(Stages::waits).toList();
    }

    static boolean waits(PipelineStage stage) {
        return stage.getStatus() == StageStatus.STAGE_RUNNING
                && (stage.getAvailableOperation() == ManualOperation.MANUAL_OPERATION_APPROVE
                        || stage.getName().equals("WAIT_APPROVAL")); // old agents do not say so
    }

    static boolean begun(PipelineStage stage) {
        return stage.getStatus() != StageStatus.STAGE_NOT_STARTED_YET;
    }

    /// When it began to run, in seconds of the epoch. All are made while planning: a stage that
    /// waited for others did not take that long. Our agents note it; of others it is known that
    /// none begins before those it waits for have ended.
    public static long beganAt(Deployment deployment, PipelineStage stage) {
        var noted = stage.getMetadataOrDefault("pipecd/started-at", "");
        if (!noted.isEmpty())
            try {
                return Instant.parse(noted).getEpochSecond();
            } catch (DateTimeParseException _) {
                // Written by somebody else: as if it were not there.
            }
        return deployment.getStagesList().stream()
                .filter(other ->
                        stage.getRequiresList().contains(other.getId())
                                || stage.getRollback() && !other.getRollback())
                .mapToLong(PipelineStage::getCompletedAt)
                .reduce(stage.getCreatedAt(), Math::max);
    }

    /// `WAIT: FAILURE (no luck)`.
    public static String told(PipelineStage stage) {
        return Printable.text(stage.getName())
                + ": "
                + Printable.status(stage.getStatus())
                + because(stage.getStatusReason());
    }

    static String because(String reason) {
        return reason.isEmpty() ? "" : " (" + Printable.text(reason) + ")";
    }
}
