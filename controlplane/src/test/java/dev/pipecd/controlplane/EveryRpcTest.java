// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.ELSEWHERE;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
                    "RequestPlanPreview");

    @TempDir Path folder;
    private World world;
    private Samples.Home here;
    private ForeignThings foreign;

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
    void nobodyGetsAnything() throws Exception {
        var before = world.everything();

        everywhere((method, known) ->
                assertThat(call(world.asNobody(), method))
                        .as(method.getFullMethodName())
                        .isEqualTo(known ? Status.Code.UNAUTHENTICATED : UNIMPLEMENTED));

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void whoComesThroughTheWrongDoorGetsNothing() throws Exception {
        var before = world.everything();
        Map<String, List<Caller>> strangers =
                Map.of(
                        PipedServiceGrpc.SERVICE_NAME,
                        List.of(World.person(HERE, "Admin"), World.holder(HERE, true)),
                        WebServiceGrpc.SERVICE_NAME,
                        List.of(here.agent(), World.holder(HERE, true)),
                        APIServiceGrpc.SERVICE_NAME,
                        List.of(here.agent(), World.person(HERE, "Admin")),
                        DeliveryServiceGrpc.SERVICE_NAME,
                        List.of(here.agent(), World.person(HERE, "Admin")));

        everywhere((method, known) -> {
            for (var stranger : strangers.getOrDefault(method.getServiceName(), List.of()))
                assertThat(call(world.as(stranger), method))
                        .as(method.getFullMethodName())
                        .isEqualTo(known ? Status.Code.UNAUTHENTICATED : UNIMPLEMENTED);
        });

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void whoMayOnlyReadChangesNothing() throws Exception {
        var before = world.everything();

        for (var method : WebServiceGrpc.getServiceDescriptor().getMethods())
            if (WEB.getOrDefault(name(method), false)) {
                assertThat(call(world.as(World.person(HERE, "Viewer")), method))
                        .as(name(method))
                        .isEqualTo(Status.Code.PERMISSION_DENIED);
                assertThat(call(world.as(World.person(HERE, "Unheard of")), method))
                        .as(name(method))
                        .isEqualTo(Status.Code.PERMISSION_DENIED);
            }
        for (var method : APIServiceGrpc.getServiceDescriptor().getMethods())
            if (API.getOrDefault(name(method), false))
                assertThat(call(world.as(World.holder(HERE, false)), method))
                        .as(name(method))
                        .isEqualTo(Status.Code.PERMISSION_DENIED);
        for (var method : DeliveryServiceGrpc.getServiceDescriptor().getMethods())
            if (DELIVERY.getOrDefault(name(method), false))
                assertThat(call(world.as(World.holder(HERE, false)), method))
                        .as(name(method))
                        .isEqualTo(Status.Code.PERMISSION_DENIED);

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void whatBelongsToOtherProjectsDoesNotExist() throws Exception {
        var before = world.everything();

        for (var method : PipedServiceGrpc.getServiceDescriptor().getMethods())
            if (AGENT.containsKey(name(method)) && !WITHOUT_IDS.contains(name(method)))
                assertThat(call(world.as(here.agent()), method))
                        .as(name(method))
                        .isEqualTo(Status.Code.NOT_FOUND);
        for (var method : WebServiceGrpc.getServiceDescriptor().getMethods())
            if (WEB.containsKey(name(method)) && !WITHOUT_IDS.contains(name(method)))
                assertThat(call(world.as(World.person(HERE, "Admin")), method))
                        .as(name(method))
                        .isEqualTo(Status.Code.NOT_FOUND);
        for (var method : APIServiceGrpc.getServiceDescriptor().getMethods())
            if (API.containsKey(name(method)) && !WITHOUT_IDS.contains(name(method)))
                assertThat(call(world.as(World.holder(HERE, true)), method))
                        .as(name(method))
                        .isEqualTo(Status.Code.NOT_FOUND);
        for (var method : DeliveryServiceGrpc.getServiceDescriptor().getMethods())
            assertThat(call(world.as(World.holder(HERE, true)), method))
                    .as(name(method))
                    .isEqualTo(Status.Code.NOT_FOUND);

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void listsHoldNothingOfOthers() {
        for (var method : WebServiceGrpc.getServiceDescriptor().getMethods())
            if (WITHOUT_IDS.contains(name(method)) && name(method).startsWith("List"))
                assertNothingForeign(
                        answer(world.as(World.person(HERE, "Admin")), method, false).toString());
        for (var method : APIServiceGrpc.getServiceDescriptor().getMethods())
            if (WITHOUT_IDS.contains(name(method)) && name(method).startsWith("List"))
                assertNothingForeign(
                        answer(world.as(World.holder(HERE, true)), method, false).toString());
        for (var method : PipedServiceGrpc.getServiceDescriptor().getMethods())
            if (name(method).startsWith("List") && AGENT.containsKey(name(method)))
                assertNothingForeign(answer(world.as(here.agent()), method, false).toString());
    }

    private void assertNothingForeign(String answer) {
        for (var id :
                List.of(
                        "application_id",
                        "deployment_id",
                        "command_id",
                        "piped_id",
                        "event_id",
                        "deployment_chain_id")) assertThat(answer).doesNotContain(foreign.id(id));
        assertThat(answer).doesNotContain("their-commit");
        assertThat(answer).doesNotContain(ELSEWHERE.value());
    }

    @Test
    void everyRpcThatIsSaidToExistDoes() {
        for (var door :
                Map.of(
                                PipedServiceGrpc.getServiceDescriptor(), AGENT,
                                WebServiceGrpc.getServiceDescriptor(), WEB,
                                APIServiceGrpc.getServiceDescriptor(), API,
                                DeliveryServiceGrpc.getServiceDescriptor(), DELIVERY)
                        .entrySet())
            assertThat(door.getKey().getMethods().stream().map(EveryRpcTest::name))
                    .containsAll(door.getValue().keySet());
    }

    @Test
    void whatIsAbsentAndWhatIsNotYoursAreAnsweredAlike() {
        for (var door :
                Map.of(
                                PipedServiceGrpc.getServiceDescriptor(), here.agent(),
                                WebServiceGrpc.getServiceDescriptor(), World.person(HERE, "Admin"),
                                APIServiceGrpc.getServiceDescriptor(), World.holder(HERE, true),
                                DeliveryServiceGrpc.getServiceDescriptor(),
                                        World.holder(HERE, true))
                        .entrySet())
            for (var method : door.getKey().getMethods()) {
                var theirs = told(world.as(door.getValue()), method);
                var known = foreign;
                foreign = known.absent();
                var absent = told(world.as(door.getValue()), method);
                foreign = known;
                if (theirs.startsWith("NOT_FOUND"))
                    assertThat(known.withoutIds(theirs)).as(name(method)).isEqualTo(absent);
            }
    }

    private String told(Channel channel, MethodDescriptor<?, ?> method) {
        try {
            var _ = answer(channel, method, true);
            return "OK";
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode() + " " + e.getStatus().getDescription();
        }
    }

    private static final Status.Code UNIMPLEMENTED = Status.Code.UNIMPLEMENTED;

    private interface Check {
        void of(MethodDescriptor<?, ?> method, boolean known);
    }

    private static void everywhere(Check check) {
        each(PipedServiceGrpc.getServiceDescriptor().getMethods(), AGENT, check);
        each(WebServiceGrpc.getServiceDescriptor().getMethods(), WEB, check);
        each(APIServiceGrpc.getServiceDescriptor().getMethods(), API, check);
        each(DeliveryServiceGrpc.getServiceDescriptor().getMethods(), DELIVERY, check);
    }

    private static void each(
            Collection<MethodDescriptor<?, ?>> methods, Map<String, Boolean> known, Check check) {
        for (var method : methods) check.of(method, known.containsKey(name(method)));
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
