// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServerBuilder;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class PortsTest {
    private static final long MIB = 1 << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Ports.Settings SETTINGS =
            new Ports.Settings(Optional.of("127.0.0.1"), Optional.empty(), Duration.ofSeconds(1));

    /// The Envoy of the public system stands where the gateway would.
    @Test
    void aPortNobodyAskedForStaysClosedWhereItIsTaken() throws Exception {
        try (var envoy = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                var ports = new Ports(SETTINGS)) {
            var taken = envoy.getLocalPort();
            ports.open(new Ports.Port("HTTP", "--http-port", 0, false), PortsTest::routes);

            ports.open(
                    new Ports.Port("gateway", "--gateway-port", taken, false, false),
                    PortsTest::routes);

            assertThat(ports.number("gateway")).isEmpty();
            assertThat(ports.number("HTTP")).isPresent();
            assertThatThrownBy(() ->
                            ports.open(
                                    new Ports.Port("gateway", "--gateway-port", taken, false),
                                    PortsTest::routes))
                    .isInstanceOf(Problem.class);
        }
    }

    private static void routes(ServerBuilder server) {
        server.service("/", (_, _) -> HttpResponse.of(200));
    }

    @Test
    void aPortThatNoMachineHasIsToldByItsFlag() {
        try (var ports = new Ports(SETTINGS)) {
            assertThatThrownBy(() ->
                            ports.open(
                                    new Ports.Port("HTTP", "--http-port", 99_999, false), _ -> {}))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "--http-port: 99999 (expected: 0 to 65535, or less than 0 to keep it closed)");
        }
    }

    @Test
    void connectionsOfAllPortsTogetherHaveALimitAndMakeRoomWhenTheyEnd() throws Exception {
        try (var ports = new Ports(SETTINGS, new Ports.Limits(2, MIB, MIB))) {
            ports.open(new Ports.Port("one", "--one", 0, false), PortsTest::routes);
            ports.open(new Ports.Port("other", "--other", 0, false), PortsTest::routes);
            try (var first = connected(ports, "one");
                    var second = connected(ports, "other")) {
                assertThat(answered(first)).isTrue();
                assertThat(answered(second)).isTrue();

                try (var third = connected(ports, "other")) {
                    assertThat(answered(third)).isFalse();
                }
            }

            await().atMost(PATIENCE)
                    .until(() -> {
                        try (var next = connected(ports, "one")) {
                            return answered(next);
                        }
                    });
        }
    }

    private static Socket connected(Ports ports, String name) throws IOException {
        var socket = new Socket("127.0.0.1", ports.number(name).orElseThrow());
        socket.setSoTimeout((int) PATIENCE.toMillis());
        return socket;
    }

    private static boolean answered(Socket socket) throws IOException {
        try {
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(UTF_8));
            return socket.getInputStream().read() == 'H';
        } catch (SocketException e) {
            return false;
        }
    }

    /// Over HTTP/1 and HTTP/2, a short one, a long one and one in pieces, one after the other.
    @Test
    void whatWasAnsweredHoldsNothingAnyMore() throws Exception {
        var gathered = new AtomicLong();
        try (var ports = new Ports(SETTINGS, new Ports.Limits(100, 4 * MIB, 4 * MIB));
                var http = HttpClient.newHttpClient()) {
            ports.open(
                    new Ports.Port("one", "--one", 0, false),
                    server ->
                            server.service(
                                    "/",
                                    (_, request) ->
                                            HttpResponse.of(
                                                    request.aggregate()
                                                            .thenApply(all -> {
                                                                gathered.addAndGet(
                                                                        all.content().length());
                                                                return HttpResponse.of(200);
                                                            }))));
            var place = URI.create("http://127.0.0.1:" + ports.number("one").orElseThrow() + "/");
            for (var version : HttpClient.Version.values())
                for (var n = 0; n < 20; n++)
                    for (var body : bodies())
                        assertThat(
                                        http.send(
                                                        HttpRequest.newBuilder(place)
                                                                .version(version)
                                                                .POST(body)
                                                                .build(),
                                                        BodyHandlers.discarding())
                                                .statusCode())
                                .isEqualTo(200);

            assertThat(gathered).hasValue(2 * 20 * (2 * MIB + 1));
            await().atMost(PATIENCE).until(() -> ports.held() == 0 && ports.unsent() == 0);
        }
    }

    /// Each of them is larger than all may hold together.
    @Test
    void whatIsReadAsItComesOverHttp1HoldsOnlyWhatIsNotReadYet() throws Exception {
        try (var ports = new Ports(SETTINGS, new Ports.Limits(100, 4 * MIB, 4 * MIB));
                var http = HttpClient.newHttpClient()) {
            ports.open(
                    new Ports.Port("one", "--one", 0, false),
                    server ->
                            server.maxRequestLength(0)
                                    .service(
                                            "/webhook/some",
                                            (call, request) ->
                                                    HttpResponse.of(
                                                            () ->
                                                                    HttpResponse.of(
                                                                            "" + read(request)),
                                                            call.blockingTaskExecutor())));
            var place =
                    URI.create(
                            "http://127.0.0.1:%d/webhook/some"
                                    .formatted(ports.number("one").orElseThrow()));
            var push =
                    HttpRequest.newBuilder(place)
                            .version(HttpClient.Version.HTTP_1_1)
                            .POST(BodyPublishers.ofByteArray(new byte[(int) (17 * MIB)]))
                            .build();

            var first = http.sendAsync(push, BodyHandlers.ofString());
            var second = http.sendAsync(push, BodyHandlers.ofString());

            assertThat(first.get().body()).isEqualTo("" + 17 * MIB);
            assertThat(second.get().body()).isEqualTo("" + 17 * MIB);
            await().atMost(PATIENCE).until(() -> ports.held() == 0);
        }
    }

    private static long read(com.linecorp.armeria.common.HttpRequest request) {
        try (var body =
                request.toInputStream(
                        part -> part instanceof HttpData data ? data : HttpData.empty())) {
            return body.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<HttpRequest.BodyPublisher> bodies() {
        return List.of(
                BodyPublishers.noBody(),
                BodyPublishers.ofString("x"),
                BodyPublishers.ofByteArray(new byte[(int) MIB]),
                BodyPublishers.ofByteArrays(Collections.nCopies(1024, new byte[1024])));
    }
}
