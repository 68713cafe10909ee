// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static java.util.stream.Collectors.groupingBy;

import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An application that the control plane shows as deploying while no deployment of it goes on
/// there: the word of its last end was lost, with a disk, and nobody else would take it back.
///
/// @param last its last deployment as the control plane knows it
public record LeftDeploying(Application application, Optional<Deployment> last) {
    private static final Logger log = LoggerFactory.getLogger(LeftDeploying.class);

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
        return Reports.stateAfter(
                ended,
                ended.getStatus() == DeploymentStatus.DEPLOYMENT_SUCCESS,
                ended.getStatusReason(),
                now);
    }

    /// Looks for them once, and again for those it could not tell yet.
    public static final class Search {
        private final Set<ApplicationId> open = ConcurrentHashMap.newKeySet();

        /// Whether there is something to look for after the first look.
        public boolean isOpen() {
            return !open.isEmpty();
        }

        /// A deployment of the application begins here, and tells of itself.
        public void begins(ApplicationId application) {
            open.remove(application);
        }

        /// @param first whether all are looked for
        /// @param unfinished all deployments of this agent that go on at the control plane
        /// @param over whether one of them has ended here, which is not known there yet
        public List<LeftDeploying> among(
                boolean first,
                Stream<Application> listed,
                Collection<Deployment> unfinished,
                Predicate<DeploymentId> over,
                Function<DeploymentId, Optional<Deployment>> ask) {
            var found = new ArrayList<LeftDeploying>();
            var goingOn = unfinished.stream().collect(groupingBy(Deployment::getApplicationId));
            for (var application : listed.filter(Application::getDeploying).toList()) {
                var id = new ApplicationId(application.getId());
                if (!first && !open.remove(id)) continue;
                var there = goingOn.getOrDefault(application.getId(), List.of());
                if (there.isEmpty())
                    asked(application, ask).ifPresentOrElse(found::add, () -> open.add(id));
                else if (there.stream().allMatch(d -> over.test(new DeploymentId(d.getId()))))
                    open.add(id);
            }
            return found;
        }

        private static Optional<LeftDeploying> asked(
                Application application, Function<DeploymentId, Optional<Deployment>> ask) {
            var last = application.getMostRecentlyTriggeredDeployment().getDeploymentId();
            if (last.isEmpty())
                return Optional.of(new LeftDeploying(application, Optional.empty()));
            try {
                return Optional.of(
                        new LeftDeploying(application, ask.apply(new DeploymentId(last))));
            } catch (Problem unanswered) {
                log.info(
                        "application {} stays deploying until its last deployment can be asked about: {}",
                        application.getName(),
                        unanswered.told());
                return Optional.empty();
            }
        }
    }
}
