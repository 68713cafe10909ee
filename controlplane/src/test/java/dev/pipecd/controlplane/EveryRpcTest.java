// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.ELSEWHERE;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.model.SyncStrategy;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportDeploymentStatusChangedRequest;
import dev.pipecd.wire.piped.ReportStageLogsRequest;
import dev.pipecd.wire.piped.ReportStageStatusChangedRequest;
import dev.pipecd.wire.web.SyncApplicationRequest;
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
                """
                        .trim()
                        .split("\\s+")) AGENT.put(name, true);
        for (var name :
                """
                ListApplications GetApplicationMostRecentDeployment GetDeployment
                ListNotCompletedDeployments ListUnhandledCommands GetDesiredVersion
                GetApplicationSharedObject
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
                """
                        .trim()
                        .split("\\s+")) WEB.put(name, true);
        for (var name :
                """
                GetMe GetProject GetInsightData GetInsightApplicationCount ListApplications GetApplication ListUnregisteredApplications
                ListDeployments GetDeployment GetStageLog GetCommand ListPipeds GetPiped ListAPIKeys
                """
                        .trim()
                        .split("\\s+")) WEB.put(name, false);
        for (var name :
                "AddApplication SyncApplication RegisterPiped EnablePiped DisablePiped".split(" "))
            API.put(name, true);
        for (var name :
                """
                GetApplication ListApplications GetDeployment ListDeployments GetCommand
                ListStageLogs GetPiped
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
                    "UpdateProjectRBACRole");

    @TempDir Path folder;
    private World world;
    private Samples.Home here;
    private final Map<String, String> foreign = new HashMap<>();

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        here = Samples.home(world, HERE);
        var there = Samples.home(world, ELSEWHERE);
        there.create("d-there");
        there.plan("d-there");
        var _ =
                there.calls()
                        .reportDeploymentStatusChanged(
                                ReportDeploymentStatusChangedRequest.newBuilder()
                                        .setDeploymentId("d-there")
                                        .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING)
                                        .build());
        var _ =
                there.calls()
                        .reportStageStatusChanged(
                                ReportStageStatusChangedRequest.newBuilder()
                                        .setDeploymentId("d-there")
                                        .setStageId("s2")
                                        .setStatus(StageStatus.STAGE_RUNNING)
                                        .setCompletedAt(1)
                                        .build());
        var _ =
                there.calls()
                        .reportStageLogs(
                                ReportStageLogsRequest.newBuilder()
                                        .setDeploymentId("d-there")
                                        .setStageId("s2")
                                        .addBlocks(Samples.line(1, "secret"))
                                        .build());
        var admin = World.person(ELSEWHERE, "Admin");
        var command =
                WebServiceGrpc.newBlockingStub(world.as(admin))
                        .syncApplication(
                                SyncApplicationRequest.newBuilder()
                                        .setApplicationId(there.application())
                                        .setSyncStrategy(SyncStrategy.AUTO)
                                        .build())
                        .getCommandId();
        var key = world.features.apiKeys().generate(admin, "theirs", APIKey.Role.READ_WRITE);
        foreign.put("application_id", there.application());
        foreign.put("deployment_id", "d-there");
        foreign.put("stage_id", "s2");
        foreign.put("command_id", command);
        foreign.put("piped_id", there.piped().value());
        foreign.put("project_id", ELSEWHERE.value());
        foreign.put("api_key_id", key.substring(0, 36));
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

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void whatBelongsToOthersDoesNotExistForPeopleAndIsDeniedToAgents() throws Exception {
        var before = world.everything();

        for (var method : PipedServiceGrpc.getServiceDescriptor().getMethods())
            if (AGENT.containsKey(name(method)) && !WITHOUT_IDS.contains(name(method)))
                assertThat(call(world.as(here.agent()), method))
                        .as(name(method))
                        .isEqualTo(Status.Code.PERMISSION_DENIED);
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

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void listsHoldNothingOfOthers() {
        for (var method : WebServiceGrpc.getServiceDescriptor().getMethods())
            if (name(method).startsWith("List") && WEB.containsKey(name(method)))
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
        for (var id : List.of("application_id", "deployment_id", "command_id", "piped_id"))
            assertThat(answer).doesNotContain(foreign.get(id));
        assertThat(answer).doesNotContain(ELSEWHERE.value());
    }

    @Test
    void everyRpcThatIsSaidToExistDoes() {
        for (var door :
                Map.of(
                                PipedServiceGrpc.getServiceDescriptor(), AGENT,
                                WebServiceGrpc.getServiceDescriptor(), WEB,
                                APIServiceGrpc.getServiceDescriptor(), API)
                        .entrySet())
            assertThat(door.getKey().getMethods().stream().map(EveryRpcTest::name))
                    .containsAll(door.getValue().keySet());
    }

    private static final Status.Code UNIMPLEMENTED = Status.Code.UNIMPLEMENTED;

    private interface Check {
        void of(MethodDescriptor<?, ?> method, boolean known);
    }

    private static void everywhere(Check check) {
        each(PipedServiceGrpc.getServiceDescriptor().getMethods(), AGENT, check);
        each(WebServiceGrpc.getServiceDescriptor().getMethods(), WEB, check);
        each(APIServiceGrpc.getServiceDescriptor().getMethods(), API, check);
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
        var request = withIds ? filled(prototype, name(method)) : prototype;
        return ClientCalls.blockingUnaryCall(channel, typed, CallOptions.DEFAULT, request);
    }

    /// A request that is right in form and names everything by the other project's ids.
    private Message filled(Message prototype, String method) {
        var builder = prototype.newBuilderForType();
        for (var field : builder.getDescriptorForType().getFields()) {
            if (field.isMapField()) continue;
            if (field.getJavaType() == FieldDescriptor.JavaType.STRING && !field.isRepeated())
                builder.setField(field, text(field, method));
            else if (field.getJavaType() == FieldDescriptor.JavaType.LONG && !field.isRepeated())
                builder.setField(field, 1L);
            else if (field.getName().equals("status")
                    && field.getJavaType() == FieldDescriptor.JavaType.ENUM
                    && method.startsWith("Report"))
                builder.setField(field, field.getEnumType().findValueByNumber(2));
            else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    && !field.getMessageType().getFullName().contains("BoolValue")) {
                var nested = filled(builder.newBuilderForField(field).build(), method);
                if (field.isRepeated()) builder.addRepeatedField(field, nested);
                else builder.setField(field, nested);
            }
        }
        return builder.build();
    }

    private String text(FieldDescriptor field, String method) {
        var message = field.getContainingType().getName();
        if (field.getName().equals("id") && !message.endsWith("Repository"))
            return switch (method) {
                case "RecreatePipedKey" -> foreign.getOrDefault("piped_id", "");
                case "DisableAPIKey" -> foreign.getOrDefault("api_key_id", "");
                case "UpdateApplicationConfigurations" ->
                        foreign.getOrDefault("application_id", "");
                default -> foreign.getOrDefault("deployment_id", "");
            };
        if (field.getName().equals("path")) return "some/folder";
        if (field.getName().equals("cursor")) return "";
        return foreign.getOrDefault(field.getName(), "demo");
    }
}
