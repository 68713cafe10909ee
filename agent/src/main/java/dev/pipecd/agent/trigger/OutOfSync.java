// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.config.ApplicationConfig.OnOutOfSync;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether an application that is out of sync is deployed again by itself.
final class OutOfSync {
    private static final Logger log = LoggerFactory.getLogger(OutOfSync.class);

    private final Function<DeploymentId, Optional<Deployment>> ask;

    /// Deployments that did not succeed and are not followed by another, so that it is said once.
    private final Set<DeploymentId> told = ConcurrentHashMap.newKeySet();

    /// @param ask the control plane about a deployment
    OutOfSync(Function<DeploymentId, Optional<Deployment>> ask) {
        this.ask = ask;
    }

    boolean due(Application application, OnOutOfSync on, Instant now) {
        if (on.disabled()) return false;
        var last = application.getMostRecentlyTriggeredDeployment().getDeploymentId();
        if (last.isEmpty()) return true;
        var deployed = application.getMostRecentlySuccessfulDeployment().getDeploymentId();
        return last.equals(deployed)
                ? quietSince(application, on, now)
                : held(application, new DeploymentId(last));
    }

    /// What the control plane says may be older than the deployment's end.
    private boolean quietSince(Application application, OnOutOfSync on, Instant now) {
        var last = application.getMostRecentlyTriggeredDeployment().getDeploymentId();
        var ended =
                ask.apply(new DeploymentId(last))
                        .filter(d -> d.getStatus() == DeploymentStatus.DEPLOYMENT_SUCCESS)
                        .map(d -> Instant.ofEpochSecond(d.getCompletedAt()));
        var seen = Instant.ofEpochSecond(application.getSyncState().getTimestamp());
        return ended.filter(end -> !seen.isBefore(end) && !now.isBefore(end.plus(on.minWindow())))
                .isPresent();
    }

    /// What failed, or what somebody cancelled, does not come back by itself.
    private boolean held(Application application, DeploymentId last) {
        var id = new ApplicationId(application.getId());
        if (told.add(last))
            log.info(
                    "application {} ({}) is out of sync; it is not deployed by itself before its last deployment {} has succeeded",
                    application.getName(),
                    id,
                    last.brief());
        return false;
    }
}
