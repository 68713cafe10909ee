// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import java.io.BufferedOutputStream;
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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Callers over real connections who ask and do not take the answers.
final class SlowReadersTest {
    private static final int MIB = 1 << 20;

    /// Two answers, and not three.
    private static final int UNSENT = 36 * MIB;

    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration A_WHILE = Duration.ofMillis(50);
    private static final String ASK = "%s %s HTTP/1.1\r\nHost: x\r\n\r\n";

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
                        new Ports.Limits(1_000, 32 * MIB, UNSENT));
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
            socket.getOutputStream().write(question("GET", "/"));
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

            await().atMost(LONG).until(() -> ports.connections() == 0);
            assertThat(ports.unsent()).isZero();
            assertThat(rest(socket)).isLessThan(16 * MIB);
        }
    }

    /// It stands still for far too short to be closed for that.
    @Test
    void anAnswerOverHttp1ThatIsTooMuchGoesWithItsConnection() throws Exception {
        stop();
        start(LONG);
        try (var first = connected();
                var second = connected();
                var third = connected()) {
            for (var each : List.of(first, second, third)) {
                var before = ports.unsent();
                each.getOutputStream().write(question("GET", "/"));
                if (each != third) await().atMost(LONG).until(() -> ports.unsent() > before + MIB);
            }

            await().atMost(SOON).until(() -> asked.get() == 3 && ports.connections() == 2);
        }
        await().atMost(SOON).until(() -> ports.connections() == 0 && ports.unsent() == 0);
    }

    /// Its connection takes nothing at that instant, but will.
    @Test
    void anAnswerOverHttp2ThatIsTooMuchGoesAlone() throws Exception {
        stop();
        start(LONG);
        try (var socket = connected()) {
            socket.getOutputStream().write(http2(Integer.MAX_VALUE - 65_535, 3));
            await().atMost(LONG)
                    .until(() ->
                            asked.get() == 3
                                    && ports.unsent() > 24 * MIB
                                    && ports.unsent() < UNSENT);

            assertThat(take(socket, 4 * MIB, 32L * MIB)).isEqualTo(32L * MIB);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoTakesSteadilyIsGivenAllHoweverLongItLasts(boolean http2) throws Exception {
        var patience = SHORT.multipliedBy(2);
        stop();
        start(patience);
        try (var socket = connected()) {
            socket.getOutputStream()
                    .write(http2 ? http2(Integer.MAX_VALUE - 65_535) : question("GET", "/"));
            var began = System.nanoTime();

            var taken = take(socket, 128 * 1024, 16 * MIB);

            assertThat(taken).isGreaterThanOrEqualTo(16 * MIB);
            assertThat(System.nanoTime() - began).isGreaterThan(patience.toNanos());
        }
    }

    /// What he asks for has no body, so that it is counted nowhere.
    @Test
    void whoAsksOnAndOnWithoutReadingIsNotHeard() throws Exception {
        stop();
        start(LONG);
        var questions = 200_000;
        var question = question("HEAD", "/some");
        try (var socket = connected()) {
            var asking =
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    var all = new BufferedOutputStream(socket.getOutputStream());
                                    for (var n = 0; n < questions; n++) all.write(question);
                                    all.flush();
                                } catch (IOException e) {
                                    // the test is over
                                }
                            });
            var before = new AtomicInteger();

            await().atMost(LONG)
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> asked.get() > 0 && before.getAndSet(asked.get()) == asked.get());

            assertThat(asked.get()).isLessThan(questions / 2);
            socket.close();
            asking.join();
        }
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

    private static byte[] question(String method, String path) {
        return ASK.formatted(method, path).getBytes(US_ASCII);
    }

    /// A question for `/`, or several, and so much more room for all and for each answer than there
    /// is by itself.
    private static byte[] http2(int room) throws IOException {
        return http2(room, 1);
    }

    private static byte[] http2(int room, int questions) throws IOException {
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
        for (var n = 0; n < questions; n++) frame(said, 1, 0x5, 2 * n + 1, "828684" + "410178");
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

    /// A little now and then, until it is all or no more comes.
    private static long take(Socket socket, int little, long all) {
        var taken = new AtomicLong();
        await().atMost(LONG)
                .pollInterval(A_WHILE)
                .until(() -> {
                    var more = socket.getInputStream().readNBytes(little).length;
                    return taken.addAndGet(more) >= all || more < little;
                });
        return taken.get();
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
