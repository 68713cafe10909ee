// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.controlplane.access.BuiltInRole;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.access.SessionEnds;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectRBACConfig;
import dev.pipecd.wire.model.ProjectRBACPolicy;
import dev.pipecd.wire.model.ProjectRBACResource.ResourceType;
import dev.pipecd.wire.model.ProjectRBACRole;
import dev.pipecd.wire.model.ProjectUserGroup;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// A project's own roles, and the groups elsewhere whose people have them. What changes here holds
/// from the next call on; whose group loses its role logs in again.
public final class Roles {
    private static final int MOST = 500;
    private static final int MOST_POLICIES = 50;
    private static final int MOST_RESOURCES = 50;
    private static final int MOST_LABELS = 20;
    private static final int MOST_BYTES = 16 * 1024;
    private static final Set<ResourceType> WITH_LABELS =
            EnumSet.of(
                    ResourceType.ALL,
                    ResourceType.APPLICATION,
                    ResourceType.DEPLOYMENT,
                    ResourceType.EVENT,
                    ResourceType.INSIGHT);

    private final Projects projects;
    private final SessionEnds sessions;

    public Roles(Projects projects, SessionEnds sessions) {
        this.projects = projects;
        this.sessions = sessions;
    }

    public void add(Caller caller, String name, List<ProjectRBACPolicy> policies) {
        edit(
                caller,
                "role %s added".formatted(name),
                project -> {
                    if (RoleBook.knows(project, name))
                        throw exists("role", name, "Choose another name, or update that one.");
                    limit(project.getRbacRolesCount(), "roles");
                    return project.toBuilder().addRbacRoles(role(name, policies)).build();
                });
    }

    public void update(Caller caller, String name, List<ProjectRBACPolicy> policies) {
        edit(
                caller,
                "role %s changed".formatted(name),
                project ->
                        project.toBuilder()
                                .setRbacRoles(place(project, name), role(name, policies))
                                .build());
    }

    public void delete(Caller caller, String name) {
        edit(
                caller,
                "role %s deleted".formatted(name),
                project -> project.toBuilder().removeRbacRoles(place(project, name)).build());
    }

    private static int place(Project project, String name) {
        if (BuiltInRole.named(name).isPresent())
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "role: %s is built in (expected: one of the project's own)".formatted(name),
                    "Add a role of your own beside it.");
        for (var i = 0; i < project.getRbacRolesCount(); i++)
            if (project.getRbacRoles(i).getName().equals(name)) return i;
        throw Ownership.notFound("role", name);
    }

    private static ProjectRBACRole role(String name, List<ProjectRBACPolicy> policies) {
        if (policies.isEmpty()) throw incomplete("policies");
        most("policies", policies.size(), MOST_POLICIES);
        policies.forEach(Roles::check);
        var role = ProjectRBACRole.newBuilder().setName(name).addAllPolicies(policies).build();
        most("role", role.getSerializedSize(), MOST_BYTES);
        return role;
    }

    private static void check(ProjectRBACPolicy policy) {
        if (policy.getResourcesCount() == 0) throw incomplete("resources");
        if (policy.getActionsCount() == 0) throw incomplete("actions");
        most("resources", policy.getResourcesCount(), MOST_RESOURCES);
        if (policy.getActionsValueList().stream().distinct().count() < policy.getActionsCount())
            throw tooLarge("actions: one of them twice (expected: each once)");
        for (var resource : policy.getResourcesList()) {
            most("labels", resource.getLabelsCount(), MOST_LABELS);
            if (resource.getLabelsCount() > 0 && !WITH_LABELS.contains(resource.getType()))
                throw new Problem(
                        Problem.Code.REQUEST_INVALID,
                        "labels: on %s (expected: on one of %s)"
                                .formatted(resource.getType(), WITH_LABELS),
                        "It has no labels: such a policy would allow nothing.");
        }
    }

    private static void most(String what, int count, int most) {
        if (count > most)
            throw tooLarge(
                    "%s: %,d%s (expected: at most %,d)"
                            .formatted(what, count, what.equals("role") ? " bytes" : "", most));
    }

    private static Problem tooLarge(String what) {
        return new Problem(
                Problem.Code.REQUEST_INVALID, what, "Say it in fewer words, or in several roles.");
    }

    private static Problem incomplete(String what) {
        return new Problem(
                Problem.Code.REQUEST_INVALID,
                what + ": none (expected: at least one)",
                "Say what the role allows.");
    }

    public void addGroup(Caller caller, String group, String role) {
        edit(
                caller,
                "group %s added as %s".formatted(group, role),
                project -> {
                    if (!RoleBook.knows(project, role)) throw Ownership.notFound("role", role);
                    if (RoleBook.groups(project).stream()
                            .anyMatch(g -> g.getSsoGroup().equals(group)))
                        throw exists("group", group, "Delete it first, then add it again.");
                    limit(project.getUserGroupsCount(), "groups");
                    return project.toBuilder()
                            .addUserGroups(
                                    ProjectUserGroup.newBuilder().setSsoGroup(group).setRole(role))
                            .build();
                });
    }

    public void deleteGroup(Caller caller, String group) {
        regroup(
                caller,
                "group %s deleted".formatted(group),
                project -> {
                    if (RoleBook.groups(project).stream()
                            .noneMatch(g -> g.getSsoGroup().equals(group)))
                        throw Ownership.notFound("group", group);
                    return without(project, group);
                });
    }

    private static Project without(Project project, String group) {
        var left = project.toBuilder().clearUserGroups();
        project.getUserGroupsList().stream()
                .filter(g -> !g.getSsoGroup().equals(group))
                .forEach(left::addUserGroups);
        var old = project.getRbac().toBuilder();
        if (old.getAdmin().equals(group)) old.clearAdmin();
        if (old.getEditor().equals(group)) old.clearEditor();
        if (old.getViewer().equals(group)) old.clearViewer();
        return project.hasRbac() ? left.setRbac(old).build() : left.build();
    }

    /// The old form: one group for each built-in role.
    public void setOldGroups(Caller caller, ProjectRBACConfig groups) {
        regroup(
                caller,
                "groups of the built-in roles changed",
                project -> project.toBuilder().setRbac(groups).build());
    }

    /// Sessions end before, so that a crash in between leaves nobody in, and again behind it, for
    /// who logged in meanwhile.
    private void regroup(Caller caller, String what, UnaryOperator<Project> change) {
        caller.require(Resource.PROJECT, Action.UPDATE);
        var lost =
                projects.find(caller.project())
                        .map(project -> lost(project, change.apply(project)))
                        .orElse(Set.of());
        end(caller, lost);
        edit(caller, what, change);
        end(caller, lost);
    }

    private static Set<String> lost(Project before, Project after) {
        var groups = new ArrayList<>(RoleBook.groups(before));
        groups.removeAll(RoleBook.groups(after));
        return groups.stream().map(ProjectUserGroup::getRole).collect(Collectors.toSet());
    }

    private void end(Caller caller, Set<String> roles) {
        for (var role : roles) sessions.endRole(caller.project(), caller.name(), role);
    }

    private void edit(Caller caller, String what, UnaryOperator<Project> change) {
        caller.require(Resource.PROJECT, Action.UPDATE);
        projects.update(
                caller.project(),
                caller.name(),
                project -> new Edit.Changed<>(change.apply(project), what));
    }

    private static Problem exists(String what, String name, String advice) {
        return new Problem(
                Problem.Code.ALREADY_EXISTS,
                "%s: %s is there already (expected: a new one)".formatted(what, name),
                advice);
    }

    private static void limit(int count, String what) {
        if (count >= MOST)
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "%s: %d (expected: at most %d)".formatted(what, count + 1, MOST),
                    "Delete some that nobody needs.");
    }
}
