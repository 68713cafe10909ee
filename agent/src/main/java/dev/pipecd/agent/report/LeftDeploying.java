// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Deployment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An application that the control plane shows as deploying while no deployment of it goes on
/// there: the word of its last end was lost, with a disk, and nobody else would take it back.
///
/// @param last its last deployment as the control plane knows it
public record LeftDeploying(Application application, Optional<Deployment> last) {
    private static final Logger log = LoggerFactory.getLogger(LeftDeploying.class);

    /// @param unfinished all deployments of this agent that go on at the control plane
    public static Stream<LeftDeploying> among(
            Stream<Application> listed,
            Collection<Deployment> unfinished,
            Function<DeploymentId, Optional<Deployment>> ask) {
        var goingOn =
                unfinished.stream().map(Deployment::getApplicationId).collect(Collectors.toSet());
        return listed.filter(a -> a.getDeploying() && !goingOn.contains(a.getId()))
                .flatMap(a -> asked(a, ask).stream());
    }

    private static Optional<LeftDeploying> asked(
            Application application, Function<DeploymentId, Optional<Deployment>> ask) {
        var last = application.getMostRecentlyTriggeredDeployment().getDeploymentId();
        if (last.isEmpty()) return Optional.of(new LeftDeploying(application, Optional.empty()));
        try {
            return Optional.of(new LeftDeploying(application, ask.apply(new DeploymentId(last))));
        } catch (Problem unanswered) {
            log.info(
                    "application {} stays deploying: {}", application.getName(), unanswered.told());
            return Optional.empty();
        }
    }

    public ApplicationId id() {
        return new ApplicationId(application.getId());
    }

    /// What takes it back; nothing when its last deployment is another agent's, and goes on.
    public List<Report> over(Instant now) {
        if (last.isPresent() && last.get().getCompletedAt() == 0) return List.of();
        var reports = new ArrayList<Report>();
        reports.add(
                Reports.deploying(
                        Deployment.newBuilder().setApplicationId(application.getId()).build(),
                        false));
        if (application.getSyncState().getStatus() == ApplicationSyncStatus.DEPLOYING)
            last.map(ended -> Reports.syncState(id(), state(ended, now))).ifPresent(reports::add);
        return reports;
    }

    private static ApplicationSyncState state(Deployment ended, Instant now) {
        return switch (ended.getStatus()) {
            case DEPLOYMENT_SUCCESS ->
                    Reports.syncState(ApplicationSyncStatus.SYNCED, "", "", ended.getId(), now);
            case DEPLOYMENT_PENDING,
                    DEPLOYMENT_PLANNED,
                    DEPLOYMENT_RUNNING,
                    DEPLOYMENT_ROLLING_BACK,
                    DEPLOYMENT_FAILURE,
                    DEPLOYMENT_CANCELLED,
                    UNRECOGNIZED ->
                    Reports.syncState(
                            ApplicationSyncStatus.OUT_OF_SYNC,
                            "the last deployment did not succeed",
                            ended.getStatusReason(),
                            ended.getId(),
                            now);
        };
    }
}
