// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.ArtifactVersion;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.model.SyncStrategy;
import java.util.List;
import java.util.Map;

/// What an agent tells about a walk.
public sealed interface DeploymentReport {
    record Planned(
            String summary,
            String reason,
            String runningCommit,
            String runningConfigFile,
            SyncStrategy strategy,
            List<ArtifactVersion> versions,
            List<PipelineStage> stages)
            implements DeploymentReport {
        public Planned {
            versions = List.copyOf(versions);
            stages = List.copyOf(stages);
        }
    }

    record Moved(DeploymentStatus status, String reason) implements DeploymentReport {}

    /// @param completedAt Unix seconds
    record Completed(
            DeploymentStatus status,
            String reason,
            Map<String, StageStatus> stages,
            long completedAt)
            implements DeploymentReport {
        public Completed {
            stages = Map.copyOf(stages);
        }
    }

    /// @param requires replaces what is stored unless empty
    record Stage(
            StageId stage,
            StageStatus status,
            String reason,
            List<String> requires,
            boolean visible,
            int retried,
            long completedAt)
            implements DeploymentReport {
        public Stage {
            requires = List.copyOf(requires);
        }
    }
}
