// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Message;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsResponse;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.session.SessionServiceGrpc;
import dev.pipecd.wire.web.GetMeRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Nonsense to every RPC, path and port of a real server: it answers, says whose fault it is, and
/// is afterwards what it was before. `-Dfuzz.seed=N` sends other nonsense.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@ResourceLock(HostileServer.LOCK) // what one does the other would measure
final class FuzzTest {
    private static final long SEED = Long.getLong("fuzz.seed", 20261116L);
    private static final int AT_ONCE = 6;
    private static final int PER_RPC = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /// What only we can have done wrong.
    private static final List<Status.Code> OURS =
            List.of(
                    Status.Code.INTERNAL,
                    Status.Code.UNKNOWN,
                    Status.Code.DATA_LOSS,
                    Status.Code.UNAVAILABLE,
                    Status.Code.DEADLINE_EXCEEDED);

    static final List<String> OWNERS_PAGES =
            List.of(
                    "/",
                    "/projects",
                    "/projects/add",
                    "/projects/edit?ID=quickstart",
                    "/projects/edit?ID=%00",
                    "/projects/reset-password?ID=../x",
                    "/projects/delete?ID=quickstart",
                    "/audit?ID=quickstart",
                    "/audit?ID=%ff&before=x",
                    "/login",
                    "/nowhere");

    private static HostileServer server;
    private static HttpClient http;
    private static String session;

    /// Where a server and ops tell how they do.
    private static final List<String> ADMINS = List.of("admin", "ops admin");

    private static final Map<String, Double> THREADS_BEFORE = new LinkedHashMap<>();
    private static final Map<String, Double> HEAP_BEFORE = new LinkedHashMap<>();
    private final Mischief mischief = new Mischief(SEED, HostileServer.running().known());

    @BeforeAll
    static void start() throws Exception {
        server = HostileServer.running();
        http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        session = server.process().session();
        warm();
        for (var admin : ADMINS) {
            THREADS_BEFORE.put(admin, metric(admin, "jvm_threads_current"));
            HEAP_BEFORE.put(admin, heap(admin));
        }
    }

    /// Pools and caches have their size before it is measured.
    private static void warm() throws Exception {
        for (var port : server.ports().values())
            for (var i = 0; i < AT_ONCE; i++)
                http.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                                .build(),
                        HttpResponse.BodyHandlers.discarding());
    }

    @AfterAll
    static void stop() {
        http.shutdownNow();
    }

    @Test
    @Order(1)
    void everyRpcTakesAnyMessage() throws Exception {
        var calls = new ArrayList<Callable<String>>();
        server.callers()
                .forEach((service, caller) ->
                        service.getMethods().stream()
                                .filter(HostileServer::isHarmless)
                                .forEach(method -> {
                                    for (var i = 0; i < PER_RPC; i++) {
                                        var right =
                                                mischief.message(prototype(method)).toByteArray();
                                        var sent = i % 4 == 2 ? mischief.broken(right) : right;
                                        calls.add(() -> told(caller, method, sent));
                                    }
                                }));

        assertThat(faults(calls)).as("seed %d", SEED).isEmpty();
    }

    @Test
    @Order(2)
    void thoseThatLockTheirCallerOutTakeAnyMessageToo() throws Exception {
        for (var method :
                List.of(
                        SessionServiceGrpc.getEndSessionsMethod(),
                        WebServiceGrpc.getDisableStaticAdminMethod())) {
            // one that is opened in the second in which all were ended is ended too
            var doomed =
                    await().atMost(PATIENCE)
                            .until(
                                    FuzzTest::doomed,
                                    one ->
                                            code(one, WebServiceGrpc.getGetMeMethod(), new byte[0])
                                                    == Status.Code.OK);
            var calls = new ArrayList<Callable<String>>();
            for (var i = 0; i < PER_RPC; i++) {
                var right = mischief.message(prototype(method)).toByteArray();
                var sent = i % 4 == 2 ? mischief.broken(right) : right;
                calls.add(() -> told(doomed, method, sent));
            }

            assertThat(faults(calls)).as("seed %d", SEED).isEmpty();
        }
        assertThat(code(caller(), WebServiceGrpc.getGetMeMethod(), new byte[0]))
                .isEqualTo(Status.Code.OK);
    }

    private static Channel doomed() {
        return RunningServer.withHeaders(
                server.process().nobody(),
                "cookie",
                server.process().session(HostileServer.DOOMED));
    }

    @Test
    @Order(2)
    void everyPathTakesAnyRequest() throws Exception {
        var paths =
                List.of(
                        "/",
                        "/assets/x",
                        "/auth/login",
                        "/auth/login/static",
                        "/auth/callback?state=%00&code=" + "x".repeat(500),
                        "/auth/logout",
                        "/audit.jsonl?from=x",
                        "/audit.jsonl?from=-9223372036854775808&to=9&kind=%ff",
                        "/changes?cursor=x",
                        "/webhook/github",
                        "/webhook/gitea",
                        "/webhook/gitlab",
                        "/..%2f..%2fetc%2fpasswd",
                        "/healthz",
                        "/metrics");
        var calls = new ArrayList<Callable<String>>();
        for (var port : List.of("HTTP", "gateway", "admin"))
            for (var path : paths)
                for (var method : List.of("GET", "POST", "PUT", "OPTIONS"))
                    calls.add(request(port, path, method));

        assertThat(faults(calls)).as("seed %d", SEED).isEmpty();
    }

    private Callable<String> request(String port, String path, String method) {
        return request(port, path, method, mischief.cookie(session), mischief.bytes(3_000));
    }

    private static Callable<String> request(
            String port, String path, String method, String cookie, byte[] body) {
        var request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://127.0.0.1:%d%s".formatted(server.port(port), path)))
                        .timeout(PATIENCE)
                        .header("cookie", cookie)
                        .header("content-type", "application/x-www-form-urlencoded")
                        .header("x-hub-signature-256", "sha256=00")
                        .header("last-event-id", "x")
                        .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
                        .build();
        return () -> {
            var answer = answered(request);
            answer.body().close();
            return answer.statusCode() < 500
                    ? ""
                    : "%s %s: %d".formatted(method, request.uri(), answer.statusCode());
        };
    }

    /// As a browser does: who answers before all was sent closes the connection, and what is sent
    /// on it at that moment goes on another. Who never answers is found all the same.
    private static HttpResponse<InputStream> answered(HttpRequest request) throws Exception {
        for (var left = 3; ; left--) {
            try {
                return http.send(request, HttpResponse.BodyHandlers.ofInputStream());
            } catch (HttpTimeoutException e) {
                throw e;
            } catch (IOException e) {
                if (left == 0) throw e;
            }
        }
    }

    @Test
    @Order(2)
    void everyPageOfTheOwnerTakesAnyRequest() throws Exception {
        var calls = new ArrayList<Callable<String>>();
        for (var owner : server.owners().entrySet()) {
            var form = form(owner.getKey(), owner.getValue());
            for (var path : OWNERS_PAGES)
                for (var method : List.of("GET", "POST", "PUT", "POST", "POST")) {
                    var cookie = mischief.upTo(4) == 0 ? mischief.cookie("") : owner.getValue();
                    var body =
                            mischief.upTo(3) == 0
                                    ? mischief.bytes(3_000)
                                    : filled(mischief.upTo(4) == 0 ? "" : form);
                    calls.add(request(owner.getKey(), path, method, cookie, body));
                }
        }
        for (var path : List.of("/", "/healthz", "/version", "/metrics?x=%00", "/debug"))
            calls.add(request("ops admin", path, "POST", "=", mischief.bytes(3_000)));

        assertThat(faults(calls)).as("seed %d", SEED).isEmpty();
    }

    /// What only a page of ours knows, so that more than the check for it is reached.
    private static String form(String port, String cookie) throws Exception {
        var page =
                http.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                "http://127.0.0.1:%d/projects/add"
                                                        .formatted(server.port(port))))
                                .header("cookie", cookie)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        var found = Pattern.compile("name=\"form\" value=\"(\\w+)\"").matcher(page.body());
        assertThat(found.find()).as(page.body()).isTrue();
        return found.group(1);
    }

    private byte[] filled(String form) {
        var text = URLEncoder.encode(mischief.text(), UTF_8);
        return "form=%s&ID=%s&confirmationID=%s&Description=%s&SharedSSO=%s&username=%s&password=%s"
                .formatted(
                        form,
                        text,
                        text,
                        URLEncoder.encode(mischief.text(), UTF_8),
                        mischief.upTo(2) == 0 ? "hub" : text,
                        text,
                        text)
                .getBytes(UTF_8);
    }

    @Test
    @Order(3)
    void everyPortTakesAnyBytesAndAnyEnd() throws Exception {
        var calls = new ArrayList<Callable<String>>();
        server.ports()
                .values()
                .forEach(port -> {
                    for (var i = 0; i < 14; i++) {
                        var bytes = mischief.onTheWire();
                        var abrupt = mischief.upTo(2) == 0;
                        calls.add(() -> garbage(port, bytes, abrupt));
                    }
                });

        assertThat(faults(calls)).as("seed %d", SEED).isEmpty();
    }

    private static String garbage(int port, byte[] bytes, boolean abrupt) throws IOException {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10_000);
            socket.setSoTimeout(300);
            if (abrupt) socket.setSoLinger(true, 0); // the other side sees a reset
            socket.getOutputStream().write(bytes);
            var read = socket.getInputStream().readNBytes(16);
            return new String(read, ISO_8859_1).matches("HTTP/1.1 5\\d\\d.*")
                    ? "port %d answered %s".formatted(port, new String(read, ISO_8859_1))
                    : "";
        } catch (java.net.SocketException | java.net.SocketTimeoutException e) {
            return ""; // hung up on, or left without an answer: both are fair
        }
    }

    @Test
    @Order(4)
    void whatIsTooLargeIsRefusedWhoeverSendsIt() throws Exception {
        var large = new byte[26 * 1024 * 1024];
        for (var path : List.of("/auth/login/static", "/webhook/github", "/auth/callback"))
            assertTooLarge(server.port("gateway"), path, large);
        for (var port : server.ports().values()) assertTooLarge(port, "/", large);
        var method = WebServiceGrpc.getRegisterPipedMethod();
        assertThat(code(server.process().nobody(), method, large))
                .isIn(Status.Code.RESOURCE_EXHAUSTED, Status.Code.UNAUTHENTICATED);
        assertThat(code(caller(), method, large)).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }

    private static void assertTooLarge(int port, String path, byte[] large) throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
                        .POST(HttpRequest.BodyPublishers.ofByteArray(large))
                        .build();
        try {
            assertThat(http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                    .as("%d %s", port, path)
                    .isBetween(400, 499);
        } catch (IOException e) {
            // hung up on before all was sent
            assertThat(e).hasMessageMatching(".*([Rr]eset|[Bb]roken|closed|EOF).*");
        }
    }

    @Test
    @Order(5)
    void callsThatAreResetLeaveNothingBehind() {
        var agent =
                Objects.requireNonNull(
                        server.callers().get(PipedServiceGrpc.getServiceDescriptor()));
        reset(agent, 300);

        var _ =
                PipedServiceGrpc.newBlockingStub(agent)
                        .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance());
    }

    @ParameterizedTest
    @ValueSource(strings = {"piped API", "web API", "API", "authorization", "gateway"})
    @Order(5)
    void anybodyMayResetCallsOnEveryPortAndItAnswersOn(String port) {
        var channel =
                NettyChannelBuilder.forAddress("127.0.0.1", server.port(port))
                        .usePlaintext()
                        .build();
        try {
            reset(channel, 100);

            assertThat(code(channel, PipedServiceGrpc.getReportStatMethod(), new byte[0]))
                    .isIn(Status.Code.UNAUTHENTICATED, Status.Code.UNIMPLEMENTED);
        } finally {
            channel.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP", "admin", "owner's pages", "ops HTTP", "ops admin"})
    @Order(5)
    void anybodyMayResetRequestsOnPortsForPagesToo(String port) throws Exception {
        var channel =
                NettyChannelBuilder.forAddress("127.0.0.1", server.port(port))
                        .usePlaintext()
                        .build();
        try {
            reset(channel, 100);
        } finally {
            channel.shutdownNow();
        }

        assertThat(request(port, "/healthz", "GET", "=", new byte[0]).call()).isEmpty();
    }

    private static void reset(Channel caller, int times) {
        for (var i = 0; i < times; i++) {
            ClientCall<ListUnhandledCommandsRequest, ListUnhandledCommandsResponse> call =
                    caller.newCall(
                            PipedServiceGrpc.getListUnhandledCommandsMethod(), CallOptions.DEFAULT);
            call.start(new ClientCall.Listener<>() {}, new Metadata());
            if (i % 2 == 0) call.sendMessage(ListUnhandledCommandsRequest.getDefaultInstance());
            call.cancel("changed my mind", null);
        }
    }

    @Test
    @Order(6)
    void afterAllThatTheServerIsAsBefore() throws Exception {
        assertThat(
                        WebServiceGrpc.newBlockingStub(caller())
                                .getMe(GetMeRequest.getDefaultInstance())
                                .getSubject())
                .isEqualTo("hello-pipecd");
        assertThat(server.log()).as("seed %d", SEED).doesNotContain("internal error");
        assertThat(server.opsLog()).as("seed %d", SEED).doesNotContain("internal error");
        for (var admin : ADMINS) {
            await("threads of %s as before (seed %d)".formatted(admin, SEED))
                    .atMost(PATIENCE)
                    .until(() ->
                            metric(admin, "jvm_threads_current")
                                    <= THREADS_BEFORE.getOrDefault(admin, 0.0) + 12);
            assertThat(heap(admin))
                    .as("%s, seed %d", admin, SEED)
                    .isLessThan(HEAP_BEFORE.getOrDefault(admin, 0.0) + 40e6);
        }
    }

    private static Channel caller() {
        return Objects.requireNonNull(server.callers().get(WebServiceGrpc.getServiceDescriptor()));
    }

    private static List<String> faults(List<Callable<String>> calls) throws Exception {
        var found = new ArrayList<String>();
        try (var threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (var fault : threads.invokeAll(calls))
                if (!fault.get().isEmpty()) found.add(fault.get());
        }
        return found;
    }

    private static String told(Channel caller, MethodDescriptor<?, ?> method, byte[] message) {
        var status = status(caller, method, message);
        var streams = method.getType() != MethodDescriptor.MethodType.UNARY;
        return streams || !OURS.contains(status.getCode())
                ? ""
                : "%s: %s to %s".formatted(method.getFullMethodName(), status, hex(message));
    }

    private static String hex(byte[] message) {
        return java.util.HexFormat.of().formatHex(message, 0, Math.min(message.length, 200));
    }

    private static Status.Code code(Channel caller, MethodDescriptor<?, ?> method, byte[] message) {
        return status(caller, method, message).getCode();
    }

    private static Status status(Channel caller, MethodDescriptor<?, ?> method, byte[] message) {
        var raw =
                MethodDescriptor.<byte[], byte[]>newBuilder()
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(method.getFullMethodName())
                        .setRequestMarshaller(new Raw())
                        .setResponseMarshaller(new Raw())
                        .build();
        var streams = method.getType() != MethodDescriptor.MethodType.UNARY;
        var options =
                CallOptions.DEFAULT.withDeadlineAfter(
                        streams ? 300 : PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        try {
            var _ = ClientCalls.blockingUnaryCall(caller, raw, options, message);
            return Status.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus();
        }
    }

    private static Message prototype(MethodDescriptor<?, ?> method) {
        return (Message)
                Objects.requireNonNull(
                        ((PrototypeMarshaller<?>) method.getRequestMarshaller())
                                .getMessagePrototype());
    }

    private static double heap(String admin) throws Exception {
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var pid = Long.toString(admin.equals("admin") ? server.process().pid() : server.opsPid());
        new ProcessBuilder(jcmd, pid, "GC.run")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        return metric(admin, "jvm_heap_used_bytes");
    }

    private static double metric(String admin, String name)
            throws IOException, InterruptedException {
        var text =
                http.send(
                                HttpRequest.newBuilder(
                                                URI.create(
                                                        "http://127.0.0.1:%d/metrics"
                                                                .formatted(server.port(admin))))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString())
                        .body();
        var found = Pattern.compile("(?m)^" + name + "\\{[^}]*} (\\S+)").matcher(text);
        assertThat(found.find()).as(text).isTrue();
        return Double.parseDouble(found.group(1));
    }

    private record Raw() implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
