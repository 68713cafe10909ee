// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.livestate;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.application.ApplicationReports;
import dev.pipecd.controlplane.application.Applications;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.Snapshots;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot;
import dev.pipecd.wire.model.KubernetesResourceStateEvent;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/// The live state of applications: whole snapshots, and changes to them, both kept before the agent
/// is told so.
public final class LiveStates {
    private final ApplicationReports reports;
    private final Applications applications;
    private final Snapshots snapshots;
    private final Changes changes;
    private final InstantSource clock;
    private final Wishes wishes = new Wishes();

    public LiveStates(
            ApplicationReports reports,
            Applications applications,
            Snapshots snapshots,
            Changes changes,
            InstantSource clock) {
        this.reports = reports;
        this.applications = applications;
        this.snapshots = snapshots;
        this.changes = changes;
        this.clock = clock;
    }

    /// Replaces what was known.
    public void report(Agent agent, ApplicationLiveStateSnapshot snapshot) {
        var id = new ApplicationId(snapshot.getApplicationId());
        var _ = reports.own(agent, id);
        var own =
                snapshot.toBuilder()
                        .setPipedId(agent.piped().value())
                        .setProjectId(agent.project().value())
                        .build();
        snapshots.put(path(id), bytes(own));
        tell(agent, id);
    }

    /// Changes single resources of snapshots. Every application is checked before the first change;
    /// answers the events that no snapshot was there for.
    public List<String> patch(Agent agent, List<KubernetesResourceStateEvent> events) {
        var byApplication = new LinkedHashMap<ApplicationId, List<KubernetesResourceStateEvent>>();
        for (var event : events) {
            var id = new ApplicationId(event.getApplicationId());
            byApplication.computeIfAbsent(id, _ -> new ArrayList<>()).add(event);
        }
        byApplication.keySet().forEach(id -> reports.own(agent, id));
        var failed = new ArrayList<String>();
        byApplication.forEach((id, its) -> {
            if (patched(id, its)) tell(agent, id);
            else its.forEach(e -> failed.add(e.getId()));
        });
        return failed;
    }

    private boolean patched(ApplicationId id, List<KubernetesResourceStateEvent> events) {
        return snapshots.change(path(id), stored -> bytes(Patch.of(snapshot(stored), events)));
    }

    /// As last told; whoever looks after the application hears that somebody wants to know, but not
    /// of each of many.
    public ApplicationLiveStateSnapshot get(Caller caller, ApplicationId id) {
        var application = applications.get(caller, id);
        if (wishes.isDue(id, clock.instant()))
            tell(
                    caller.project(),
                    application.getPipedId(),
                    Change.Kind.LIVE_STATE_WANTED,
                    id,
                    caller.name());
        return stored(id).orElseThrow(() -> Ownership.notFound("live state", id.value()));
    }

    private Optional<ApplicationLiveStateSnapshot> stored(ApplicationId id) {
        return snapshots.get(path(id)).map(LiveStates::snapshot);
    }

    private static ApplicationLiveStateSnapshot snapshot(byte[] stored) {
        return GoJson.read(
                ApplicationLiveStateSnapshot.getDefaultInstance(),
                new String(stored, StandardCharsets.UTF_8));
    }

    private static byte[] bytes(ApplicationLiveStateSnapshot snapshot) {
        return GoJson.write(snapshot).toString().getBytes(StandardCharsets.UTF_8);
    }

    private static FilePath path(ApplicationId id) {
        return FilePath.of("application-live-state", id.value() + ".json");
    }

    private void tell(Agent agent, ApplicationId id) {
        wishes.answered(id, clock.instant());
        tell(agent.project(), agent.piped().value(), Change.Kind.LIVE_STATE, id, agent.name());
    }

    private void tell(
            ProjectId project, String piped, Change.Kind kind, ApplicationId id, String actor) {
        changes.passOn(
                new Change(
                        changes.latest(),
                        project,
                        kind,
                        id.value(),
                        "",
                        piped,
                        new Change.Deed(actor, "live state", clock.instant())));
    }
}
