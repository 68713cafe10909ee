// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.controlplane.access.Accounts;
import dev.pipecd.controlplane.access.Permission;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Project;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// The projects this control plane serves: those of the configuration file, and stored ones.
///
/// Of a project in the file, its description and its static administrator are the file's alone;
/// what people set beside them (roles, groups, sign-on) is stored under the same id. Such a record
/// has no administrator of its own, so that the project is gone when the file drops it.
public final class Projects implements Accounts {
    private static final String SERVER = "server";
    private static final int MOST_BYTES = 1024 * 1024;

    private final Map<ProjectId, Project> fromFile = new LinkedHashMap<>();
    private final ProjectStore store;

    private Projects(ProjectStore store) {
        this.store = store;
    }

    /// Makes the records of projects that are new in the file.
    public static Projects open(List<Project> fromFile, ProjectStore store) {
        var projects = new Projects(store);
        for (var project : fromFile) {
            var id = new ProjectId(project.getId());
            projects.fromFile.put(id, project);
            if (store.find(id).isEmpty()) {
                var _ = store.add(Project.newBuilder().setId(id.value()).build(), SERVER);
            }
        }
        return projects;
    }

    public Optional<Project> find(ProjectId id) {
        var file = fromFile.get(id);
        var stored = store.find(id);
        if (file == null) return stored.filter(Projects::standsAlone);
        return Optional.of(stored.map(s -> over(s, file)).orElse(file));
    }

    private static boolean standsAlone(Project stored) {
        return !stored.getStaticAdmin().getUsername().isEmpty();
    }

    private static Project over(Project stored, Project file) {
        var both = stored.toBuilder().setDesc(file.getDesc()).setStaticAdmin(file.getStaticAdmin());
        if (!file.getSharedSsoName().isEmpty()) both.setSharedSsoName(file.getSharedSsoName());
        if (file.getAllowStrayAsViewer()) both.setAllowStrayAsViewer(true);
        return both.build();
    }

    public Collection<Project> all() {
        var all = new LinkedHashMap<String, Project>();
        store.all().stream().filter(Projects::standsAlone).forEach(p -> all.put(p.getId(), p));
        fromFile.keySet().forEach(id -> find(id).ifPresent(p -> all.put(p.getId(), p)));
        return List.copyOf(all.values());
    }

    boolean isOfFile(ProjectId id) {
        return fromFile.containsKey(id);
    }

    /// Answers the one that has its id already; of a project that left the file, what people set is
    /// taken up again.
    Optional<Project> add(Project project, String actor) {
        var id = new ProjectId(project.getId());
        var twin = find(id);
        if (twin.isPresent()) return twin;
        var left = store.add(project, actor);
        if (left.isEmpty() || standsAlone(left.get())) return left;
        var _ =
                store.update(
                        id,
                        actor,
                        stored ->
                                standsAlone(stored)
                                        ? new Edit.Unchanged<>()
                                        : new Edit.Changed<>(
                                                project.toBuilder()
                                                        .setCreatedAt(stored.getCreatedAt())
                                                        .build(),
                                                "added"));
        return Optional.empty();
    }

    /// Edits what is stored of it; the project is there.
    void update(ProjectId id, String actor, Function<Project, Edit<Project>> edit) {
        var _ = store.update(id, actor, project -> limited(project, edit.apply(project)));
    }

    /// All of them are in memory. One that is too large already may become smaller.
    private static Edit<Project> limited(Project before, Edit<Project> edit) {
        if (edit instanceof Edit.Changed<Project>(var after, var _)
                && after.getSerializedSize() > MOST_BYTES
                && after.getSerializedSize() > before.getSerializedSize())
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "project: %d bytes (expected: at most %d)"
                            .formatted(after.getSerializedSize(), MOST_BYTES),
                    "Delete roles or groups that nobody needs.");
        return edit;
    }

    @Override
    public boolean exists(ProjectId id) {
        return find(id).isPresent();
    }

    @Override
    public Optional<StaticAdmin> staticAdmin(ProjectId id) {
        return find(id).filter(p -> !p.getStaticAdminDisabled())
                .map(Project::getStaticAdmin)
                .filter(admin -> !admin.getUsername().isEmpty())
                .map(admin -> new StaticAdmin(admin.getUsername(), admin.getPasswordHash()));
    }

    @Override
    public Set<String> vouchers(ProjectId id) {
        return find(id).map(Vouchers::of).orElse(Set.of());
    }

    @Override
    public Set<Permission> permissions(ProjectId id, Set<String> roles) {
        return find(id).map(p -> RoleBook.permissions(p, roles)).orElse(Set.of());
    }
}
