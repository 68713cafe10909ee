// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.process.Machine;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.History;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.IntSupplier;

/// Opens deployments: the document, the reports of it, and what the agent remembers of it.
public final class Openings {
    private final History repositories;
    private final Applications applications;
    private final Opening opening;
    private final BiPredicate<Deployment, List<Report>> open;
    private final IntSupplier room;

    /// One deployment of an application is opened at a time.
    private final Map<ApplicationId, Object> alone = new ConcurrentHashMap<>();

    Openings(
            History repositories,
            Applications applications,
            Opening opening,
            BiPredicate<Deployment, List<Report>> open,
            IntSupplier room) {
        this.repositories = repositories;
        this.applications = applications;
        this.opening = opening;
        this.open = open;
        this.room = room;
    }

    Instant now() {
        return opening.now();
    }

    Machine machine() {
        return opening.machine();
    }

    /// For how many more there is room. What somebody orders is opened all the same.
    int room() {
        return room.getAsInt();
    }

    /// False when nothing may be opened just now: who asked has to ask again.
    boolean open(Application application, Commit head, Why why, Terms terms) {
        var id = new ApplicationId(application.getId());
        synchronized (alone.computeIfAbsent(id, _ -> new Object())) {
            // An order may have opened another one since the application was read.
            var latest = applications.find(id).orElse(application);
            return (why.isCommit() && deployed(latest, head))
                    || openAlone(latest, head, why, terms);
        }
    }

    private static boolean deployed(Application application, Commit head) {
        var last = application.getMostRecentlyTriggeredDeployment().getTrigger().getCommit();
        return last.getHash().equals(head.hash());
    }

    private boolean openAlone(Application application, Commit head, Why why, Terms terms) {
        var repository = new RepositoryId(application.getGitPath().getRepo().getId());
        var url = repositories.commitUrl(repository, head.hash());
        var deployment = opening.deployment(application, head, url, why, terms.marks());
        var reports = new ArrayList<Report>();
        // One that stands in a chain already begins no other: the chains would never end.
        reports.add(
                terms.chain().isEmpty() || !why.chain().isEmpty()
                        ? Reports.created(deployment)
                        : Reports.chained(deployment, terms.chain()));
        reports.add(Reports.mostRecent(deployment, DeploymentStatus.DEPLOYMENT_PENDING));
        // Recorded with the deployment: an order is carried out once, whatever dies when.
        for (var order : why.orders())
            reports.add(Reports.opened(deployment, new CommandId(order.getId()), opening.now()));
        if (!open.test(deployment, reports)) return false;
        applications.triggered(deployment);
        return true;
    }
}
