// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.DeployTargets;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Applications as people change them: switched on and off, moved to another agent, renamed in Git,
/// given other targets, deleted.
public final class ApplicationEdits {
    private final ApplicationStore store;
    private final Pipeds pipeds;
    private final InstantSource clock;

    public ApplicationEdits(ApplicationStore store, Pipeds pipeds, InstantSource clock) {
        this.store = store;
        this.pipeds = pipeds;
        this.clock = clock;
    }

    public void enable(Caller caller, ApplicationId id) {
        caller.requireSome(Resource.APPLICATION, Action.UPDATE);
        change(caller, Action.UPDATE, id, "enabled", a -> a.toBuilder().setDisabled(false).build());
    }

    public void disable(Caller caller, ApplicationId id) {
        caller.requireSome(Resource.APPLICATION, Action.UPDATE);
        change(caller, Action.UPDATE, id, "disabled", a -> a.toBuilder().setDisabled(true).build());
    }

    /// It stays in the store, and so do its deployments, but no list shows it any more.
    public void delete(Caller caller, ApplicationId id) {
        caller.requireSome(Resource.APPLICATION, Action.DELETE);
        var now = clock.instant().getEpochSecond();
        change(
                caller,
                Action.DELETE,
                id,
                "deleted",
                a -> a.toBuilder().setDeleted(true).setDisabled(true).setDeletedAt(now).build());
    }

    /// Moves it to where `to` says.
    public void move(Caller caller, ApplicationId id, Place to) {
        caller.requireSome(Resource.APPLICATION, Action.UPDATE);
        var piped = pipeds.ofProject(caller.project(), new PipedId(to.piped()));
        change(
                caller,
                Action.UPDATE,
                id,
                "moved",
                application -> {
                    var moved = renamed(to.on(application), to.configFile());
                    if (application.getPipedId().equals(piped.getId())) return moved.build();
                    var repository =
                            Paths.repository(piped, application.getGitPath().getRepo().getId());
                    moved.setPipedId(piped.getId()).getGitPathBuilder().setRepo(repository);
                    return moved.build();
                });
    }

    /// Every application is checked before the first change.
    public void rename(Caller caller, List<ApplicationId> applications, String configFile) {
        caller.requireSome(Resource.APPLICATION, Action.UPDATE);
        requireOwnFiles(
                applications.stream()
                        .distinct()
                        .map(id -> own(caller, id))
                        .map(a -> renamed(a.toBuilder(), configFile).build())
                        .toList());
        for (var id : applications)
            change(
                    caller,
                    Action.UPDATE,
                    id,
                    "configuration file renamed",
                    a -> renamed(a.toBuilder(), configFile).build());
    }

    private Application own(Caller caller, ApplicationId id) {
        var found = store.find(id).orElseThrow(() -> Ownership.notFound("application", id.value()));
        Applications.requireAllowed(caller, Action.UPDATE, found);
        return found;
    }

    /// Neither of others nor, since all of them get one name, of one another.
    private void requireOwnFiles(List<Application> renamed) {
        var files = new HashMap<List<String>, Application>();
        for (var application : renamed) {
            var path = application.getGitPath();
            var file = List.of(application.getPipedId(), path.getRepo().getId(), path.getPath());
            var among = Optional.ofNullable(files.put(file, application));
            var twin = among.or(() -> store.twin(application));
            if (twin.isPresent()) throw Applications.exists(twin.get());
        }
    }

    private static Application.Builder renamed(Application.Builder application, String configFile) {
        if (!configFile.isEmpty())
            application.getGitPathBuilder().setConfigFilename(Paths.fileName(configFile));
        return application;
    }

    public void retarget(Caller caller, ApplicationId id, Map<String, DeployTargets> targets) {
        caller.requireSome(Resource.APPLICATION, Action.UPDATE);
        change(
                caller,
                Action.UPDATE,
                id,
                "deploy targets changed",
                a ->
                        a.toBuilder()
                                .clearDeployTargetsByPlugin()
                                .putAllDeployTargetsByPlugin(targets)
                                .build());
    }

    private void change(
            Caller caller,
            Action action,
            ApplicationId id,
            String what,
            UnaryOperator<Application> change) {
        var _ =
                store.place(
                                id,
                                caller.name(),
                                application -> {
                                    requireLiving(caller, action, application);
                                    var changed = change.apply(application);
                                    return changed.equals(application)
                                            ? new Edit.Unchanged<>()
                                            : new Edit.Changed<>(changed, what);
                                },
                                Applications::exists)
                        .orElseThrow(() -> Ownership.notFound("application", id.value()));
    }

    private static void requireLiving(Caller caller, Action action, Application application) {
        Applications.requireAllowed(caller, action, application);
        Applications.requireLiving(application);
    }

    /// Where an application is to stand from now on.
    ///
    /// @param configFile the name of its file in Git, or empty to keep it
    /// @param targets the whole of them, or empty to keep them
    public record Place(
            String piped,
            String provider,
            String configFile,
            Optional<Map<String, DeployTargets>> targets) {
        @SuppressWarnings("deprecation") // old agents read the provider, under two names
        Application.Builder on(Application application) {
            var placed =
                    application.toBuilder()
                            .setPlatformProvider(provider)
                            .setCloudProvider(provider);
            targets.ifPresent(given ->
                    placed.clearDeployTargetsByPlugin().putAllDeployTargetsByPlugin(given));
            return placed;
        }
    }
}
