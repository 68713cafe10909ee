// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.controlplane.access.BuiltInRole;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Permission;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectRBACPolicy;
import dev.pipecd.wire.model.ProjectRBACResource;
import dev.pipecd.wire.model.ProjectRBACResource.ResourceType;
import dev.pipecd.wire.model.ProjectRBACRole;
import dev.pipecd.wire.model.ProjectUserGroup;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The roles a project knows, what they allow, and which groups elsewhere they are given to.
public final class RoleBook {
    private RoleBook() {}

    /// What the roles of these names allow; a name nobody knows allows nothing.
    public static Set<Permission> permissions(Project project, Set<String> names) {
        var all = new LinkedHashSet<Permission>();
        for (var name : names) {
            var builtIn = BuiltInRole.named(name);
            if (builtIn.isPresent()) all.addAll(builtIn.get().permissions());
            else custom(project, name).ifPresent(role -> all.addAll(permissions(role)));
        }
        return all;
    }

    public static boolean knows(Project project, String role) {
        return BuiltInRole.named(role).isPresent() || custom(project, role).isPresent();
    }

    static Optional<ProjectRBACRole> custom(Project project, String name) {
        return project.getRbacRolesList().stream()
                .filter(r -> r.getName().equals(name))
                .findFirst();
    }

    /// Each thing once, however often the role says it.
    private static Set<Permission> permissions(ProjectRBACRole role) {
        var all = new LinkedHashSet<Permission>();
        for (var policy : role.getPoliciesList()) {
            var actions =
                    policy.getActionsList().stream()
                            .distinct()
                            .flatMap(RoleBook::actions)
                            .distinct()
                            .toList();
            policy.getResourcesList().stream()
                    .distinct()
                    .forEach(subject -> all.addAll(permissions(subject, actions)));
        }
        return all;
    }

    private static List<Permission> permissions(ProjectRBACResource subject, List<Action> actions) {
        return resources(subject.getType())
                .flatMap(resource ->
                        actions.stream()
                                .map(a -> new Permission(resource, a, subject.getLabelsMap())))
                .toList();
    }

    private static Stream<Resource> resources(ResourceType type) {
        return switch (type) {
            case ALL -> Arrays.stream(Resource.values());
            case UNRECOGNIZED -> Stream.empty();
            default -> Stream.of(Resource.valueOf(type.name()));
        };
    }

    private static Stream<Action> actions(ProjectRBACPolicy.Action action) {
        return switch (action) {
            case ALL -> Arrays.stream(Action.values());
            case UNRECOGNIZED -> Stream.empty();
            default -> Stream.of(Action.valueOf(action.name()));
        };
    }

    /// The roles somebody of these groups has.
    public static Set<String> rolesOf(Project project, Collection<String> groups) {
        var roles = new LinkedHashSet<String>();
        for (var group : groups(project))
            if (groups.contains(group.getSsoGroup())) roles.add(group.getRole());
        return roles;
    }

    /// Also those of the old form, which knew one group a built-in role: of a group named twice
    /// there the highest role counts.
    static List<ProjectUserGroup> groups(Project project) {
        var groups = new LinkedHashMap<String, String>();
        var old = project.getRbac();
        groups.put(old.getViewer(), BuiltInRole.VIEWER.roleName());
        groups.put(old.getEditor(), BuiltInRole.EDITOR.roleName());
        groups.put(old.getAdmin(), BuiltInRole.ADMIN.roleName());
        groups.remove("");
        project.getUserGroupsList().forEach(g -> groups.put(g.getSsoGroup(), g.getRole()));
        return groups.entrySet().stream()
                .map(e ->
                        ProjectUserGroup.newBuilder()
                                .setSsoGroup(e.getKey())
                                .setRole(e.getValue())
                                .build())
                .toList();
    }

    /// As people are shown it.
    static ProjectRBACRole shown(BuiltInRole role) {
        var shown = ProjectRBACRole.newBuilder().setName(role.roleName()).setIsBuiltin(true);
        if (role == BuiltInRole.ADMIN)
            return shown.addPolicies(
                            ProjectRBACPolicy.newBuilder()
                                    .addResources(ProjectRBACResource.getDefaultInstance())
                                    .addActions(ProjectRBACPolicy.Action.ALL))
                    .build();
        for (var resource : Resource.values()) {
            var actions =
                    Arrays.stream(Action.values())
                            .filter(a -> role.allows(resource, a))
                            .map(a -> ProjectRBACPolicy.Action.valueOf(a.name()))
                            .toList();
            if (!actions.isEmpty())
                shown.addPolicies(
                        ProjectRBACPolicy.newBuilder()
                                .addResources(
                                        ProjectRBACResource.newBuilder()
                                                .setType(ResourceType.valueOf(resource.name())))
                                .addAllActions(actions));
        }
        return shown.build();
    }
}
