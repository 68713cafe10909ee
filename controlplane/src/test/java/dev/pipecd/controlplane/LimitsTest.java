// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.controlplane.store.TestDatabases;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.WatchRequest;
import dev.pipecd.wire.piped.ReportStatRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Limits that hold before anybody has said who they are; none of these callers has credentials.
final class LimitsTest {
    private static final Duration SHORT = Duration.ofMillis(700);
    private static final String OWNERS = "owner's pages";

    @TempDir private static Path folder;
    private static RunningServer server;
    private static ControlPlane owned;
    private static Ops ops;
    private static int ownersPort;

    @BeforeAll
    static void start() throws IOException {
        server = RunningServer.start(RunningServer.Choices.usual().with(SHORT));
        ownersPort = free();
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        Files.writeString(
                folder.resolve("control-plane.yaml"),
                """
                apiVersion: pipecd.dev/v1beta1
                kind: ControlPlane
                spec:
                  datastore: %s
                  ops: {port: %d, owner: {username: olga, passwordHash: unused}}
                """
                        .formatted(TestDatabases.mariaDb(), ownersPort));
        var listening =
                new Ports.Settings(
                        Optional.of("127.0.0.1"), Optional.empty(), Duration.ofSeconds(1), SHORT);
        var usual = ControlPlaneTest.options(folder);
        owned =
                ControlPlane.start(
                        new ServerOptions(
                                usual.ports(),
                                listening,
                                usual.places(),
                                usual.trust(),
                                usual.metrics(),
                                usual.reflection(),
                                usual.releases()));
        var usually = OpsTest.options(folder, "");
        ops =
                Ops.start(
                        new OpsOptions(
                                usually.ports(),
                                listening,
                                usually.places(),
                                usually.trust(),
                                usually.metrics()));
    }

    private static int free() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @AfterAll
    static void stop() {
        ops.close();
        owned.close();
        server.close();
    }

    private static int number(String port) {
        if (port.equals(OWNERS)) return ownersPort;
        return port.startsWith("ops ")
                ? ops.port(port.substring(4)).orElseThrow()
                : server.port(port);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gateway",
                "HTTP",
                "piped API",
                "web API",
                "API",
                "authorization",
                "admin",
                OWNERS,
                "ops HTTP",
                "ops admin"
            })
    void whoConnectsAndSaysNothingIsHungUpOn(String port) throws Exception {
        try (var socket = connected(port)) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void whoSaysALetterNowAndThenIsHungUpOn() throws Exception {
        try (var socket = connected("gateway")) {
            var said = 0;
            try {
                while (said < 1_000) {
                    socket.getOutputStream().write("G".getBytes(UTF_8));
                    said++;
                    socket.setSoTimeout(100);
                    if (heard(socket)) break;
                }
            } catch (SocketException e) {
                // it hung up while we wrote
            }
            assertThat(said).isLessThan(1_000);
        }
    }

    private static boolean heard(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() <= 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP",
                "piped API",
                "web API",
                "API",
                "authorization",
                "admin",
                OWNERS,
                "ops HTTP",
                "ops admin"
            })
    void aBodyThatNeverComesIsNotWaitedForOnTheOtherPorts(String port) throws Exception {
        try (var socket = connected(port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write(
                            ("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n"
                                            + "Content-Type: %s\r\n\r\npart")
                                    .formatted(formOf(port), typeOf(port))
                                    .getBytes(UTF_8));

            var answer = new String(socket.getInputStream().readNBytes(12), UTF_8);

            assertThat(answer).matches("(HTTP/1.1 ([234]\\d\\d|503))?");
        }
    }

    private static String formOf(String port) {
        return switch (port) {
            case "HTTP" -> "/auth/login/static";
            case OWNERS, "ops HTTP" -> "/login";
            default -> "/grpc.health.v1.Health/Check";
        };
    }

    private static String typeOf(String port) {
        return formOf(port).contains("login")
                ? "application/x-www-form-urlencoded"
                : "application/grpc";
    }

    /// Over HTTP/2 the connection is shared and stays: it is the call that must end.
    @ParameterizedTest
    @CsvSource(
            textBlock =
                    """
                    gateway,       auth/login/static
                    gateway,       webhook/github
                    gateway,       grpc.service.webservice.WebService/GetMe
                    gateway,       pipecd.link.v1.LinkService/Watch
                    HTTP,          auth/login/static
                    piped API,     grpc.service.pipedservice.PipedService/ReportStat
                    web API,       grpc.service.webservice.WebService/GetMe
                    API,           grpc.service.apiservice.APIService/GetApplication
                    authorization, envoy.service.auth.v3.Authorization/Check
                    admin,         healthz
                    owner's pages, login
                    ops HTTP,      login
                    ops admin,     healthz
                    """)
    void aBodyThatNeverComesOverHttp2IsNotWaitedForEither(String port, String path)
            throws Exception {
        var method =
                MethodDescriptor.<WatchRequest, WatchRequest>newBuilder()
                        // which sends the head at once and the rest when there is some
                        .setType(MethodDescriptor.MethodType.CLIENT_STREAMING)
                        .setFullMethodName(path)
                        .setRequestMarshaller(
                                ProtoUtils.marshaller(WatchRequest.getDefaultInstance()))
                        .setResponseMarshaller(
                                ProtoUtils.marshaller(WatchRequest.getDefaultInstance()))
                        .build();
        var channel =
                NettyChannelBuilder.forAddress("127.0.0.1", number(port)).usePlaintext().build();
        try {
            var ended = new CountDownLatch(1);
            var call = channel.newCall(method, CallOptions.DEFAULT);
            call.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            ended.countDown();
                        }
                    },
                    new Metadata());
            call.request(1);
            // and no message, and no end

            assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            channel.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/auth/login/static",
                "/auth/login",
                "/webhook/github",
                "/grpc.service.webservice.WebService/GetMe",
                "/pipecd.link.v1.LinkService/Watch"
            })
    void aBodyThatNeverComesIsNotWaitedFor(String path) throws Exception {
        try (var socket = connected("gateway")) {
            socket.getOutputStream()
                    .write(
                            ("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n"
                                            + "Content-Type: %s\r\n\r\npart")
                                    .formatted(
                                            path,
                                            path.contains("Service")
                                                    ? "application/grpc-web+proto"
                                                    : "application/x-www-form-urlencoded")
                                    .getBytes(UTF_8));

            var answer = new String(socket.getInputStream().readNBytes(12), UTF_8);

            assertThat(answer).matches("(HTTP/1.1 (200|303|401|404|408|503))?");
        }
    }

    /// Also of a caller who would wait for ever, or says that he will for an hour.
    @ParameterizedTest
    @ValueSource(ints = {0, 60})
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void anAnswerThatDoesNotComeIsNotWaitedFor(int minutes) {
        var agent = server.agent("gateway");
        if (minutes > 0) agent = agent.withDeadlineAfter(minutes, TimeUnit.MINUTES);
        var waiting = agent;

        assertThatThrownBy(() ->
                        waiting.reportStat(
                                ReportStatRequest.newBuilder()
                                        .setPipedStats(ByteString.copyFromUtf8("wait"))
                                        .build()))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessage("DEADLINE_EXCEEDED: the server did not answer in time. Try again.");
    }

    @Test
    void aStreamOfAnAgentOutlivesTheLimitOfOtherCalls() {
        var stub =
                LinkServiceGrpc.newBlockingStub(
                        server.channel("gateway", "authorization", RunningServer.token("piped-1")));
        // the way to the first signal is under the limit, which a busy machine may miss
        var link =
                await().atMost(Duration.ofMinutes(1))
                        .ignoreException(StatusRuntimeException.class)
                        .until(
                                () -> stub.watch(WatchRequest.getDefaultInstance()),
                                Iterator::hasNext);

        for (var i = 0; i < 5; i++) assertThat(link.next().hasKeepAlive()).isTrue();
    }

    private static Socket connected(String port) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), number(port));
        socket.setSoTimeout(120_000);
        return socket;
    }
}
