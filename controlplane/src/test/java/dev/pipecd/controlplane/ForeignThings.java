// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.ELSEWHERE;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.model.SyncStrategy;
import dev.pipecd.wire.piped.GetDeploymentRequest;
import dev.pipecd.wire.piped.ReportDeploymentStatusChangedRequest;
import dev.pipecd.wire.piped.ReportStageLogsRequest;
import dev.pipecd.wire.piped.ReportStageStatusChangedRequest;
import dev.pipecd.wire.web.SyncApplicationRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.util.HashMap;
import java.util.Map;

/// Things of another project or agent, and requests that name them.
record ForeignThings(Map<String, String> ids) {
    private static final String ABSENT = "00000000-0000-4000-8000-ffffffffffff";

    static ForeignThings in(World world) {
        return of(world, Samples.home(world, ELSEWHERE), "d-there");
    }

    /// @param there whose things they are
    /// @param deployment the id that one of them gets
    static ForeignThings of(World world, Samples.Home there, String deployment) {
        var ids = new HashMap<String, String>();
        var chained = deployment + "-chained";
        there.create(deployment);
        there.plan(deployment);
        var _ =
                there.calls()
                        .reportDeploymentStatusChanged(
                                ReportDeploymentStatusChangedRequest.newBuilder()
                                        .setDeploymentId(deployment)
                                        .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING)
                                        .build());
        var _ =
                there.calls()
                        .reportStageStatusChanged(
                                ReportStageStatusChangedRequest.newBuilder()
                                        .setDeploymentId(deployment)
                                        .setStageId("s2")
                                        .setStatus(StageStatus.STAGE_RUNNING)
                                        .setCompletedAt(1)
                                        .build());
        var _ =
                there.calls()
                        .reportStageLogs(
                                ReportStageLogsRequest.newBuilder()
                                        .setDeploymentId(deployment)
                                        .setStageId("s2")
                                        .addBlocks(Samples.line(1, "secret"))
                                        .build());
        var admin = World.person(there.project(), "Admin");
        var command =
                WebServiceGrpc.newBlockingStub(world.as(admin))
                        .syncApplication(
                                SyncApplicationRequest.newBuilder()
                                        .setApplicationId(there.application())
                                        .setSyncStrategy(SyncStrategy.AUTO)
                                        .build())
                        .getCommandId();
        var key = world.features.apiKeys().generate(admin, "theirs", APIKey.Role.READ_WRITE);
        var holder = APIServiceGrpc.newBlockingStub(world.as(World.holder(there.project(), true)));
        var event =
                holder.registerEvent(
                                RegisterEventRequest.newBuilder()
                                        .setName("their image")
                                        .setData("1.2.3")
                                        .setCommitHash("their-commit")
                                        .setCommitUrl("https://git.example/their-commit")
                                        .build())
                        .getEventId();
        there.chain(chained);
        ids.put("event_id", event);
        ids.put(
                "deployment_chain_id",
                there.calls()
                        .getDeployment(GetDeploymentRequest.newBuilder().setId(chained).build())
                        .getDeployment()
                        .getDeploymentChainId());
        ids.put("application_id", there.application());
        ids.put("deployment_id", deployment);
        ids.put("stage_id", "s2");
        ids.put("command_id", command);
        ids.put("piped_id", there.piped().value());
        ids.put("project_id", there.project().value());
        ids.put("api_key_id", key.substring(0, 36));
        return new ForeignThings(ids);
    }

    String id(String name) {
        return ids.getOrDefault(name, "");
    }

    /// As if nobody had them.
    ForeignThings absent() {
        var nowhere = new HashMap<>(ids);
        nowhere.replaceAll((_, _) -> ABSENT);
        return new ForeignThings(nowhere);
    }

    /// An answer that names them, as it would be if nobody had them.
    String withoutIds(String answer) {
        var cleaned = answer;
        for (var id : ids.values()) cleaned = cleaned.replace(id, ABSENT);
        return cleaned;
    }

    /// A request that is right in form and names everything by the other project's ids.
    Message named(Message prototype, String method) {
        var builder = prototype.newBuilderForType();
        for (var field : builder.getDescriptorForType().getFields()) {
            if (field.isMapField()) continue;
            if (field.getJavaType() == FieldDescriptor.JavaType.STRING && field.isRepeated())
                builder.addRepeatedField(field, listed(field));
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
                var nested = named(builder.newBuilderForField(field).build(), method);
                if (field.isRepeated()) builder.addRepeatedField(field, nested);
                else builder.setField(field, nested);
            }
        }
        return builder.build();
    }

    private String listed(FieldDescriptor field) {
        return switch (field.getName()) {
            case "application_ids" -> ids.getOrDefault("application_id", "");
            case "piped_ids" -> ids.getOrDefault("piped_id", "");
            case "via" -> "WEB";
            case "commands" -> ids.getOrDefault("command_id", "");
            default -> "demo";
        };
    }

    private String text(FieldDescriptor field, String method) {
        var message = field.getContainingType().getName();
        if (field.getName().equals("id") && !message.endsWith("Repository"))
            return switch (method) {
                case "RecreatePipedKey" -> ids.getOrDefault("piped_id", "");
                case "DisableAPIKey" -> ids.getOrDefault("api_key_id", "");
                case "UpdateApplicationConfigurations" -> ids.getOrDefault("application_id", "");
                case "ReportEventStatuses" -> ids.getOrDefault("event_id", "");
                default -> ids.getOrDefault("deployment_id", "");
            };
        if (field.getName().equals("path")) return "some/folder";
        if (field.getName().equals("cursor")) return "";
        return ids.getOrDefault(field.getName(), "demo");
    }
}
