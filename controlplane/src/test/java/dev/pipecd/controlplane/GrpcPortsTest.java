// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.authz.AttributeContext;
import dev.pipecd.wire.authz.AuthorizationGrpc;
import dev.pipecd.wire.authz.CheckRequest;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc;
import dev.pipecd.wire.delivery.GetEventRequest;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.web.GetMeRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ClientCalls;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GrpcPortsTest {
    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = RunningServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"piped API", "gateway"})
    void anAgentIsServedOnItsOwnPortAndOnTheGateway(String port) {
        var answer =
                server.agent(port)
                        .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance());

        assertThat(answer.getCommands(0).getPipedId()).isEqualTo("piped-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"web API", "gateway"})
    void aPersonIsKnownByTheCookie(String port) {
        var me = me(port, "theme=dark; token=" + server.session() + "; other=1");

        assertThat(me.getSubject()).isEqualTo("hello-pipecd");
        assertThat(me.getProjectId()).isEqualTo("quickstart");
    }

    @ParameterizedTest
    @ValueSource(strings = {"API", "gateway"})
    void anApiKeyNamesItsHolder(String port) {
        var command =
                APIServiceGrpc.newBlockingStub(
                                server.channel(port, "authorization", "API-KEY id.secret"))
                        .getCommand(GetCommandRequest.newBuilder().setCommandId("c").build());

        assertThat(command.getCommand().getCommander()).isEqualTo("key:ci");
    }

    @ParameterizedTest
    @ValueSource(strings = {"API", "gateway"})
    void anApiKeyIsGoodForOurOwnServiceToo(String port) {
        var request = GetEventRequest.newBuilder().setEventId("e").build();

        var event =
                DeliveryServiceGrpc.newBlockingStub(
                                server.channel(port, "authorization", "API-KEY id.secret"))
                        .getEvent(request)
                        .getEvent();

        assertThat(event.getName()).isEqualTo("key:ci");
        assertThatThrownBy(() ->
                        DeliveryServiceGrpc.newBlockingStub(
                                        server.channel(port, "authorization", "API-KEY id.wrong"))
                                .getEvent(request))
                .hasMessageContaining("UNAUTHENTICATED");
    }

    @Test
    void oldClientsReachTheServicesUnderTheOldPackage() {
        var commands =
                old(
                        PipedServiceGrpc.getListUnhandledCommandsMethod(),
                        ListUnhandledCommandsRequest.getDefaultInstance(),
                        "authorization",
                        RunningServer.token("piped-1"));
        var me =
                old(
                        WebServiceGrpc.getGetMeMethod(),
                        GetMeRequest.getDefaultInstance(),
                        "cookie",
                        "token=" + server.session());
        var command =
                old(
                        APIServiceGrpc.getGetCommandMethod(),
                        GetCommandRequest.newBuilder().setCommandId("c").build(),
                        "authorization",
                        "API-KEY id.secret");

        assertThat(commands.getCommands(0).getPipedId()).isEqualTo("piped-1");
        assertThat(me.getSubject()).isEqualTo("hello-pipecd");
        assertThat(command.getCommand().getCommander()).isEqualTo("key:ci");
    }

    private static <A, R> R old(
            MethodDescriptor<A, R> method, A request, String header, String value) {
        return ClientCalls.blockingUnaryCall(
                server.channel("gateway", header, value),
                method.toBuilder()
                        .setFullMethodName(
                                method.getFullMethodName().replaceFirst("^grpc[.]", "pipe.api."))
                        .build(),
                CallOptions.DEFAULT,
                request);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    Bearer quickstart,piped-1,secret      | 0
                    Bearer quickstart,piped-1,wrong       | 7
                    Bearer quickstart,piped-1             | 7
                    PIPED-TOKEN quickstart,piped-1,secret | 7
                    ''                                    | 16
                    """)
    void aGatewayLearnsWhetherACallComesFromAnAgent(String header, int code) {
        var http = AttributeContext.HttpRequest.newBuilder().putHeaders("authorization", header);
        var asked = AttributeContext.newBuilder().getRequestBuilder().setHttp(http).build();

        var answer =
                AuthorizationGrpc.newBlockingStub(
                                server.channel("authorization", "x-request-id", "1"))
                        .check(
                                CheckRequest.newBuilder()
                                        .setAttributes(
                                                AttributeContext.newBuilder().setRequest(asked))
                                        .build());

        assertThat(answer.getStatus().getCode()).isEqualTo(code);
    }

    @Test
    void handlersRunBesideTheThreadsOfTheConnections() {
        assertThat(server.agent("gateway").reportStat(stat("")).getReportInterval()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    PIPED-TOKEN                                   | credentials is malformed
                    PIPED-TOKEN quickstart,piped-1,secret again   | credentials is malformed
                    BASIC quickstart,piped-1,secret               | unsupported credentials type
                    PIPED-TOKEN quickstart,piped-1                | Unauthenticated
                    PIPED-TOKEN quickstart,,secret                | Unauthenticated
                    PIPED-TOKEN quickstart,piped-1,wrong          | Unauthenticated
                    API-KEY id.secret                             | Unauthenticated
                    ID-TOKEN something                            | Unauthenticated
                    """)
    void badCredentialsAreRefusedInThePublicWords(String header, String text) {
        refused(server.channel("piped API", "authorization", header), text);
    }

    @Test
    void missingCredentialsAreRefusedInThePublicWords() {
        refused(server.channel("gateway"), "missing credentials in authorization");
    }

    private static void refused(Channel channel, String text) {
        assertThatThrownBy(() ->
                        PipedServiceGrpc.newBlockingStub(channel)
                                .listUnhandledCommands(
                                        ListUnhandledCommandsRequest.getDefaultInstance()))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessage("UNAUTHENTICATED: " + text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "token",
                ";;;",
                "=",
                "token=",
                "token=a.b",
                "token=a.b.c",
                "token=%%%.%%%.%%%",
                "x"
            })
    void aMalformedCookieIsRefusedAndNothingElseHappens(String cookie) {
        assertThatThrownBy(() -> me("gateway", cookie))
                .hasMessage("UNAUTHENTICATED: Unauthenticated");

        assertThat(me("gateway", "token=" + server.session()).getSubject())
                .isEqualTo("hello-pipecd");
    }

    @Test
    void aThousandWrongKeysDoNotHinderOthers() {
        var channel =
                server.channel("gateway", "authorization", "PIPED-TOKEN quickstart,piped-1,wrong");
        for (var i = 0; i < 1_000; i++) refused(channel, "Unauthenticated");

        assertThat(server.agent("gateway").reportStat(stat("")).getReportInterval()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"throw", "overflow", "error"})
    void aHandlerThatFailsTellsNothingOfItsInsidesAndTheServerLivesOn(String how) {
        assertThatThrownBy(() -> server.agent("gateway").reportStat(stat(how)))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> {
                            assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
                            assertThat(e.getStatus().getDescription())
                                    .doesNotContain("secret", "jdbc", "Exception", "deep");
                        });

        assertThat(server.agent("gateway").reportStat(stat("")).getReportInterval()).isEqualTo(1);
    }

    @Test
    void aProblemIsToldWithItsAdvice() {
        assertThatThrownBy(() -> server.agent("gateway").reportStat(stat("problem")))
                .hasMessage("NOT_FOUND: application: a1 (expected: one of yours). List them.");
    }

    @Test
    void aRequestThatBreaksARuleNeverReachesItsHandler() {
        assertThatThrownBy(() ->
                        server.agent("gateway")
                                .reportCommandHandled(
                                        ReportCommandHandledRequest.getDefaultInstance()))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageStartingWith("INVALID_ARGUMENT: invalid request: ");
    }

    @Test
    void aMessageOverFourMegabytesIsRefused() {
        var large =
                ReportStatRequest.newBuilder()
                        .setPipedStats(ByteString.copyFrom(new byte[4 * 1024 * 1024 + 1]))
                        .build();

        assertThatThrownBy(() -> server.agent("gateway").reportStat(large))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e ->
                                assertThat(e.getStatus().getCode())
                                        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
        assertThat(server.agent("gateway").reportStat(stat("")).getReportInterval()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"piped API", "web API", "API", "authorization", "gateway"})
    void balancersMayAskForHealthWithoutCredentials(String port) {
        var health =
                HealthGrpc.newBlockingStub(server.channel(port))
                        .check(HealthCheckRequest.getDefaultInstance());

        assertThat(health.getStatus()).isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
    }

    @Test
    void aServiceNobodyOffersIsUnimplemented() {
        var method =
                PipedServiceGrpc.getReportStatMethod().toBuilder()
                        .setFullMethodName(
                                "opentelemetry.proto.collector.trace.v1.TraceService/Export")
                        .build();

        assertThatThrownBy(() ->
                        ClientCalls.blockingUnaryCall(
                                server.channel("gateway"), method, CallOptions.DEFAULT, stat("")))
                .hasMessage("UNIMPLEMENTED: this server does not offer that method");
        assertThatThrownBy(() ->
                        ClientCalls.blockingUnaryCall(
                                server.channel("piped API"), method, CallOptions.DEFAULT, stat("")))
                .hasMessage("UNIMPLEMENTED: There is nothing here.");
    }

    @Test
    void aDeploymentThatAnAgentOpensIsCountedForItsProject() throws Exception {
        var agent = World.agent(RunningServer.PROJECT, new PipedId("piped-1"));
        var _ =
                server.agent("gateway")
                        .createDeployment(
                                CreateDeploymentRequest.newBuilder()
                                        .setDeployment(Samples.whole("d1", "a1", agent))
                                        .build());

        assertThat(server.get("admin", "/metrics").body())
                .contains(
                        "grpcapi_create_deployment_total{pipecd_component=\"server\",project=\"quickstart\"} 1.0");
    }

    @Test
    void callsAreCountedOnTheAdminPort() throws Exception {
        var _ = server.agent("gateway").reportStat(stat(""));

        assertThat(server.get("admin", "/metrics").body())
                .containsPattern(
                        "grpc_server_started_total\\{grpc_method=\"ReportStat\",grpc_service=\"grpc.service.pipedservice.PipedService\",grpc_type=\"unary\",pipecd_component=\"server\"\\} [1-9]")
                .containsPattern(
                        "grpc_server_handled_total\\{grpc_code=\"OK\",grpc_method=\"ReportStat\"");
    }

    private static dev.pipecd.wire.web.GetMeResponse me(String port, String cookie) {
        return WebServiceGrpc.newBlockingStub(server.channel(port, "cookie", cookie))
                .getMe(GetMeRequest.getDefaultInstance());
    }

    private static ReportStatRequest stat(String text) {
        return ReportStatRequest.newBuilder()
                .setPipedStats(ByteString.copyFrom(text, UTF_8))
                .build();
    }
}
