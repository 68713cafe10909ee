// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.report.StateReports;
import dev.pipecd.domain.ApplicationId;
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
            Status health) {}

    /// Throws a `Problem` when the control plane is away: then it is told with the next look.
    void tell(Application application, Picture picture) {
        var id = new ApplicationId(application.getId());
        var before = Optional.ofNullable(told.get(id)).orElseGet(() -> atFirst(application));
        var now = clock.instant();
        var digest = picture.digest();
        var whole = picture.whole();
        var snapshotIsNews =
                whole
                        && (digest != before.resources
                                || !now.isBefore(before.at.plus(TOLD_AGAIN_AFTER)));
        if (snapshotIsNews) reports.liveState(snapshot(application, picture, now));
        if (isNews(picture.drift(), before.drift, application.getSyncState()))
            reports.syncState(id, picture.drift());
        told.put(
                id,
                new Told(
                        whole ? digest : before.resources,
                        snapshotIsNews ? now : before.at,
                        picture.drift(),
                        settled(picture.drift().getStatus()).orElse(before.settled),
                        whole && picture.health() != Status.UNKNOWN
                                ? picture.health()
                                : before.health));
        notifyOf(application, picture, before);
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
                                .addAllResources(picture.resources())
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
    private void notifyOf(Application application, Picture picture, Told before) {
        var status = picture.drift().getStatus();
        if (status == ApplicationSyncStatus.SYNCED
                && before.settled == ApplicationSyncStatus.OUT_OF_SYNC)
            notifier.tell(new Event.ApplicationSynced(application, picture.drift()));
        if (status == ApplicationSyncStatus.OUT_OF_SYNC
                && before.settled != ApplicationSyncStatus.OUT_OF_SYNC)
            notifier.tell(new Event.ApplicationOutOfSync(application, picture.drift()));
        if (picture.whole()
                && picture.health() == Status.HEALTHY
                && before.health == Status.UNHEALTHY)
            notifier.tell(new Event.ApplicationHealthy(application));
    }

    /// Somebody else told how it stands, or nobody can: the next look is told whatever it finds.
    void forget(ApplicationId id) {
        told.computeIfPresent(
                id,
                (_, before) ->
                        new Told(
                                before.resources,
                                before.at,
                                ApplicationSyncState.getDefaultInstance(),
                                before.settled,
                                before.health));
    }

    void keep(Set<ApplicationId> applications) {
        told.keySet().retainAll(applications);
    }
}
