// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Callers over real connections who ask and do not take the answers.
final class SlowReadersTest {
    private static final int MIB = 1 << 20;
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final String GET = "GET %s HTTP/1.1\r\nHost: x\r\n\r\n";

    private final AtomicInteger asked = new AtomicInteger();
    private Ports ports;

    @BeforeEach
    void start() {
        start(SHORT);
    }

    private void start(Duration patience) {
        ports =
                new Ports(
                        new Ports.Settings(
                                Optional.of("127.0.0.1"),
                                Optional.empty(),
                                Duration.ofSeconds(1),
                                patience),
                        new Ports.Limits(1_000, 32 * MIB, 32 * MIB));
        ports.open(
                new Ports.Port("one", "--one", 0, false),
                server ->
                        server.service("/", (_, _) -> answer(16 * MIB))
                                .service("/some", (_, _) -> answer(10 * 1024)));
    }

    private HttpResponse answer(int bytes) {
        asked.incrementAndGet();
        return HttpResponse.of(HttpStatus.OK, MediaType.OCTET_STREAM, new byte[bytes]);
    }

    @AfterEach
    void stop() {
        ports.close();
    }

    @Test
    void anAnswerNobodyTakesOverHttp1IsGivenUp() throws Exception {
        try (var socket = connected()) {
            socket.getOutputStream().write(GET.formatted("/").getBytes(US_ASCII));
            await().atMost(LONG).until(() -> ports.unsent() > MIB);

            await().atMost(LONG).until(() -> ports.unsent() == 0);
            assertThat(rest(socket)).isLessThan(16 * MIB);
        }
    }

    /// The caller reads, but gives the answer no room.
    @Test
    void anAnswerWithoutRoomOverHttp2IsGivenUp() throws Exception {
        try (var socket = connected()) {
            socket.getOutputStream().write(http2(0));
            await().atMost(LONG).until(() -> ports.unsent() > MIB);
            Thread.ofVirtual().start(() -> rest(socket));

            await().atMost(LONG).until(() -> ports.unsent() == 0);
        }
    }

    /// The answer has all the room it needs, but the caller does not read.
    @Test
    void anAnswerNobodyReadsOverHttp2EndsWithItsConnection() throws Exception {
        try (var socket = connected()) {
            socket.getOutputStream().write(http2(Integer.MAX_VALUE - 65_535));
            await().atMost(LONG).until(() -> ports.unsent() > MIB);

            await().atMost(LONG).until(() -> ports.unsent() == 0);
            assertThat(rest(socket)).isLessThan(16 * MIB);
        }
    }

    @Test
    void whoAsksOnAndOnWithoutReadingIsNotHeard() throws Exception {
        var questions = 20_000;
        try (var socket = connected()) {
            for (var n = 0; n < questions; n++)
                socket.getOutputStream().write(GET.formatted("/some").getBytes(US_ASCII));
        } catch (SocketException e) {
            // it was hung up on
        }
        assertThat(asked.get()).isLessThan(questions / 2);
    }

    @ParameterizedTest
    @EnumSource
    void whoReadsIsGivenAll(HttpClient.Version version) throws Exception {
        stop();
        start(LONG);
        var place = URI.create("http://127.0.0.1:%d/".formatted(ports.number("one").orElseThrow()));
        try (var http = HttpClient.newHttpClient()) {
            for (var n = 0; n < 5; n++)
                assertThat(
                                http.send(
                                                HttpRequest.newBuilder(place)
                                                        .version(version)
                                                        .build(),
                                                BodyHandlers.ofByteArray())
                                        .body())
                        .hasSize(16 * MIB);
        }
        await().atMost(LONG).until(() -> ports.unsent() == 0);
    }

    /// A question for `/` and so much more room for all and for each answer than there is by
    /// itself.
    private static byte[] http2(int room) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var said = new DataOutputStream(bytes);
        said.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        if (room == 0) {
            frame(said, 4, 0, 0, "");
        } else {
            frame(said, 4, 0, 0, "00047fffffff");
            frame(said, 8, 0, 0, "%08x".formatted(room));
        }
        // :method GET, :scheme http, :path /, :authority x
        frame(said, 1, 0x5, 1, "828684" + "410178");
        return bytes.toByteArray();
    }

    private static void frame(DataOutputStream said, int type, int flags, int stream, String hex)
            throws IOException {
        var payload = HexFormat.of().parseHex(hex);
        said.writeByte(0);
        said.writeShort(payload.length);
        said.writeByte(type);
        said.writeByte(flags);
        said.writeInt(stream);
        said.write(payload);
    }

    private Socket connected() throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(64 * 1024);
        socket.connect(new InetSocketAddress("127.0.0.1", ports.number("one").orElseThrow()));
        socket.setSoTimeout((int) LONG.toMillis());
        return socket;
    }

    /// How much comes until the other end hangs up.
    private static long rest(Socket socket) {
        var buffer = new byte[64 * 1024];
        var all = 0L;
        try {
            int read;
            while ((read = socket.getInputStream().read(buffer)) >= 0) all += read;
        } catch (SocketException e) {
            // hung up on in the middle
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }
}
