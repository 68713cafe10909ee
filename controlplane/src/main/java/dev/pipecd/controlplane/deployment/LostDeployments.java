// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import dev.pipecd.controlplane.application.ApplicationStore;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.controlplane.piped.Heartbeats;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.Piped.ConnectionStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks for deployments whose agent is gone: tells it beside their status, and ends them as lost
/// when it stays away for longer than the operator allows.
///
/// Silence counts only while somebody listens. Servers that were away, or a cache that was, are no
/// fault of an agent's.
public final class LostDeployments {
    private static final Logger log = LoggerFactory.getLogger(LostDeployments.class);
    private static final String ACTOR = "control plane";

    /// Every agent that lives is heard in this time.
    private static final Duration TIME_TO_BE_HEARD = Duration.ofMinutes(3);

    private final DeploymentStore store;
    private final ApplicationStore applications;
    private final Supplier<Collection<PipedId>> agents;
    private final Heartbeats heartbeats;
    private final Duration limit;
    private final InstantSource clock;
    private final Set<PipedId> heard = new HashSet<>();
    private Instant listening = Instant.MAX;
    private Instant looked = Instant.MIN;

    /// @param limit zero ends nothing
    public LostDeployments(
            DeploymentStore store,
            ApplicationStore applications,
            Supplier<Collection<PipedId>> agents,
            Heartbeats heartbeats,
            Duration limit,
            InstantSource clock) {
        this.store = store;
        this.applications = applications;
        this.agents = agents;
        this.heartbeats = heartbeats;
        this.limit = limit;
        this.clock = clock;
    }

    public synchronized void look(Turn turn) {
        var now = clock.instant();
        var missed = looked.isBefore(now.minus(TIME_TO_BE_HEARD));
        looked = now;
        if (!heartbeats.isListening()) listening = Instant.MAX;
        else if (missed || listening.equals(Instant.MAX)) listening = now;
        if (missed) heard.clear(); // it was another's turn, who may have told of silences
        var knows = !listening.equals(Instant.MAX) && now.isAfter(listening.plus(TIME_TO_BE_HEARD));
        for (var agent : agents.get()) {
            if (!turn.mine()) return;
            if (heartbeats.status(agent) == ConnectionStatus.ONLINE) back(agent);
            else if (knows) silent(agent, now);
        }
    }

    private void back(PipedId agent) {
        if (!heard.add(agent)) return;
        for (var deployment : store.live(agent))
            if (Loss.silence(deployment).isPresent()) edit(deployment, Loss::back);
    }

    private void silent(PipedId agent, Instant now) {
        heard.remove(agent);
        for (var deployment : store.live(agent)) {
            var since = Loss.silence(deployment);
            if (since.isEmpty()) {
                var begin = heartbeats.last(agent).filter(listening::isBefore).orElse(listening);
                edit(deployment, d -> Loss.silent(d, begin));
                log.info("deployment {}: agent {} is silent", deployment.getId(), agent);
            } else if (limit.isPositive() && !now.isBefore(since.get().plus(limit))) {
                lose(deployment, since.get(), now);
            }
        }
    }

    /// The application first: dying in between leaves a deployment that is looked at again.
    private void lose(Deployment deployment, Instant since, Instant now) {
        log.warn(
                "deployment {} is lost: agent {} has not been heard of since {}. Look after the"
                        + " agent; when it comes back, its report corrects this.",
                deployment.getId(),
                deployment.getPipedId(),
                since);
        var _ =
                applications.update(
                        new ApplicationId(deployment.getApplicationId()),
                        ACTOR,
                        a ->
                                a.getDeploying()
                                        ? new Edit.Changed<>(
                                                a.toBuilder().setDeploying(false).build(),
                                                "its deployment is lost")
                                        : new Edit.Unchanged<>());
        edit(deployment, d -> Loss.lost(d, since, now));
    }

    /// Unless something was reported since it was looked at.
    private void edit(Deployment seen, Function<Deployment, Edit<Deployment>> edit) {
        var _ =
                store.update(
                        new DeploymentId(seen.getId()),
                        ACTOR,
                        d -> isAsSeen(d, seen) ? edit.apply(d) : new Edit.Unchanged<>());
    }

    private static boolean isAsSeen(Deployment now, Deployment seen) {
        return now.getStatus() == seen.getStatus()
                && now.getStatusReason().equals(seen.getStatusReason())
                && now.getUpdatedAt() == seen.getUpdatedAt();
    }
}
