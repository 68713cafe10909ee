// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Calls.fails;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.BoolValue;
import dev.pipecd.controlplane.store.ProjectTable;
import dev.pipecd.controlplane.store.Trail;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectStaticUser;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.web.DeleteOldPipedKeysRequest;
import dev.pipecd.wire.web.DisableAPIKeyRequest;
import dev.pipecd.wire.web.DisablePipedRequest;
import dev.pipecd.wire.web.DisableStaticAdminRequest;
import dev.pipecd.wire.web.EnablePipedRequest;
import dev.pipecd.wire.web.EnableStaticAdminRequest;
import dev.pipecd.wire.web.GenerateAPIKeyRequest;
import dev.pipecd.wire.web.GetProjectRequest;
import dev.pipecd.wire.web.ListAPIKeysRequest;
import dev.pipecd.wire.web.ListDeprecatedNotesRequest;
import dev.pipecd.wire.web.ListReleasedVersionsRequest;
import dev.pipecd.wire.web.RecreatePipedKeyRequest;
import dev.pipecd.wire.web.UpdateProjectStaticAdminRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What people do with the keys of agents and programs and with their administrator, at the doors.
final class KeyDoorsTest {
    @TempDir private Path folder;
    private World world;
    private Samples.Home home;
    private WebServiceBlockingStub web;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        web = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Admin")));
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void aThirdKeyIsRefusedAsNotPossibleNow() {
        var request = RecreatePipedKeyRequest.newBuilder().setId(home.piped().value()).build();
        var _ = web.recreatePipedKey(request);

        fails(
                Status.Code.FAILED_PRECONDITION,
                "keys: 2 (expected: fewer than 2). Delete the old keys first.",
                () -> web.recreatePipedKey(request));
    }

    @Test
    void anAgentsKeyIsRenewedAndTheOldOneTakenBack() {
        var renewed =
                web.recreatePipedKey(
                                RecreatePipedKeyRequest.newBuilder()
                                        .setId(home.piped().value())
                                        .build())
                        .getKey();
        assertThat(isGood(home.key())).isTrue();

        world.now.set(world.now.get().plusSeconds(5));
        var _ =
                web.deleteOldPipedKeys(
                        DeleteOldPipedKeysRequest.newBuilder()
                                .setPipedId(home.piped().value())
                                .build());

        assertThat(List.of(isGood(home.key()), isGood(renewed))).containsExactly(false, true);
    }

    @Test
    void anAgentIsDisabledAndEnabledByPeopleAndPrograms() {
        var id = home.piped().value();
        var api = APIServiceGrpc.newBlockingStub(world.as(World.holder(HERE, true)));

        var _ = web.disablePiped(DisablePipedRequest.newBuilder().setPipedId(id).build());
        assertThat(isGood(home.key())).isFalse();
        var _ = web.enablePiped(EnablePipedRequest.newBuilder().setPipedId(id).build());
        assertThat(isGood(home.key())).isTrue();

        var _ =
                api.disablePiped(
                        dev.pipecd.wire.api.DisablePipedRequest.newBuilder()
                                .setPipedId(id)
                                .build());
        assertThat(isGood(home.key())).isFalse();
        var _ =
                api.enablePiped(
                        dev.pipecd.wire.api.EnablePipedRequest.newBuilder().setPipedId(id).build());
        assertThat(isGood(home.key())).isTrue();
    }

    private boolean isGood(String key) {
        try {
            var _ = world.features.pipedKeys().verify(HERE, home.piped(), key);
            return true;
        } catch (Problem e) {
            return false;
        }
    }

    @Test
    void aProgramsKeyIsMadeListedWithoutItsHashAndDisabled() {
        var key =
                web.generateAPIKey(
                                GenerateAPIKeyRequest.newBuilder()
                                        .setName("ci")
                                        .setRole(APIKey.Role.READ_WRITE)
                                        .build())
                        .getKey();
        assertThat(world.features.apiKeys().verify(key).mayWrite()).isTrue();
        var listed = keys(true);
        assertThat(listed).extracting(APIKey::getName).containsExactly("ci");
        assertThat(listed.getFirst().getKeyHash()).doesNotContain("$2");

        var _ =
                web.disableAPIKey(
                        DisableAPIKeyRequest.newBuilder().setId(listed.getFirst().getId()).build());

        assertThatThrownBy(() -> world.features.apiKeys().verify(key)).isInstanceOf(Problem.class);
        assertThat(keys(true)).isEmpty();
        assertThat(keys(false)).extracting(APIKey::getName).containsExactly("ci");
    }

    private List<APIKey> keys(boolean enabled) {
        var options =
                ListAPIKeysRequest.Options.newBuilder().setEnabled(BoolValue.of(enabled)).build();
        return web.listAPIKeys(ListAPIKeysRequest.newBuilder().setOptions(options).build())
                .getKeysList();
    }

    @Test
    void theAdministratorIsChangedSwitchedOffAndOn() {
        var database = world.features.stores().database();
        var stored = new ProjectId("stored");
        var _ =
                new ProjectTable(database, new Trail(database), world.now::get)
                        .add(
                                Project.newBuilder()
                                        .setId(stored.value())
                                        .setStaticAdmin(
                                                ProjectStaticUser.newBuilder()
                                                        .setUsername("boss")
                                                        .setPasswordHash("hash"))
                                        .build(),
                                "ops");
        web = WebServiceGrpc.newBlockingStub(world.as(World.person(stored, "Admin")));

        var _ =
                web.updateProjectStaticAdmin(
                        UpdateProjectStaticAdminRequest.newBuilder()
                                .setUsername("chief")
                                .setPassword("a new password")
                                .build());
        assertThat(project().getStaticAdmin().getUsername()).isEqualTo("chief");
        var _ = web.disableStaticAdmin(DisableStaticAdminRequest.getDefaultInstance());
        assertThat(project().getStaticAdminDisabled()).isTrue();
        var _ = web.enableStaticAdmin(EnableStaticAdminRequest.getDefaultInstance());
        assertThat(project().getStaticAdminDisabled()).isFalse();
    }

    private Project project() {
        return web.getProject(GetProjectRequest.getDefaultInstance()).getProject();
    }

    /// Here nobody is asked which there are.
    @Test
    void theVersionsThatAgentsRunAreOffered() {
        var _ =
                home.calls()
                        .reportPipedMeta(
                                ReportPipedMetaRequest.newBuilder().setVersion("v0.57.1").build());

        assertThat(
                        web.listReleasedVersions(ListReleasedVersionsRequest.getDefaultInstance())
                                .getVersionsList())
                .containsExactly("v0.57.1");
        assertThat(
                        web.listDeprecatedNotes(
                                        ListDeprecatedNotesRequest.newBuilder()
                                                .setProjectId(HERE.value())
                                                .build())
                                .getNotes())
                .isEmpty();
    }
}
