// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.show.Printable;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.ManualOperation;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
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
