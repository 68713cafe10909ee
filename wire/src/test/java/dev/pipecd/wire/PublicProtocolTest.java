// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PublicProtocolTest {
    @Test
    void everyFileIsCompiled() throws IOException {
        assertThat(ProtoFiles.all().keySet()).containsExactlyElementsOf(ProtoFiles.onDisk());
    }

    /// Asked of the files, of which there are few: generated classes are most of all our classes.
    @Test
    void generatedPackagesHaveNoCycles() {
        var arrows = new TreeMap<String, Set<String>>();
        for (var file : ProtoFiles.all().values())
            for (var seen : file.getDependencies())
                arrows.computeIfAbsent(javaPackage(file), _ -> new TreeSet<>())
                        .add(javaPackage(seen));
        arrows.forEach((from, to) -> to.remove(from));

        // A package that sees none of those that are left cannot be part of a cycle.
        while (arrows.values().removeIf(to -> to.stream().noneMatch(arrows::containsKey))) continue;

        assertThat(arrows).isEmpty();
    }

    private static String javaPackage(FileDescriptor file) {
        return file.getOptions().getJavaPackage();
    }

    @Test
    void everyServiceHasItsPublicNameAndNumberOfCalls() {
        var calls =
                ProtoFiles.all().values().stream()
                        .flatMap(file -> file.getServices().stream())
                        .collect(
                                Collectors.toMap(
                                        ServiceDescriptor::getFullName,
                                        service -> service.getMethods().size()));

        assertThat(calls)
                .containsOnly(
                        entry("grpc.service.pipedservice.PipedService", 36),
                        entry("grpc.service.webservice.WebService", 51),
                        entry("grpc.service.apiservice.APIService", 23),
                        entry("grpc.plugin.deploymentapi.v1alpha1.DeploymentService", 6),
                        entry("grpc.plugin.livestateapi.v1alpha1.LivestateService", 1),
                        entry("grpc.plugin.planpreviewapi.v1alpha1.PlanPreviewService", 1),
                        entry("grpc.piped.service.PluginService", 13),
                        entry("pipecd.delivery.v1.DeliveryService", 4),
                        entry("envoy.service.auth.v3.Authorization", 1),
                        entry("pipecd.link.v1.LinkService", 4),
                        entry("pipecd.health.v1.HealthService", 1),
                        entry("pipecd.session.v1.SessionService", 4),
                        entry("pipecd.audit.v1.AuditService", 1),
                        entry("pipecd.plugin.v1.PluginDescription", 1),
                        entry("pipecd.plugin.v1.StageControl", 1),
                        entry("pipecd.plugin.v1.SupervisionService", 3));
    }

    @Test
    void everyPublicCallIsUnary() {
        var streaming =
                ProtoFiles.all().values().stream()
                        .flatMap(file -> file.getServices().stream())
                        .flatMap(service -> service.getMethods().stream())
                        .filter(call -> call.isClientStreaming() || call.isServerStreaming())
                        .map(MethodDescriptor::getFullName);

        assertThat(streaming).containsExactly("pipecd.link.v1.LinkService.Watch");
    }

    @Test
    void fieldsHaveTheirPublicNumbersAndTypes() {
        assertThat(publicFields())
                .contains(
                        "model.Application.git_path 7 model.ApplicationGitPath",
                        "model.Application.deploy_targets_by_plugin 16 map<string,model.DeployTargets>",
                        "model.Command.metadata 21 map<string,string>",
                        "model.Deployment.metadata_v2 34 model.DeploymentMetadata",
                        "model.Deployment.stages 32 repeated model.PipelineStage",
                        "model.Deployment.status 30 model.DeploymentStatus",
                        "model.PipelineStage.authorized_operators 17 repeated string",
                        "model.LogBlock.created_at 14 int64",
                        "grpc.service.apiservice.ListApplicationsRequest.cursor 10 string",
                        "grpc.service.apiservice.ListStageLogsResponse.stage_logs 1 map<string,grpc.service.apiservice.StageLog>",
                        "grpc.service.pipedservice.ReportCommandHandledRequest.output 5 bytes");
    }

    /// Agents, plugins and command lines of others speak these fields: none may change. A new field
    /// changes our own packages only.
    @Test
    void noPublicFieldHasChanged() throws NoSuchAlgorithmException {
        var text = String.join("\n", publicFields());

        assertThat(publicFields()).hasSize(949);
        assertThat(sha256(text))
                .as("digest of the public fields:\n%s", text)
                .isEqualTo("feffb3fd9943826938f66c203adcc222d215428620931cd99364aa3c48047ce2");
    }

    private static List<String> publicFields() {
        return ProtoFiles.messages().stream()
                .filter(type -> !type.getFullName().matches("(pipecd|envoy)\\..*"))
                .flatMap(type -> type.getFields().stream())
                .map(field -> field.getFullName() + " " + field.getNumber() + " " + type(field))
                .sorted()
                .toList();
    }

    private static String type(FieldDescriptor field) {
        if (field.isMapField())
            return "map<"
                    + type(field.getMessageType().findFieldByNumber(1))
                    + ","
                    + type(field.getMessageType().findFieldByNumber(2))
                    + ">";
        var name =
                switch (field.getJavaType()) {
                    case MESSAGE -> field.getMessageType().getFullName();
                    case ENUM -> field.getEnumType().getFullName();
                    default -> field.getType().name().toLowerCase(Locale.ROOT);
                };
        return field.isRepeated() ? "repeated " + name : name;
    }

    private static String sha256(String text) throws NoSuchAlgorithmException {
        return HexFormat.of()
                .formatHex(
                        MessageDigest.getInstance("SHA-256")
                                .digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}
