// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.plugin.Leave;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.util.Optional;
import java.util.Set;

/// Runs and stops stages in the world.
public interface Stages {
    /// Why a stage that is due is not needed for this change; empty when it is. Throws a `Problem`
    /// when that cannot be found out.
    Optional<String> unneeded(Deployment deployment, PipelineStage stage);

    /// Blocks until the stage has ended. Called again after a restart, it goes on with what was
    /// begun. An interrupt detaches: the stage goes on without us. Throws a `Problem` when it
    /// cannot be known how it ended: something of it may be left running.
    ///
    /// @param leave to be waited for right before anything is done
    StageResult run(Deployment deployment, PipelineStage stage, Leave leave)
            throws InterruptedException;

    /// Returns when the stage has stopped; throws a `Problem` when that cannot be confirmed.
    void stop(Deployment deployment, PipelineStage stage, String reason)
            throws InterruptedException;

    /// Nothing of the deployment is needed any more.
    void release(Deployment deployment);

    /// Nothing of any other deployment is.
    void keep(Set<DeploymentId> unfinished);
}
