// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import dev.pipecd.controlplane.access.BuiltInRole;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Permission;
import dev.pipecd.wire.audit.AuditServiceGrpc;
import dev.pipecd.wire.health.HealthServiceGrpc;
import dev.pipecd.wire.session.SessionServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What each call of a person needs, and what the built-in roles allow, as in the public system.
final class PermissionsTest {
    private static final String NEEDED =
            """
            PIPED CREATE: RegisterPiped
            PIPED UPDATE: UpdatePiped RecreatePipedKey DeleteOldPipedKeys EnablePiped DisablePiped UpdatePipedDesiredVersion RestartPiped
            PIPED LIST: ListPipeds ListReleasedVersions ListDeprecatedNotes
            PIPED GET: GetPiped GetPipedHealth
            APPLICATION CREATE: AddApplication
            APPLICATION UPDATE: UpdateApplication EnableApplication DisableApplication SyncApplication GenerateApplicationSealedSecret
            APPLICATION DELETE: DeleteApplication
            APPLICATION LIST: ListApplications ListUnregisteredApplications
            APPLICATION GET: GetApplication GetApplicationLiveState
            DEPLOYMENT LIST: ListDeployments ListDeploymentTraces
            DEPLOYMENT GET: GetDeployment GetStageLog
            DEPLOYMENT UPDATE: CancelDeployment SkipStage ApproveStage
            DEPLOYMENT_CHAIN LIST: ListDeploymentChains
            DEPLOYMENT_CHAIN GET: GetDeploymentChain
            PROJECT GET: GetProject
            PROJECT UPDATE: UpdateProjectStaticAdmin EnableStaticAdmin DisableStaticAdmin UpdateProjectSSOConfig UpdateProjectRBACConfig AddProjectRBACRole UpdateProjectRBACRole DeleteProjectRBACRole AddProjectUserGroup DeleteProjectUserGroup ListAuditEntries EndSessions
            API_KEY CREATE: GenerateAPIKey
            API_KEY UPDATE: DisableAPIKey
            API_KEY LIST: ListAPIKeys ListAPIKeyExpiries
            INSIGHT GET: GetInsightData GetInsightApplicationCount
            EVENT LIST: ListEvents
            """;

    /// Who they are, what they may, and what became of their own orders everybody may know.
    private static final Set<String> OWN_MATTERS = Set.of("GetMe", "GetPermissions", "GetCommand");

    @TempDir private static Path folder;
    private static World world;
    private static ForeignThings foreign;

    @BeforeAll
    static void open() throws Exception {
        world = new World(folder);
        foreign = ForeignThings.in(world);
    }

    @AfterAll
    static void close() {
        world.close();
    }

    private static Map<String, Permission> needed() {
        var needed = new TreeMap<String, Permission>();
        for (var line : NEEDED.lines().toList()) {
            var what = line.replaceFirst(":.*", "").split(" ");
            var permission = permission(what[0], what[1]);
            for (var rpc : line.replaceFirst(".*: ", "").split(" ")) needed.put(rpc, permission);
        }
        return needed;
    }

    private static Permission permission(String resource, String action) {
        return new Permission(Resource.valueOf(resource), Action.valueOf(action), Map.of());
    }

    private static Stream<MethodDescriptor<?, ?>> rpcs() {
        return Stream.of(
                        WebServiceGrpc.getServiceDescriptor(),
                        SessionServiceGrpc.getServiceDescriptor(),
                        AuditServiceGrpc.getServiceDescriptor(),
                        HealthServiceGrpc.getServiceDescriptor())
                .flatMap(service -> service.getMethods().stream());
    }

    private static String name(MethodDescriptor<?, ?> rpc) {
        return String.valueOf(rpc.getBareMethodName());
    }

    @Test
    void everyCallOfAPersonIsInTheTable() {
        var named = new TreeSet<>(needed().keySet());
        named.addAll(OWN_MATTERS);

        assertThat(rpcs().map(PermissionsTest::name).distinct().toList())
                .containsExactlyInAnyOrderElementsOf(named);
    }

    @Test
    void whoHasEveryPermissionButTheOneThatIsNeededIsRefused() {
        var needed = needed();
        rpcs().filter(rpc -> needed.containsKey(name(rpc)))
                .forEach(rpc -> {
                    var others = new HashSet<>(BuiltInRole.ADMIN.permissions());
                    others.remove(needed.get(name(rpc)));

                    assertThat(code(others, rpc))
                            .as(rpc.getFullMethodName())
                            .isEqualTo(Status.Code.PERMISSION_DENIED);
                });
    }

    @Test
    void theOnePermissionThatIsNeededIsEnough() {
        var needed = needed();
        rpcs().filter(rpc -> needed.containsKey(name(rpc)))
                .forEach(rpc ->
                        assertThat(code(Set.of(Objects.requireNonNull(needed.get(name(rpc)))), rpc))
                                .as(rpc.getFullMethodName())
                                .isNotIn(
                                        Status.Code.PERMISSION_DENIED,
                                        Status.Code.UNAUTHENTICATED,
                                        Status.Code.INTERNAL));
    }

    @Test
    void theBuiltInRolesAllowWhatThePublicOnesDoAndToSeeChains() {
        var looking =
                "APPLICATION GET, APPLICATION LIST, DEPLOYMENT GET, DEPLOYMENT LIST,"
                        + " DEPLOYMENT_CHAIN GET, DEPLOYMENT_CHAIN LIST, EVENT LIST, INSIGHT GET,"
                        + " PIPED GET, PIPED LIST, PROJECT GET";
        var steering =
                "APPLICATION CREATE, APPLICATION DELETE, APPLICATION GET, APPLICATION LIST,"
                        + " APPLICATION UPDATE, DEPLOYMENT CREATE, DEPLOYMENT DELETE, DEPLOYMENT GET,"
                        + " DEPLOYMENT LIST, DEPLOYMENT UPDATE, DEPLOYMENT_CHAIN GET,"
                        + " DEPLOYMENT_CHAIN LIST, EVENT LIST, INSIGHT GET, PIPED GET, PIPED LIST,"
                        + " PROJECT GET";

        assertThat(allowed(BuiltInRole.VIEWER)).isEqualTo(looking);
        assertThat(allowed(BuiltInRole.EDITOR)).isEqualTo(steering);
        assertThat(BuiltInRole.ADMIN.permissions())
                .hasSize(Resource.values().length * Action.values().length);
    }

    private static String allowed(BuiltInRole role) {
        return role.permissions().stream()
                .map(p -> p.resource() + " " + p.action())
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /// How it answers somebody with these permissions, asked about another project's things.
    @SuppressWarnings("unchecked")
    private static Status.Code code(Set<Permission> permissions, MethodDescriptor<?, ?> rpc) {
        var typed = (MethodDescriptor<Message, Message>) rpc;
        var prototype =
                (Message)
                        Objects.requireNonNull(
                                ((PrototypeMarshaller<?>) typed.getRequestMarshaller())
                                        .getMessagePrototype());
        var caller = new Caller.Person(HERE, "ann", Set.of("Made up"), permissions);
        try {
            var _ =
                    ClientCalls.blockingUnaryCall(
                            world.as(caller),
                            typed,
                            CallOptions.DEFAULT,
                            foreign.named(prototype, name(rpc)));
            return Status.Code.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        }
    }
}
