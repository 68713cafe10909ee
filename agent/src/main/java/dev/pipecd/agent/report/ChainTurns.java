// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.piped.InChainDeploymentPlannableRequest;

/// Asks the control plane whether a deployment's block of its chain has come.
public record ChainTurns(ControlPlaneClient controlPlane) {
    public Turn ask(Deployment deployment) {
        var answer =
                controlPlane.ask(stub ->
                        stub.inChainDeploymentPlannable(
                                InChainDeploymentPlannableRequest.newBuilder()
                                        .setDeploymentId(deployment.getId())
                                        .setDeploymentChainId(deployment.getDeploymentChainId())
                                        .setDeploymentChainBlockIndex(
                                                deployment.getDeploymentChainBlockIndex())
                                        .build()));
        if (answer.getCancel()) return new Turn.Never(answer.getCancelReason());
        return answer.getPlannable() ? new Turn.Now() : new Turn.Later();
    }

    public sealed interface Turn {
        record Now() implements Turn {}

        record Later() implements Turn {}

        /// An earlier block did not succeed.
        record Never(String why) implements Turn {}
    }
}
