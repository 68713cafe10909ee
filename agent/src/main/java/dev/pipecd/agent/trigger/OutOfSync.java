// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.Health;
import dev.pipecd.config.ApplicationConfig.OnOutOfSync;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether an application that is out of sync is deployed again by itself. It is asked at every
/// look, for thousands after a bad commit: what was read or asked once is remembered.
final class OutOfSync {
    private static final Logger log = LoggerFactory.getLogger(OutOfSync.class);

    private final ApplicationFiles files;
    private final Function<DeploymentId, Optional<Deployment>> ask;

    /// Whose file may have changed is not among them.
    private final Map<ApplicationId, Wish> wishes = new ConcurrentHashMap<>();

    private final Map<ApplicationId, End> ends = new ConcurrentHashMap<>();

    /// Deployments that did not succeed and are not followed by another, so that it is said once.
    private final Set<DeploymentId> told = ConcurrentHashMap.newKeySet();

    /// @param ask the control plane about a deployment
    OutOfSync(ApplicationFiles files, Function<DeploymentId, Optional<Deployment>> ask) {
        this.files = files;
        this.ask = ask;
    }

    /// A new head may concern these.
    void concerned(Collection<ApplicationId> some) {
        some.forEach(wishes::remove);
    }

    boolean due(Application application, Commit head, Instant now) {
        return switch (wish(application, head)) {
            case Wish.None() -> false;
            case Wish.Said(var on) -> due(application, on, now);
        };
    }

    private boolean due(Application application, OnOutOfSync on, Instant now) {
        if (on.disabled()) return false;
        var last = application.getMostRecentlyTriggeredDeployment().getDeploymentId();
        if (last.isEmpty()) return true;
        var deployed = application.getMostRecentlySuccessfulDeployment().getDeploymentId();
        return last.equals(deployed)
                ? quietSince(application, on, now)
                : held(application, new DeploymentId(last));
    }

    private Wish wish(Application application, Commit head) {
        var id = new ApplicationId(application.getId());
        var known = wishes.get(id);
        if (known != null) return known;
        var read = read(application, head);
        wishes.put(id, read);
        return read;
    }

    private Wish read(Application application, Commit head) {
        try {
            var file = files.read(application.getGitPath(), head.hash());
            return new Wish.Said(file.config().trigger().onOutOfSync());
        } catch (Problem problem) {
            if (Health.passes(problem)) throw problem;
            return new Wish.None();
        }
    }

    /// What the control plane says may be older than the deployment's end.
    private boolean quietSince(Application application, OnOutOfSync on, Instant now) {
        var seen = Instant.ofEpochSecond(application.getSyncState().getTimestamp());
        return endOf(application)
                .filter(end -> !seen.isBefore(end) && !now.isBefore(end.plus(on.minWindow())))
                .isPresent();
    }

    /// When its last deployment, which succeeded, was over: that does not change any more.
    private Optional<Instant> endOf(Application application) {
        var id = new ApplicationId(application.getId());
        var last =
                new DeploymentId(
                        application.getMostRecentlyTriggeredDeployment().getDeploymentId());
        var known = ends.get(id);
        if (known != null && known.deployment().equals(last)) return Optional.of(known.at());
        var end =
                ask.apply(last)
                        .filter(d -> d.getStatus() == DeploymentStatus.DEPLOYMENT_SUCCESS)
                        .map(d -> Instant.ofEpochSecond(d.getCompletedAt()));
        end.ifPresent(at -> ends.put(id, new End(last, at)));
        return end;
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

    /// What an application's file says of it; nothing when the file is broken.
    private sealed interface Wish {
        record Said(OnOutOfSync on) implements Wish {}

        record None() implements Wish {}
    }

    private record End(DeploymentId deployment, Instant at) {}
}
