// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.WatchRequest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Iterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Limits that hold before anybody has said who they are; none of these callers has credentials.
final class LimitsTest {
    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = RunningServer.start(RunningServer.Choices.usual().with(Duration.ofMillis(700)));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"gateway", "HTTP", "piped API", "web API", "API", "authorization", "admin"})
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
        var socket = new Socket(InetAddress.getLoopbackAddress(), server.port(port));
        socket.setSoTimeout(120_000);
        return socket;
    }
}
