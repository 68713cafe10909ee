// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.ELSEWHERE;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.ProjectRBACConfig;
import dev.pipecd.wire.model.ProjectRBACPolicy;
import dev.pipecd.wire.model.ProjectRBACPolicy.Action;
import dev.pipecd.wire.model.ProjectRBACResource;
import dev.pipecd.wire.model.ProjectRBACResource.ResourceType;
import dev.pipecd.wire.model.ProjectRBACRole;
import dev.pipecd.wire.model.SyncStrategy;
import dev.pipecd.wire.session.GetPermissionsRequest;
import dev.pipecd.wire.session.Permission;
import dev.pipecd.wire.session.SessionServiceGrpc;
import dev.pipecd.wire.web.*;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What custom roles allow, and whom they are given to.
class RolesTest {
    @TempDir Path folder;
    private World world;
    private WebServiceBlockingStub admin;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        admin = as(World.person(HERE, "Admin"));
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void aCustomRoleAllowsWhatItSaysAndNothingElse() {
        add("Deployer", policy(resource(ResourceType.APPLICATION, Map.of()), Action.UPDATE));
        var home = Samples.home(world, HERE);

        var person = as(person("Deployer"));

        assertThat(sync(person, home.application())).isNotEmpty();
        assertDenied(() -> person.listApplications(ListApplicationsRequest.getDefaultInstance()));
        assertDenied(() -> person.getProject(GetProjectRequest.getDefaultInstance()));
        assertDenied(() -> add(person, "More", everything()));
    }

    @Test
    void aRoleLimitedToLabelsSeesAndChangesOnlyWhatCarriesThem() {
        add("DevTeam", policy(resource(ResourceType.ALL, Map.of("env", "dev")), Action.ALL));
        var home = Samples.home(world, HERE);
        var prod = application(home, "prod", Map.of("env", "prod"));
        var bare = application(home, "bare", Map.of());
        deployment(home, "d-dev", home.application(), "dev");
        deployment(home, "d-prod", prod, "prod");

        var person = as(person("DevTeam"));

        assertThat(
                        person.listApplications(ListApplicationsRequest.getDefaultInstance())
                                .getApplicationsList())
                .extracting(Application::getId)
                .containsExactly(home.application());
        assertThat(
                        person.listDeployments(ListDeploymentsRequest.getDefaultInstance())
                                .getDeploymentsList())
                .extracting(Deployment::getId)
                .containsExactly("d-dev");
        assertThat(sync(person, home.application())).isNotEmpty();
        for (var hidden : java.util.List.of(prod, bare)) {
            assertUnknown(() -> sync(person, hidden));
            assertUnknown(() -> get(person, hidden));
        }
        assertUnknown(() ->
                person.getDeployment(
                        GetDeploymentRequest.newBuilder().setDeploymentId("d-prod").build()));
        assertUnknown(() ->
                person.cancelDeployment(
                        CancelDeploymentRequest.newBuilder().setDeploymentId("d-prod").build()));
        assertDenied(() -> person.listPipeds(ListPipedsRequest.getDefaultInstance()));
    }

    @Test
    void whoMaySeeAThingAndNotChangeItIsToldSo() {
        add(
                "Reader",
                policy(resource(ResourceType.APPLICATION, Map.of()), Action.GET),
                policy(resource(ResourceType.APPLICATION, Map.of("env", "prod")), Action.UPDATE));
        var home = Samples.home(world, HERE);

        assertDenied(() -> sync(as(person("Reader")), home.application()));
    }

    @Test
    void allLabelsOfAPolicyMustBeCarried() {
        add(
                "Narrow",
                policy(
                        resource(ResourceType.APPLICATION, Map.of("env", "dev", "team", "a")),
                        Action.ALL));
        var home = Samples.home(world, HERE);
        var both = application(home, "both", Map.of("env", "dev", "team", "a", "x", "y"));

        var seen =
                as(person("Narrow"))
                        .listApplications(ListApplicationsRequest.getDefaultInstance())
                        .getApplicationsList();

        assertThat(seen).extracting(Application::getId).containsExactly(both);
    }

    @Test
    void anApplicationCanOnlyBeAddedWithinTheLabels() {
        add(
                "DevTeam",
                policy(resource(ResourceType.APPLICATION, Map.of("env", "dev")), Action.ALL));
        var home = Samples.home(world, HERE);
        var person = as(person("DevTeam"));
        var request =
                AddApplicationRequest.newBuilder()
                        .setName("x")
                        .setPipedId(home.piped().value())
                        .setGitPath(Samples.gitPath("x"));

        assertDenied(() -> person.addApplication(request.build()));
        assertThat(
                        person.addApplication(request.putLabels("env", "dev").build())
                                .getApplicationId())
                .isNotEmpty();
    }

    @Test
    void aChangedRoleHoldsFromTheNextCallOn() {
        add("Changing", everything());
        var session = person("Changing");
        var _ = as(session).listPipeds(ListPipedsRequest.getDefaultInstance());
        var _ =
                admin.updateProjectRBACRole(
                        UpdateProjectRBACRoleRequest.newBuilder()
                                .setName("Changing")
                                .addPolicies(
                                        policy(resource(ResourceType.EVENT, Map.of()), Action.LIST))
                                .build());

        assertDenied(
                () -> as(person("Changing")).listPipeds(ListPipedsRequest.getDefaultInstance()));
    }

    @Test
    void builtInRolesCannotBeTouched() {
        assertThatThrownBy(() -> add("Admin", everything()))
                .hasMessageStartingWith("ALREADY_EXISTS: role: Admin");
        assertThatThrownBy(() ->
                        admin.deleteProjectRBACRole(
                                DeleteProjectRBACRoleRequest.newBuilder()
                                        .setName("Viewer")
                                        .build()))
                .hasMessageStartingWith("FAILED_PRECONDITION: role: Viewer is built in");
    }

    @Test
    void rolesOfAnotherProjectAreUnknownHere() {
        var there = as(World.person(ELSEWHERE, "Admin"));
        add(there, "Theirs", everything());

        assertThat(world.features.projects().permissions(HERE, Set.of("Theirs"))).isEmpty();
        assertThat(
                        admin.getProject(GetProjectRequest.getDefaultInstance())
                                .getProject()
                                .getRbacRolesList())
                .extracting(ProjectRBACRole::getName)
                .containsExactly("Admin", "Editor", "Viewer");
    }

    @Test
    void aLabelOnWhatHasNoneIsRefusedBecauseItWouldAllowNothing() {
        assertThatThrownBy(() ->
                        add(
                                "Odd",
                                policy(resource(ResourceType.PIPED, Map.of("a", "b")), Action.GET)))
                .hasMessageStartingWith("INVALID_ARGUMENT: labels: on PIPED");
    }

    @Test
    void groupsAreGivenOneRoleEachAndTheOldFormIsShownAsGroups() {
        var _ =
                admin.updateProjectRBACConfig(
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

        for (var group : java.util.List.of("org/boss", "org/ops"))
            admin.deleteProjectUserGroup(
                    DeleteProjectUserGroupRequest.newBuilder().setSsoGroup(group).build());

        assertThat(groups()).containsOnly(Map.entry("org/dev", "Editor"));
    }

    @Test
    void aSessionIsToldItsPermissions() {
        add("DevTeam", policy(resource(ResourceType.DEPLOYMENT, Map.of("env", "dev")), Action.GET));

        var told =
                SessionServiceGrpc.newBlockingStub(world.as(person("DevTeam")))
                        .getPermissions(GetPermissionsRequest.getDefaultInstance());

        assertThat(told.getSubject()).isEqualTo("ann");
        assertThat(told.getProjectId()).isEqualTo("here");
        assertThat(told.getRolesList()).containsExactly("DevTeam");
        assertThat(told.getPermissionsList())
                .containsExactly(
                        Permission.newBuilder()
                                .setResource(ResourceType.DEPLOYMENT)
                                .setAction(Action.GET)
                                .putLabels("env", "dev")
                                .build());
    }

    @Test
    void anAdministratorIsToldEveryPermissionOneByOne() {
        var told =
                SessionServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Admin")))
                        .getPermissions(GetPermissionsRequest.getDefaultInstance());

        assertThat(told.getPermissionsList()).hasSize(8 * 5);
    }

    @Test
    void onlyPeopleAreToldPermissions() {
        for (var caller : java.util.List.of(World.holder(HERE, true)))
            assertThatThrownBy(() ->
                            SessionServiceGrpc.newBlockingStub(world.as(caller))
                                    .getPermissions(GetPermissionsRequest.getDefaultInstance()))
                    .hasMessageStartingWith("UNAUTHENTICATED");
    }

    private Map<String, String> groups() {
        var found = new java.util.HashMap<String, String>();
        admin.getProject(GetProjectRequest.getDefaultInstance())
                .getProject()
                .getUserGroupsList()
                .forEach(g -> found.put(g.getSsoGroup(), g.getRole()));
        return found;
    }

    private void group(String group, String role) {
        var _ =
                admin.addProjectUserGroup(
                        AddProjectUserGroupRequest.newBuilder()
                                .setSsoGroup(group)
                                .setRole(role)
                                .build());
    }

    private void add(String name, ProjectRBACPolicy... policies) {
        add(admin, name, policies);
    }

    private static void add(
            WebServiceBlockingStub caller, String name, ProjectRBACPolicy... policies) {
        var _ =
                caller.addProjectRBACRole(
                        AddProjectRBACRoleRequest.newBuilder()
                                .setName(name)
                                .addAllPolicies(java.util.List.of(policies))
                                .build());
    }

    private static ProjectRBACPolicy everything() {
        return policy(resource(ResourceType.ALL, Map.of()), Action.ALL);
    }

    private static ProjectRBACPolicy policy(ProjectRBACResource resource, Action action) {
        return ProjectRBACPolicy.newBuilder().addResources(resource).addActions(action).build();
    }

    private static ProjectRBACResource resource(ResourceType type, Map<String, String> labels) {
        return ProjectRBACResource.newBuilder().setType(type).putAllLabels(labels).build();
    }

    /// As `Sessions` makes it from a token.
    private Caller.Person person(String role) {
        return new Caller.Person(
                HERE,
                "ann",
                Set.of(role),
                world.features.projects().permissions(HERE, Set.of(role)));
    }

    private WebServiceBlockingStub as(Caller caller) {
        return WebServiceGrpc.newBlockingStub(world.as(caller));
    }

    private String application(Samples.Home home, String name, Map<String, String> labels) {
        return admin.addApplication(
                        AddApplicationRequest.newBuilder()
                                .setName(name)
                                .setPipedId(home.piped().value())
                                .setGitPath(Samples.gitPath(name))
                                .putAllLabels(labels)
                                .build())
                .getApplicationId();
    }

    private static void deployment(Samples.Home home, String id, String application, String env) {
        var _ =
                home.calls()
                        .createDeployment(
                                dev.pipecd.wire.piped.CreateDeploymentRequest.newBuilder()
                                        .setDeployment(
                                                Samples.deployment(id, application, home.agent())
                                                        .toBuilder()
                                                        .putLabels("env", env))
                                        .build());
    }

    private static String sync(WebServiceBlockingStub caller, String application) {
        return caller.syncApplication(
                        SyncApplicationRequest.newBuilder()
                                .setApplicationId(application)
                                .setSyncStrategy(SyncStrategy.AUTO)
                                .build())
                .getCommandId();
    }

    private static Application get(WebServiceBlockingStub caller, String application) {
        return caller.getApplication(
                        GetApplicationRequest.newBuilder().setApplicationId(application).build())
                .getApplication();
    }

    private static void assertDenied(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).hasMessageStartingWith("PERMISSION_DENIED: Permission Denied");
    }

    private static void assertUnknown(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).hasMessageStartingWith("NOT_FOUND");
    }
}
