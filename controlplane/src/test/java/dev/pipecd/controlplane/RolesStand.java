// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.wire.model.ProjectRBACPolicy;
import dev.pipecd.wire.model.ProjectRBACPolicy.Action;
import dev.pipecd.wire.model.ProjectRBACResource;
import dev.pipecd.wire.model.ProjectRBACResource.ResourceType;
import dev.pipecd.wire.model.SyncStrategy;
import dev.pipecd.wire.web.AddProjectRBACRoleRequest;
import dev.pipecd.wire.web.SyncApplicationRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// A project whose administrator gives out roles.
final class RolesStand implements AutoCloseable {
    final World world;
    final WebServiceBlockingStub admin;

    RolesStand(Path folder) throws IOException {
        world = new World(folder);
        admin = as(World.person(HERE, "Admin"));
    }

    Samples.Home home() {
        return Samples.home(world, HERE);
    }

    void add(String name, ProjectRBACPolicy... policies) {
        add(admin, name, policies);
    }

    static void add(WebServiceBlockingStub caller, String name, ProjectRBACPolicy... policies) {
        var _ =
                caller.addProjectRBACRole(
                        AddProjectRBACRoleRequest.newBuilder()
                                .setName(name)
                                .addAllPolicies(List.of(policies))
                                .build());
    }

    static ProjectRBACPolicy everything() {
        return policy(resource(ResourceType.ALL, Map.of()), Action.ALL);
    }

    static ProjectRBACPolicy policy(ProjectRBACResource resource, Action action) {
        return ProjectRBACPolicy.newBuilder().addResources(resource).addActions(action).build();
    }

    static ProjectRBACResource resource(ResourceType type, Map<String, String> labels) {
        return ProjectRBACResource.newBuilder().setType(type).putAllLabels(labels).build();
    }

    /// As `Sessions` makes it from a token.
    Caller.Person person(String role) {
        return new Caller.Person(
                HERE,
                "ann",
                Set.of(role),
                world.features.projects().permissions(HERE, Set.of(role)));
    }

    WebServiceBlockingStub as(Caller caller) {
        return WebServiceGrpc.newBlockingStub(world.as(caller));
    }

    static String sync(WebServiceBlockingStub caller, String application) {
        return caller.syncApplication(
                        SyncApplicationRequest.newBuilder()
                                .setApplicationId(application)
                                .setSyncStrategy(SyncStrategy.AUTO)
                                .build())
                .getCommandId();
    }

    static void assertDenied(ThrowingCallable call) {
        assertThatThrownBy(call).hasMessageStartingWith("PERMISSION_DENIED: Permission Denied");
    }

    static void assertUnknown(ThrowingCallable call) {
        assertThatThrownBy(call).hasMessageStartingWith("NOT_FOUND");
    }

    @Override
    public void close() {
        world.close();
    }
}
