// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.retention;

import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ChainStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.Event;

/// What is kept however old it is, because somebody goes by it.
///
/// @param stores where those are who may need it
record Kept(Stores stores) {
    /// Agents compare a commit with the one last deployed, and a chain under way counts its
    /// deployments.
    boolean isNeeded(Deployment deployment) {
        return isLastOfItsApplication(deployment) || isOfALiveChain(deployment);
    }

    private boolean isLastOfItsApplication(Deployment deployment) {
        var id = deployment.getId();
        return stores.applications()
                .find(new ApplicationId(deployment.getApplicationId()))
                .filter(a ->
                        a.getMostRecentlySuccessfulDeployment().getDeploymentId().equals(id)
                                || a.getMostRecentlyTriggeredDeployment()
                                        .getDeploymentId()
                                        .equals(id))
                .isPresent();
    }

    private boolean isOfALiveChain(Deployment deployment) {
        var chain = deployment.getDeploymentChainId();
        return !chain.isEmpty()
                && stores.chains()
                        .find(chain)
                        .filter(c ->
                                c.getStatusValue() < ChainStatus.DEPLOYMENT_CHAIN_SUCCESS_VALUE)
                        .isPresent();
    }

    /// Agents ask for the newest of a key.
    boolean isNeeded(Event event) {
        return stores.events()
                .latest(new ProjectId(event.getProjectId()), event.getEventKey())
                .filter(latest -> latest.getId().equals(event.getId()))
                .isPresent();
    }
}
