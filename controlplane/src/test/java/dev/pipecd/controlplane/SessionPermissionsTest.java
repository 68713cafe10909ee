// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.RolesStand.policy;
import static dev.pipecd.controlplane.RolesStand.resource;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.wire.model.ProjectRBACPolicy.Action;
import dev.pipecd.wire.model.ProjectRBACResource.ResourceType;
import dev.pipecd.wire.session.GetPermissionsRequest;
import dev.pipecd.wire.session.Permission;
import dev.pipecd.wire.session.SessionServiceGrpc;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a session is told of what it may.
final class SessionPermissionsTest {
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
    void aSessionIsToldItsPermissions() {
        at.add(
                "DevTeam",
                policy(resource(ResourceType.DEPLOYMENT, Map.of("env", "dev")), Action.GET));

        var told =
                SessionServiceGrpc.newBlockingStub(at.world.as(at.person("DevTeam")))
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
                SessionServiceGrpc.newBlockingStub(at.world.as(World.person(HERE, "Admin")))
                        .getPermissions(GetPermissionsRequest.getDefaultInstance());

        assertThat(told.getPermissionsList()).hasSize(8 * 5);
    }

    @Test
    void onlyPeopleAreToldPermissions() {
        for (var caller : List.of(World.holder(HERE, true)))
            assertThatThrownBy(() ->
                            SessionServiceGrpc.newBlockingStub(at.world.as(caller))
                                    .getPermissions(GetPermissionsRequest.getDefaultInstance()))
                    .hasMessageStartingWith("UNAUTHENTICATED");
    }
}
