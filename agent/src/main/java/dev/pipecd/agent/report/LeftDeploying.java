// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.domain.ApplicationId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Deployment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Applications that the control plane shows as deploying while no deployment of them goes on
/// there: the word of their last end was lost, with a disk, and nobody else would take it back.
public final class LeftDeploying {
    private LeftDeploying() {}

    /// @param unfinished all deployments of this agent that go on at the control plane
    public static Stream<Application> among(
            Stream<Application> listed, Collection<Deployment> unfinished) {
        var goingOn =
                unfinished.stream().map(Deployment::getApplicationId).collect(Collectors.toSet());
        return listed.filter(a -> a.getDeploying() && !goingOn.contains(a.getId()));
    }

    /// What takes it back; nothing when its last deployment is another agent's, and goes on.
    ///
    /// @param last its last deployment as the control plane knows it
    public static List<Report> over(
            Application application, Optional<Deployment> last, Instant now) {
        if (last.isPresent() && last.get().getCompletedAt() == 0) return List.of();
        var reports = new ArrayList<Report>();
        reports.add(
                Reports.deploying(
                        Deployment.newBuilder().setApplicationId(application.getId()).build(),
                        false));
        if (application.getSyncState().getStatus() == ApplicationSyncStatus.DEPLOYING)
            last.map(ended -> state(ended, now))
                    .map(state -> Reports.syncState(new ApplicationId(application.getId()), state))
                    .ifPresent(reports::add);
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
