// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.ELSEWHERE;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.audit.AuditServiceGrpc;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc;
import dev.pipecd.wire.health.HealthServiceGrpc;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.session.SessionServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EveryRpcTest {
    /// RPC name -> whether it changes something.
    private static final Map<String, Boolean> AGENT = new HashMap<>();

    private static final Map<String, Boolean> WEB = new HashMap<>();
    private static final Map<String, Boolean> API = new HashMap<>();
    private static final Map<String, Boolean> DELIVERY =
            Map.of(
                    "ApproveStage", true,
                    "CancelDeployment", true,
                    "GetStageLog", false,
                    "GetEvent", false);
    private static final Map<String, Boolean> SESSION =
            Map.of(
                    "GetPermissions", false,
                    "GenerateAPIKey", true,
                    "ListAPIKeyExpiries", false,
                    "EndSessions", true);
    private static final Map<String, Boolean> AUDIT = Map.of("ListAuditEntries", false);
    private static final Map<String, Boolean> HEALTH = Map.of("GetPipedHealth", false);

    /// Everybody may know these of themselves, whatever their role.
    private static final Set<String> OWN_MATTERS = Set.of("GetMe", "GetPermissions", "GetCommand");

    static {
        for (var name :
                """
                ReportStat ReportPipedMeta ReportApplicationSyncState
                ReportApplicationDeployingStatus ReportApplicationMostRecentDeployment
                CreateDeployment ReportDeploymentPlanned ReportDeploymentStatusChanged
                ReportDeploymentCompleted SaveDeploymentSharedMetadata
                SaveDeploymentPluginMetadata SaveDeploymentMetadata SaveStageMetadata
                ReportStageLogs ReportStageLogsFromLastCheckpoint ReportStageStatusChanged
                ReportCommandHandled UpdateApplicationConfigurations
                ReportUnregisteredApplicationConfigurations PutApplicationSharedObject
                ReportEventStatuses ReportApplicationLiveState ReportApplicationLiveStateEvents
                PutLatestAnalysisResult CreateDeploymentChain
                """
                        .trim()
                        .split("\\s+")) AGENT.put(name, true);
        for (var name :
                """
                ListApplications GetApplicationMostRecentDeployment GetDeployment
                ListNotCompletedDeployments ListUnhandledCommands GetDesiredVersion
                GetApplicationSharedObject GetLatestEvent ListEvents GetLatestAnalysisResult
                InChainDeploymentPlannable
                """
                        .trim()
                        .split("\\s+")) AGENT.put(name, false);
        for (var name :
                """
                AddApplication SyncApplication EnableApplication DisableApplication
                CancelDeployment ApproveStage RegisterPiped RecreatePipedKey DeleteOldPipedKeys
                EnablePiped DisablePiped GenerateAPIKey DisableAPIKey
                UpdateProjectStaticAdmin EnableStaticAdmin DisableStaticAdmin
                UpdateProjectSSOConfig UpdateProjectRBACConfig AddProjectRBACRole
                UpdateProjectRBACRole DeleteProjectRBACRole AddProjectUserGroup
                DeleteProjectUserGroup
                UpdatePiped
                UpdatePipedDesiredVersion RestartPiped UpdateApplication DeleteApplication
                GenerateApplicationSealedSecret SkipStage
                """
                        .trim()
                        .split("\\s+")) WEB.put(name, true);
        for (var name :
                """
                GetMe GetProject GetInsightData GetInsightApplicationCount ListApplications GetApplication ListUnregisteredApplications
                ListDeployments GetDeployment GetStageLog GetCommand ListPipeds GetPiped ListAPIKeys
                ListReleasedVersions ListDeprecatedNotes ListDeploymentTraces
                GetApplicationLiveState ListDeploymentChains GetDeploymentChain ListEvents
                """
                        .trim()
                        .split("\\s+")) WEB.put(name, false);
        for (var name :
                """
                AddApplication SyncApplication RegisterPiped EnablePiped DisablePiped
                UpdateApplication DeleteApplication EnableApplication DisableApplication
                RenameApplicationConfigFile UpdateApplicationDeployTargets UpdatePiped
                RegisterEvent RequestPlanPreview GetPlanPreviewResults
                """
                        .trim()
                        .split("\\s+")) API.put(name, true);
        for (var name :
                """
                GetApplication ListApplications GetDeployment ListDeployments GetCommand
                ListStageLogs GetPiped Encrypt
                """
                        .trim()
                        .split("\\s+")) API.put(name, false);
    }

    /// Those that name nothing by id: they concern the caller's own project or agent only.
    private static final Set<String> WITHOUT_IDS =
            Set.of(
                    "ReportStat",
                    "ReportPipedMeta",
                    "ListApplications",
                    "ListNotCompletedDeployments",
                    "ListUnhandledCommands",
                    "GetDesiredVersion",
                    "ReportUnregisteredApplicationConfigurations",
                    "GetMe",
                    "GetProject",
                    "ListUnregisteredApplications",
                    "ListDeployments",
                    "ListPipeds",
                    "ListAPIKeys",
                    "RegisterPiped",
                    "GenerateAPIKey",
                    "GetInsightData",
                    "GetInsightApplicationCount",
                    "UpdateProjectStaticAdmin",
                    "EnableStaticAdmin",
                    "DisableStaticAdmin",
                    "UpdateProjectSSOConfig",
                    "UpdateProjectRBACConfig",
                    "AddProjectRBACRole",
                    "UpdateProjectRBACRole",
                    "ListEvents",
                    "GetLatestEvent",
                    "ListReleasedVersions",
                    "ListDeploymentTraces",
                    "ListDeploymentChains",
                    "RegisterEvent",
                    "RequestPlanPreview",
                    "GetPermissions",
                    "ListAPIKeyExpiries",
                    "EndSessions",
                    "ListAuditEntries");

    @TempDir Path folder;
    private World world;
    private Samples.Home here;
    private ForeignThings foreign;

    /// A service, what its calls do, who it is for, and who may come in elsewhere but not here.
    ///
    /// @param reader one who may look and nothing more
    private record Door(
            ServiceDescriptor service,
            Map<String, Boolean> calls,
            Caller owner,
            Optional<Caller> reader,
            List<Caller> strangers) {
        boolean changes(MethodDescriptor<?, ?> method) {
            return calls.getOrDefault(name(method), true);
        }
    }

    private List<Door> doors() {
        var person = World.person(HERE, "Admin");
        var viewer = Optional.<Caller>of(World.person(HERE, "Viewer"));
        var holder = World.holder(HERE, true);
        var reader = Optional.<Caller>of(World.holder(HERE, false));
        var agent = here.agent();
        var notPeople = List.<Caller>of(agent, holder);
        var notHolders = List.<Caller>of(agent, person);
        return List.of(
                new Door(
                        PipedServiceGrpc.getServiceDescriptor(),
                        AGENT,
                        agent,
                        Optional.empty(),
                        List.of(person, holder)),
                new Door(WebServiceGrpc.getServiceDescriptor(), WEB, person, viewer, notPeople),
                new Door(
                        SessionServiceGrpc.getServiceDescriptor(),
                        SESSION,
                        person,
                        viewer,
                        notPeople),
                new Door(AuditServiceGrpc.getServiceDescriptor(), AUDIT, person, viewer, notPeople),
                new Door(
                        HealthServiceGrpc.getServiceDescriptor(),
                        HEALTH,
                        person,
                        viewer,
                        notPeople),
                new Door(APIServiceGrpc.getServiceDescriptor(), API, holder, reader, notHolders),
                new Door(
                        DeliveryServiceGrpc.getServiceDescriptor(),
                        DELIVERY,
                        holder,
                        reader,
                        notHolders));
    }

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        here = Samples.home(world, HERE);
        foreign = ForeignThings.in(world);
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void everyServiceAndEveryRpcIsLookedAt() {
        var served = new ArrayList<BindableService>(world.features.doors().own());
        served.addAll(world.features.doors().api());
        served.add(world.features.doors().web());
        served.add(world.features.doors().piped());

        assertThat(doors())
                .extracting(door -> door.service().getName())
                .containsExactlyInAnyOrderElementsOf(
                        served.stream()
                                .map(s -> s.bindService().getServiceDescriptor().getName())
                                .toList());
        for (var door : doors())
            assertThat(door.service().getMethods().stream().map(EveryRpcTest::name))
                    .containsExactlyInAnyOrderElementsOf(door.calls().keySet());
    }

    @Test
    void nobodyGetsAnything() throws Exception {
        var before = world.everything();

        everywhere((_, method) ->
                assertThat(call(world.asNobody(), method))
                        .as(method.getFullMethodName())
                        .isEqualTo(Status.Code.UNAUTHENTICATED));

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void whoComesThroughTheWrongDoorGetsNothing() throws Exception {
        var before = world.everything();

        everywhere((door, method) -> {
            for (var stranger : door.strangers())
                assertThat(call(world.as(stranger), method))
                        .as(method.getFullMethodName())
                        .isEqualTo(Status.Code.UNAUTHENTICATED);
        });

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void whoMayOnlyReadChangesNothing() throws Exception {
        var before = world.everything();

        everywhere((door, method) -> {
            if (door.changes(method) || name(method).equals("ListAuditEntries"))
                door.reader()
                        .ifPresent(reader ->
                                assertThat(call(world.as(reader), method))
                                        .as(method.getFullMethodName())
                                        .isEqualTo(Status.Code.PERMISSION_DENIED));
        });

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void whoHasARoleNobodyKnowsMayDoNothing() throws Exception {
        var stranger = world.as(World.person(HERE, "Unheard of"));
        var before = world.everything();

        everywhere((door, method) -> {
            if (door.owner() instanceof Caller.Person && !OWN_MATTERS.contains(name(method)))
                assertThat(call(stranger, method))
                        .as(method.getFullMethodName())
                        .isEqualTo(Status.Code.PERMISSION_DENIED);
        });

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void whatBelongsToOtherProjectsDoesNotExist() throws Exception {
        var before = world.everything();

        everywhere((door, method) -> {
            if (!WITHOUT_IDS.contains(name(method)))
                assertThat(call(world.as(door.owner()), method))
                        .as(method.getFullMethodName())
                        .isEqualTo(Status.Code.NOT_FOUND);
        });

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void anAgentTouchesNothingOfAnotherAgentOfItsProject() throws Exception {
        foreign = ForeignThings.of(world, Samples.home(world, HERE), "d-beside");
        var before = world.everything();

        for (var method : PipedServiceGrpc.getServiceDescriptor().getMethods())
            // events belong to the whole project
            if (!WITHOUT_IDS.contains(name(method)) && !name(method).equals("ReportEventStatuses"))
                assertThat(call(world.as(here.agent()), method))
                        .as(method.getFullMethodName())
                        .isEqualTo(Status.Code.PERMISSION_DENIED);

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void listsHoldNothingOfOthers() {
        everywhere((door, method) -> {
            if (WITHOUT_IDS.contains(name(method)) && name(method).startsWith("List"))
                assertNothingForeign(
                        answer(world.as(door.owner()), method, false).toString(),
                        method.getFullMethodName());
        });
    }

    private void assertNothingForeign(String answer, String method) {
        for (var id :
                List.of(
                        "application_id",
                        "deployment_id",
                        "command_id",
                        "piped_id",
                        "event_id",
                        "api_key_id",
                        "deployment_chain_id"))
            assertThat(answer).as(method).doesNotContain(foreign.id(id));
        assertThat(answer).as(method).doesNotContain("their-commit");
        assertThat(answer).as(method).doesNotContain(ELSEWHERE.value());
    }

    @Test
    void whatIsAbsentAndWhatIsNotYoursAreAnsweredAlike() {
        everywhere((door, method) -> {
            var theirs = told(world.as(door.owner()), method);
            var known = foreign;
            foreign = known.absent();
            var absent = told(world.as(door.owner()), method);
            foreign = known;
            if (theirs.startsWith("NOT_FOUND"))
                assertThat(known.withoutIds(theirs))
                        .as(method.getFullMethodName())
                        .isEqualTo(absent);
        });
    }

    private String told(Channel channel, MethodDescriptor<?, ?> method) {
        try {
            var _ = answer(channel, method, true);
            return "OK";
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode() + " " + e.getStatus().getDescription();
        }
    }

    private interface Check {
        void of(Door door, MethodDescriptor<?, ?> method);
    }

    private void everywhere(Check check) {
        for (var door : doors())
            for (var method : door.service().getMethods()) check.of(door, method);
    }

    private static String name(MethodDescriptor<?, ?> method) {
        return String.valueOf(method.getBareMethodName());
    }

    private Status.Code call(Channel channel, MethodDescriptor<?, ?> method) {
        try {
            var _ = answer(channel, method, true);
            return Status.Code.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        }
    }

    @SuppressWarnings("unchecked")
    private Object answer(Channel channel, MethodDescriptor<?, ?> method, boolean withIds) {
        var typed = (MethodDescriptor<Message, Message>) method;
        var prototype =
                (Message)
                        Objects.requireNonNull(
                                ((PrototypeMarshaller<?>) typed.getRequestMarshaller())
                                        .getMessagePrototype());
        var request = withIds ? foreign.named(prototype, name(method)) : prototype;
        return ClientCalls.blockingUnaryCall(channel, typed, CallOptions.DEFAULT, request);
    }
}
