// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.report.StateReports;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationLiveState;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot.Status;
import dev.pipecd.wire.model.ApplicationLiveStateVersion;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Tells the control plane what was seen, and people what became of an application; what was told
/// before is not told again every minute.
public final class News {
    /// A control plane that lost its files gets them back.
    private static final Duration TOLD_AGAIN_AFTER = Duration.ofMinutes(10);

    private final StateReports reports;
    private final Notifier notifier;
    private final InstantSource clock;
    private final Map<ApplicationId, Told> told = new ConcurrentHashMap<>();
    private final Set<ApplicationId> wanted = ConcurrentHashMap.newKeySet();

    public News(StateReports reports, Notifier notifier, InstantSource clock) {
        this.reports = reports;
        this.notifier = notifier;
        this.clock = clock;
    }

    /// What is remembered of an application.
    ///
    /// @param settled the last state that was neither unknown nor on its way
    /// @param health the last that was known
    private record Told(
            int resources,
            Instant at,
            ApplicationSyncState drift,
            ApplicationSyncStatus settled,
            Status health) {
        Told with(int digest, Instant when, Picture picture) {
            var known = picture.health() == Status.UNKNOWN ? health : picture.health();
            return new Told(digest, when, drift, settled, known);
        }

        Told with(ApplicationSyncState seen) {
            return new Told(
                    resources, at, seen, News.settled(seen.getStatus()).orElse(settled), health);
        }

        Told withoutDrift() {
            return new Told(
                    resources, at, ApplicationSyncState.getDefaultInstance(), settled, health);
        }
    }

    /// Somebody wants to know: what is seen next is told even if it is nothing new, so that its
    /// time is. False if it was told a moment ago.
    boolean want(ApplicationId id) {
        var before = told.get(id);
        var now = clock.instant();
        if (before != null && !now.isBefore(before.at) && now.isBefore(before.at.plus(Rota.FRESH)))
            return false;
        wanted.add(id);
        return true;
    }

    /// Throws a `Problem` when the control plane is away: then it is told with the next look.
    void tell(Application application, Picture picture) {
        var id = new ApplicationId(application.getId());
        var before = before(application);
        var untold = untold(application, picture);
        if (isNews(picture.drift(), before.drift, application.getSyncState()))
            reports.syncState(id, picture.drift());
        told.computeIfPresent(id, (_, now) -> now.with(picture.drift()));
        notifyOfDrift(application, picture.drift(), before.settled);
        if (untold.isPresent()) throw untold.get();
    }

    /// A live state that is refused does not keep people from hearing of drift.
    private Optional<Problem> untold(Application application, Picture picture) {
        try {
            tellLiveState(application, picture);
            return Optional.empty();
        } catch (Problem problem) {
            if (problem.code() == Problem.Code.CONTROL_PLANE_UNREACHABLE) throw problem;
            return Optional.of(problem);
        }
    }

    /// The live state alone: how it compares is told by whoever is changing it.
    void tellLiveState(Application application, Picture picture) {
        var id = new ApplicationId(application.getId());
        var before = before(application);
        told.put(id, before.withoutDrift());
        if (!picture.whole()) return;
        var now = clock.instant();
        var digest = picture.digest();
        var news =
                wanted.contains(id)
                        || digest != before.resources
                        || !now.isBefore(before.at.plus(TOLD_AGAIN_AFTER));
        if (news) reports.liveState(snapshot(application, picture, now));
        wanted.remove(id);
        told.put(id, before.withoutDrift().with(digest, news ? now : before.at, picture));
        if (picture.health() == Status.HEALTHY && before.health == Status.UNHEALTHY)
            notifier.tell(new Event.ApplicationHealthy(application));
    }

    private Told before(Application application) {
        return Optional.ofNullable(told.get(new ApplicationId(application.getId())))
                .orElseGet(() -> atFirst(application));
    }

    /// After a restart the control plane remembers how things stood.
    private static Told atFirst(Application application) {
        return new Told(
                0,
                Instant.EPOCH,
                ApplicationSyncState.getDefaultInstance(),
                settled(application.getSyncState().getStatus())
                        .orElse(ApplicationSyncStatus.UNKNOWN),
                Status.UNKNOWN);
    }

    private static Optional<ApplicationSyncStatus> settled(ApplicationSyncStatus status) {
        return switch (status) {
            case SYNCED, OUT_OF_SYNC -> Optional.of(status);
            case UNKNOWN, DEPLOYING, INVALID_CONFIG, UNRECOGNIZED -> Optional.empty();
        };
    }

    /// Others report the state of applications too: what the control plane last told counts as
    /// well.
    private static boolean isNews(
            ApplicationSyncState now, ApplicationSyncState ours, ApplicationSyncState theirs) {
        return !same(now, ours) || !same(now, theirs);
    }

    private static boolean same(ApplicationSyncState one, ApplicationSyncState other) {
        return one.toBuilder()
                .clearTimestamp()
                .build()
                .equals(other.toBuilder().clearTimestamp().build());
    }

    @SuppressWarnings("deprecation") // the public protocol still carries the kind
    private static ApplicationLiveStateSnapshot snapshot(
            Application application, Picture picture, Instant now) {
        return ApplicationLiveStateSnapshot.newBuilder()
                .setApplicationId(application.getId())
                .setPipedId(application.getPipedId())
                .setProjectId(application.getProjectId())
                .setKind(application.getKind())
                .setHealthStatus(picture.health())
                .setVersion(
                        ApplicationLiveStateVersion.newBuilder().setTimestamp(now.getEpochSecond()))
                .setApplicationLiveState(
                        ApplicationLiveState.newBuilder()
                                .addAllResources(picture.fitting(now))
                                .setHealthStatus(brief(picture.health())))
                .build();
    }

    private static ApplicationLiveState.Status brief(Status health) {
        return switch (health) {
            case HEALTHY -> ApplicationLiveState.Status.HEALTHY;
            case OTHER, UNHEALTHY -> ApplicationLiveState.Status.OTHER;
            case UNKNOWN, UNRECOGNIZED -> ApplicationLiveState.Status.UNKNOWN;
        };
    }

    /// That all is well is news only after it was not; that something drifted always is.
    private void notifyOfDrift(
            Application application, ApplicationSyncState seen, ApplicationSyncStatus settled) {
        if (seen.getStatus() == ApplicationSyncStatus.SYNCED
                && settled == ApplicationSyncStatus.OUT_OF_SYNC)
            notifier.tell(new Event.ApplicationSynced(application, seen));
        if (seen.getStatus() == ApplicationSyncStatus.OUT_OF_SYNC
                && settled != ApplicationSyncStatus.OUT_OF_SYNC)
            notifier.tell(new Event.ApplicationOutOfSync(application, seen));
    }

    /// Somebody else told how it stands, or nobody can: the next look is told whatever it finds.
    void forget(ApplicationId id) {
        told.computeIfPresent(id, (_, before) -> before.withoutDrift());
    }

    void keep(Set<ApplicationId> applications) {
        told.keySet().retainAll(applications);
        wanted.retainAll(applications);
    }
}
