// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.pipecd.wire.audit.AuditEntry;
import dev.pipecd.wire.audit.AuditServiceGrpc;
import dev.pipecd.wire.audit.ListAuditEntriesRequest;
import dev.pipecd.wire.authz.AuthorizationGrpc;
import dev.pipecd.wire.authz.CheckRequest;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.rules.RequestRules;
import dev.pipecd.wire.web.DisableAPIKeyRequest;
import dev.pipecd.wire.web.DisablePipedRequest;
import dev.pipecd.wire.web.GenerateAPIKeyRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every call of every door of a whole server, as callers with wrong credentials and careless ones
/// make it.
final class EveryRequestTest {
    private static final String CONFIG =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: ControlPlane
            spec:
              projects:
                - id: here
                  staticAdmin:
                    username: ann
                    passwordHash: "%s"
            """
                    .formatted(BCrypt.withDefaults().hashToString(4, "secret".toCharArray()));
    private static final RequestRules RULES = new RequestRules();

    @TempDir private static Path folder;
    private static ControlPlane server;
    private static ManagedChannel channel;
    private static ManagedChannel authorization;
    private static Channel people;
    private static Channel agent;
    private static Channel keyHolder;

    @BeforeAll
    static void start() throws Exception {
        Files.writeString(folder.resolve("control-plane.yaml"), CONFIG);
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        server = ControlPlane.start(options());
        var port = server.port("gateway").orElseThrow();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        authorization =
                NettyChannelBuilder.forAddress(
                                "127.0.0.1", server.port("authorization").orElseThrow())
                        .usePlaintext()
                        .build();
        people = with("cookie", login(port));
        var calls = WebServiceGrpc.newBlockingStub(people);
        var piped = calls.registerPiped(RegisterPipedRequest.newBuilder().setName("p").build());
        agent = with("authorization", "PIPED-TOKEN here," + piped.getId() + "," + piped.getKey());
        keyHolder = with("authorization", "API-KEY " + key("ours"));
    }

    private static ServerOptions options() {
        var usual = ControlPlaneTest.options(folder, true);
        return new ServerOptions(
                new ServerOptions.Numbers(-1, -1, -1, -1, -1, 0, ServerOptions.Gateway.at(0)),
                usual.listening(),
                usual.places(),
                usual.trust(),
                usual.metrics(),
                usual.reflection(),
                usual.releases());
    }

    @AfterAll
    static void stop() {
        authorization.shutdownNow();
        channel.shutdownNow();
        server.close();
    }

    private static String login(int port) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            var request =
                    HttpRequest.newBuilder(
                                    URI.create("http://127.0.0.1:" + port + "/auth/login/static"))
                            .POST(
                                    HttpRequest.BodyPublishers.ofString(
                                            "project=here&username=ann&password=secret"))
                            .build();
            return http.send(request, HttpResponse.BodyHandlers.discarding())
                    .headers()
                    .firstValue("set-cookie")
                    .orElseThrow()
                    .replaceFirst(";.*", "");
        }
    }

    private static String key(String name) {
        return WebServiceGrpc.newBlockingStub(people)
                .generateAPIKey(
                        GenerateAPIKeyRequest.newBuilder()
                                .setName(name)
                                .setRole(APIKey.Role.READ_WRITE)
                                .build())
                .getKey();
    }

    private static Channel with(String header, String value) {
        return RunningServer.withHeaders(channel, header, value);
    }

    @Test
    void everyServiceThatTheServerTellsOfIsLookedAt() throws Exception {
        var wanted = new ArrayList<>(Doors.ALL.stream().map(ServiceDescriptor::getName).toList());
        wanted.addAll(
                List.of(
                        "grpc.health.v1.Health",
                        "grpc.reflection.v1.ServerReflection",
                        "grpc.reflection.v1alpha.ServerReflection"));

        assertThat(ReflectionTest.services(channel))
                .extracting(name -> name.replace("pipe.api.service.", "grpc.service."))
                .containsOnlyElementsOf(wanted)
                .containsAll(wanted);
        assertThat(ReflectionTest.services(authorization))
                .filteredOn(name -> !wanted.contains(name))
                .containsExactlyElementsOf(
                        Doors.FOR_GATEWAYS.stream().map(ServiceDescriptor::getName).toList());
    }

    /// It asks nobody who he is, and so must never take somebody for an agent.
    @Test
    void aGatewayIsToldYesForTheCredentialsOfAnAgentThatMayComeInAndForNothingElse()
            throws Exception {
        var calls = WebServiceGrpc.newBlockingStub(people);
        var piped = calls.registerPiped(RegisterPipedRequest.newBuilder().setName("r").build());
        var good = "Bearer here,%s,%s".formatted(piped.getId(), piped.getKey());
        var session = login(server.port("gateway").orElseThrow());

        assertThat(verdict(good)).isEqualTo(Status.Code.OK);
        for (var header :
                List.of(
                        "Bearer",
                        "Bearer here,%s,".formatted(piped.getId()),
                        "Bearer there,%s,%s".formatted(piped.getId(), piped.getKey()),
                        "Bearer here,nobody," + piped.getKey(),
                        "PIPED-TOKEN here,%s,%s".formatted(piped.getId(), piped.getKey()),
                        "API-KEY " + key("at the wrong door"),
                        "Bearer " + session.replace("token=", ""),
                        session,
                        good + ",more",
                        good.toLowerCase(Locale.ROOT)))
            assertThat(verdict(header)).as(header).isEqualTo(Status.Code.PERMISSION_DENIED);
        assertThat(verdict(" ")).isEqualTo(Status.Code.UNAUTHENTICATED);
        var _ =
                calls.disablePiped(
                        DisablePipedRequest.newBuilder().setPipedId(piped.getId()).build());
        assertThat(verdict(good)).isEqualTo(Status.Code.PERMISSION_DENIED);
    }

    private static Status.Code verdict(String header) {
        var asked = CheckRequest.newBuilder();
        asked.getAttributesBuilder()
                .getRequestBuilder()
                .getHttpBuilder()
                .putHeaders("authorization", header);
        var answer = AuthorizationGrpc.newBlockingStub(authorization).check(asked.build());
        return Status.fromCodeValue(answer.getStatus().getCode()).getCode();
    }

    @Test
    void withoutCredentialsOrWithBrokenOnesEveryCallIsUnauthenticated() {
        var broken =
                List.of(
                        channel,
                        with("authorization", "PIPED-TOKEN"),
                        with("authorization", "PIPED-TOKEN here,nobody,key"),
                        with("authorization", "API-KEY nonsense"),
                        with("authorization", "MAGIC wand"),
                        with("cookie", "token"),
                        with("cookie", "token=a.b.c; x"));
        for (var door : Doors.ALL)
            for (var method : door.getMethods())
                for (var caller : broken)
                    assertThat(code(caller, method, empty(method)))
                            .as(method.getFullMethodName())
                            .isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    @Test
    void whoIsGoodAtOneDoorIsUnauthenticatedAtTheOthers() {
        unauthenticated(Doors.FOR_AGENTS, people);
        unauthenticated(Doors.FOR_AGENTS, keyHolder);
        unauthenticated(Doors.FOR_PEOPLE, agent);
        unauthenticated(Doors.FOR_PEOPLE, keyHolder);
        unauthenticated(Doors.FOR_KEYS, agent);
        unauthenticated(Doors.FOR_KEYS, people);
    }

    @Test
    void aKeyAnAgentOrASessionThatWasTakenBackIsUnauthenticatedEverywhere() throws Exception {
        var calls = WebServiceGrpc.newBlockingStub(people);
        var key = key("taken back");
        var _ =
                calls.disableAPIKey(
                        DisableAPIKeyRequest.newBuilder()
                                .setId(key.replaceFirst("\\..*", ""))
                                .build());
        var piped = calls.registerPiped(RegisterPipedRequest.newBuilder().setName("q").build());
        var _ =
                calls.disablePiped(
                        DisablePipedRequest.newBuilder().setPipedId(piped.getId()).build());
        var holder = with("authorization", "API-KEY " + key);
        var disabled =
                with("authorization", "PIPED-TOKEN here," + piped.getId() + "," + piped.getKey());

        var port = server.port("gateway").orElseThrow();
        var session = login(port);
        logout(port, session);

        unauthenticated(Doors.FOR_KEYS, holder);
        unauthenticated(Doors.FOR_AGENTS, disabled);
        unauthenticated(Doors.FOR_PEOPLE, with("cookie", session));
    }

    private static void unauthenticated(List<ServiceDescriptor> doors, Channel caller) {
        for (var door : doors)
            for (var method : door.getMethods())
                assertThat(code(caller, method, empty(method)))
                        .as(method.getFullMethodName())
                        .isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    private static void logout(int port, String session) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            var request =
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/auth/logout"))
                            .header("cookie", session)
                            .build();
            http.send(request, HttpResponse.BodyHandlers.discarding());
        }
    }

    @Test
    void everyRequiredFieldThatIsMissingIsNamedAndNothingIsDone() {
        var before = deeds();
        var missing = new ArrayList<String>();
        for (var door : Doors.ALL)
            for (var method : door.getMethods())
                for (var request : lacking(filled(empty(method)))) {
                    var otherFaults = RULES.check(filled(empty(method))).size();
                    if (RULES.check(request.message()).size() <= otherFaults) continue;
                    missing.add(method.getFullMethodName() + " " + request.path());
                    assertThat(told(caller(door), method, request.message()))
                            .as(method.getFullMethodName() + " " + request.path())
                            .startsWith("INVALID_ARGUMENT")
                            .contains(request.path().replaceFirst(".*[.]", ""));
                }
        assertThat(missing).hasSizeGreaterThan(100).anyMatch(path -> path.contains(" deployment."));
        assertThat(deeds()).isEqualTo(before);
    }

    /// All that people, keys and agents have done, by the trail.
    private static List<AuditEntry> deeds() {
        return AuditServiceGrpc.newBlockingStub(people)
                .listAuditEntries(
                        ListAuditEntriesRequest.newBuilder()
                                .addAllVia(List.of("WEB", "API", "AGENT"))
                                .setPageSize(500)
                                .build())
                .getEntriesList();
    }

    private static Channel caller(ServiceDescriptor door) {
        if (Doors.FOR_AGENTS.contains(door)) return agent;
        return Doors.FOR_PEOPLE.contains(door) ? people : keyHolder;
    }

    /// Everything but one field, at any depth.
    private static List<Lacking> lacking(Message whole) {
        var found = new ArrayList<Lacking>();
        for (var field : whole.getDescriptorForType().getFields()) {
            found.add(new Lacking(field.getName(), whole.toBuilder().clearField(field).build()));
            if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE || field.isMapField())
                continue;
            var inner =
                    (Message)
                            (field.isRepeated()
                                    ? whole.getRepeatedField(field, 0)
                                    : whole.getField(field));
            for (var less : lacking(inner)) {
                var request = whole.toBuilder().clearField(field);
                put(request, field, less.message());
                found.add(new Lacking(field.getName() + "." + less.path(), request.build()));
            }
        }
        return found;
    }

    private record Lacking(String path, Message message) {}

    private static Message filled(Message prototype) {
        var builder = prototype.newBuilderForType();
        for (var field : prototype.getDescriptorForType().getFields()) {
            if (field.isMapField()) continue;
            switch (field.getJavaType()) {
                case STRING -> put(builder, field, "vab");
                case LONG -> put(builder, field, 2L);
                case INT -> put(builder, field, 2);
                case ENUM -> put(builder, field, field.getEnumType().getValues().getLast());
                case MESSAGE -> put(builder, field, filled(nested(builder, field)));
                case BOOLEAN, FLOAT, DOUBLE, BYTE_STRING -> {}
            }
        }
        return builder.build();
    }

    private static Message nested(Message.Builder builder, FieldDescriptor field) {
        return builder.newBuilderForField(field).build();
    }

    private static void put(Message.Builder builder, FieldDescriptor field, Object value) {
        if (field.isRepeated()) builder.addRepeatedField(field, value);
        else builder.setField(field, value);
    }

    private static Message empty(MethodDescriptor<?, ?> method) {
        return (Message)
                Objects.requireNonNull(
                        ((PrototypeMarshaller<?>) method.getRequestMarshaller())
                                .getMessagePrototype());
    }

    private static Status.Code code(
            Channel caller, MethodDescriptor<?, ?> method, Message request) {
        return Status.Code.valueOf(told(caller, method, request).replaceFirst(" .*", ""));
    }

    @SuppressWarnings("unchecked")
    private static String told(Channel caller, MethodDescriptor<?, ?> method, Message request) {
        try {
            var _ =
                    ClientCalls.blockingUnaryCall(
                            caller,
                            (MethodDescriptor<Message, Message>) method,
                            CallOptions.DEFAULT,
                            request);
            return "OK ";
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode() + " " + e.getStatus().getDescription();
        }
    }
}
