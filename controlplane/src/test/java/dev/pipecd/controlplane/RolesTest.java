// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.RolesStand.assertDenied;
import static dev.pipecd.controlplane.RolesStand.everything;
import static dev.pipecd.controlplane.RolesStand.policy;
import static dev.pipecd.controlplane.RolesStand.resource;
import static dev.pipecd.controlplane.RolesStand.sync;
import static dev.pipecd.controlplane.World.ELSEWHERE;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.pipecd.controlplane.access.BuiltInRole;
import dev.pipecd.controlplane.project.RoleBook;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectRBACConfig;
import dev.pipecd.wire.model.ProjectRBACPolicy;
import dev.pipecd.wire.model.ProjectRBACPolicy.Action;
import dev.pipecd.wire.model.ProjectRBACResource;
import dev.pipecd.wire.model.ProjectRBACResource.ResourceType;
import dev.pipecd.wire.model.ProjectRBACRole;
import dev.pipecd.wire.web.AddProjectUserGroupRequest;
import dev.pipecd.wire.web.DeleteProjectRBACRoleRequest;
import dev.pipecd.wire.web.DeleteProjectUserGroupRequest;
import dev.pipecd.wire.web.GetCommandRequest;
import dev.pipecd.wire.web.GetProjectRequest;
import dev.pipecd.wire.web.ListApplicationsRequest;
import dev.pipecd.wire.web.ListPipedsRequest;
import dev.pipecd.wire.web.UpdateProjectRBACConfigRequest;
import dev.pipecd.wire.web.UpdateProjectRBACRoleRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Custom roles, and the groups they are given to.
final class RolesTest {
    @TempDir private Path folder;
    private RolesStand at;

    @BeforeEach
    void open() throws Exception {
        at = new RolesStand(folder);
    }

    @AfterEach
    void close() {
        at.close();
    }

    @Test
    void aCustomRoleAllowsWhatItSaysAndNothingElse() {
        at.add("Deployer", policy(resource(ResourceType.APPLICATION, Map.of()), Action.UPDATE));
        var home = at.home();

        var person = at.as(at.person("Deployer"));

        var order = sync(person, home.application());
        assertThat(
                        person.getCommand(
                                        GetCommandRequest.newBuilder().setCommandId(order).build())
                                .getCommand()
                                .getApplicationId())
                .as("who ordered follows")
                .isEqualTo(home.application());
        assertDenied(() -> person.listApplications(ListApplicationsRequest.getDefaultInstance()));
        assertDenied(() -> person.getProject(GetProjectRequest.getDefaultInstance()));
        assertDenied(() -> RolesStand.add(person, "More", everything()));
    }

    @Test
    void aChangedRoleHoldsFromTheNextCallOn() {
        at.add("Changing", everything());
        var session = at.person("Changing");
        var _ = at.as(session).listPipeds(ListPipedsRequest.getDefaultInstance());
        var _ =
                at.admin.updateProjectRBACRole(
                        UpdateProjectRBACRoleRequest.newBuilder()
                                .setName("Changing")
                                .addPolicies(
                                        policy(resource(ResourceType.EVENT, Map.of()), Action.LIST))
                                .build());

        assertDenied(() ->
                at.as(at.person("Changing")).listPipeds(ListPipedsRequest.getDefaultInstance()));
    }

    @Test
    void builtInRolesCannotBeTouched() {
        assertThatThrownBy(() -> at.add("Admin", everything()))
                .hasMessageStartingWith("ALREADY_EXISTS: role: Admin");
        assertThatThrownBy(() ->
                        at.admin.deleteProjectRBACRole(
                                DeleteProjectRBACRoleRequest.newBuilder()
                                        .setName("Viewer")
                                        .build()))
                .hasMessageStartingWith("FAILED_PRECONDITION: role: Viewer is built in");
    }

    @Test
    void rolesOfAnotherProjectAreUnknownHere() {
        var there = at.as(World.person(ELSEWHERE, "Admin"));
        RolesStand.add(there, "Theirs", everything());

        assertThat(at.world.features.projects().permissions(HERE, Set.of("Theirs"))).isEmpty();
        assertThat(
                        at.admin
                                .getProject(GetProjectRequest.getDefaultInstance())
                                .getProject()
                                .getRbacRolesList())
                .extracting(ProjectRBACRole::getName)
                .containsExactly("Admin", "Editor", "Viewer");
    }

    @Test
    void groupsAreGivenOneRoleEachAndTheOldFormIsShownAsGroups() {
        var _ =
                at.admin.updateProjectRBACConfig(
                        UpdateProjectRBACConfigRequest.newBuilder()
                                .setRbac(
                                        ProjectRBACConfig.newBuilder()
                                                .setAdmin("org/boss")
                                                .setViewer("org/boss")
                                                .setEditor("org/dev"))
                                .build());
        group("org/ops", "Editor");

        assertThatThrownBy(() -> group("org/ops", "Viewer"))
                .hasMessageStartingWith("ALREADY_EXISTS: group: org/ops");
        assertThatThrownBy(() -> group("org/new", "Nobody"))
                .hasMessageStartingWith("NOT_FOUND: role: Nobody");
        assertThat(groups())
                .containsOnly(
                        Map.entry("org/boss", "Admin"),
                        Map.entry("org/dev", "Editor"),
                        Map.entry("org/ops", "Editor"));

        for (var group : List.of("org/boss", "org/ops"))
            at.admin.deleteProjectUserGroup(
                    DeleteProjectUserGroupRequest.newBuilder().setSsoGroup(group).build());

        assertThat(groups()).containsOnly(Map.entry("org/dev", "Editor"));
    }

    private Map<String, String> groups() {
        var found = new HashMap<String, String>();
        at.admin
                .getProject(GetProjectRequest.getDefaultInstance())
                .getProject()
                .getUserGroupsList()
                .forEach(g -> found.put(g.getSsoGroup(), g.getRole()));
        return found;
    }

    private void group(String group, String role) {
        var _ =
                at.admin.addProjectUserGroup(
                        AddProjectUserGroupRequest.newBuilder()
                                .setSsoGroup(group)
                                .setRole(role)
                                .build());
    }

    @Test
    void aRoleHasASizeAndIsToldWhatOfItIsTooMuch() {
        var resource = resource(ResourceType.APPLICATION, Map.of());
        var policy = policy(resource, Action.GET);
        var labels = new HashMap<String, String>();
        for (var n = 0; n < 21; n++) labels.put("l" + n, "v");

        assertRefused("policies: 51 (expected: at most 50)", Collections.nCopies(51, policy));
        assertRefused(
                "resources: 51 (expected: at most 50)",
                List.of(
                        policy.toBuilder()
                                .addAllResources(Collections.nCopies(50, resource))
                                .build()));
        assertRefused(
                "labels: 21 (expected: at most 20)",
                List.of(policy(resource(ResourceType.APPLICATION, labels), Action.GET)));
        assertRefused(
                "actions: one of them twice (expected: each once)",
                List.of(policy.toBuilder().addActions(Action.GET).build()));
        assertRefused(
                "bytes (expected: at most 16,384)",
                List.of(
                        policy(
                                resource(ResourceType.APPLICATION, Map.of("k", "v".repeat(17_000))),
                                Action.GET)));
        at.add("Large", Collections.nCopies(50, policy).toArray(ProjectRBACPolicy[]::new));
    }

    private void assertRefused(String why, List<ProjectRBACPolicy> policies) {
        assertThatThrownBy(() -> at.add("Huge", policies.toArray(ProjectRBACPolicy[]::new)))
                .hasMessageStartingWith("INVALID_ARGUMENT")
                .hasMessageContaining(why);
    }

    @Test
    void aRoleThatWasStoredBeforeItHadASizeIsReadInNoTime() {
        var policy =
                ProjectRBACPolicy.newBuilder()
                        .addAllResources(
                                Collections.nCopies(
                                        200_000, ProjectRBACResource.getDefaultInstance()))
                        .addAllActions(Collections.nCopies(200_000, Action.ALL));
        var project =
                Project.newBuilder()
                        .addRbacRoles(
                                ProjectRBACRole.newBuilder().setName("Huge").addPolicies(policy))
                        .build();

        assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () ->
                        assertThat(RoleBook.permissions(project, Set.of("Huge")))
                                .isEqualTo(BuiltInRole.ADMIN.permissions()));
    }

    @Test
    void allRolesOfAProjectHaveASizeTogether() {
        var large =
                policy(
                        resource(ResourceType.APPLICATION, Map.of("k", "v".repeat(16_000))),
                        Action.GET);
        for (var n = 0; n < 65; n++) at.add("Role " + n, large);

        assertThatThrownBy(() -> at.add("One more", large))
                .hasMessageStartingWith("FAILED_PRECONDITION: project: ")
                .hasMessageContaining("bytes (expected: at most 1048576)");
        var _ =
                at.admin.deleteProjectRBACRole(
                        DeleteProjectRBACRoleRequest.newBuilder().setName("Role 0").build());
        at.add("One more", large);
    }
}
