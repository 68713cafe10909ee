// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Message;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.EncryptRequest;
import dev.pipecd.wire.authz.AuthorizationGrpc;
import dev.pipecd.wire.authz.CheckRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.web.GenerateApplicationSealedSecretRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.parallel.ResourceLock;

/// A secret planted wherever one is taken is never seen again: in no answer of any door, no stream,
/// no metric, no export, no name of a file, and no line of the log.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@ResourceLock(HostileServer.LOCK) // what one does the other would measure
final class CanaryTest {
    /// Those that give a secret out, once, to who asked for it.
    private static final Set<String> GIVING =
            Set.of("RegisterPiped", "RecreatePipedKey", "GenerateAPIKey");

    private static final String WHOLE_TRAIL = "/audit.jsonl?via=AGENT&via=WEB&via=API&via=SERVER";

    private static final List<String> PAGES =
            List.of(
                    "/",
                    "/auth/login",
                    "/auth/callback?state=x&code=y",
                    "/audit.jsonl",
                    WHOLE_TRAIL,
                    "/webhook/github",
                    "/nowhere",
                    "/healthz",
                    "/version",
                    "/metrics");

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static HostileServer server;
    private static HttpClient http;

    @BeforeAll
    static void start() {
        server = HostileServer.running();
        http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    @AfterAll
    static void stop() {
        http.shutdownNow();
    }

    @Test
    void noAnswerOfAnyRpcTellsIt() {
        var mischief = new Mischief(1, server.known());
        server.callers()
                .forEach((service, caller) ->
                        service.getMethods().stream()
                                .filter(m -> !GIVING.contains(m.getBareMethodName()))
                                .filter(HostileServer::isHarmless)
                                .forEach(method -> {
                                    assertClean(
                                            answer(caller, method, prototype(method)),
                                            method.getFullMethodName());
                                    assertClean(
                                            answer(
                                                    caller,
                                                    method,
                                                    mischief.message(prototype(method))),
                                            method.getFullMethodName());
                                    assertClean(
                                            answer(
                                                    server.process().nobody(),
                                                    method,
                                                    prototype(method)),
                                            method.getFullMethodName());
                                }));
    }

    @Test
    void noPageTellsIt() throws Exception {
        for (var port : List.of("HTTP", "gateway", "admin"))
            for (var page : PAGES)
                for (var method : List.of("GET", "POST")) {
                    var answer = get(port, page, method);
                    assertClean(
                            answer.statusCode() + " " + answer.headers().map() + answer.body(),
                            method + " " + page);
                }
        assertThat(get("gateway", WHOLE_TRAIL, "GET").body())
                .contains(
                        "\"via\":\"AGENT\"", "\"via\":\"WEB\""); // so that something was looked at
    }

    @Test
    void noPageOfTheOwnerTellsIt() throws Exception {
        for (var owner : server.owners().entrySet())
            for (var cookie : List.of(owner.getValue(), "ops=forged"))
                for (var page : FuzzTest.OWNERS_PAGES)
                    for (var method : List.of("GET", "POST")) {
                        var answer = send(owner.getKey(), page, method, cookie);
                        assertClean(
                                answer.statusCode() + " " + answer.headers().map() + answer.body(),
                                method + " " + owner.getKey() + " " + page);
                    }
        assertThat(send("ops HTTP", "/projects", "GET", owner("ops HTTP")).body())
                .contains("elsewhere"); // so that not only a login form was looked at
        for (var page : PAGES)
            assertClean(send("ops admin", page, "GET", "a=b").body(), "ops admin " + page);
    }

    private static String owner(String port) {
        return server.owners().getOrDefault(port, "");
    }

    @Test
    void noStreamTellsIt() throws Exception {
        var request =
                HttpRequest.newBuilder(uri("gateway", "/changes?cursor=0"))
                        .header("cookie", server.session())
                        .build();
        var stream = http.send(request, HttpResponse.BodyHandlers.ofInputStream()).body();
        var heard = new StringBuffer();
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        for (var c = stream.read(); c >= 0; c = stream.read())
                            heard.append((char) c);
                    } catch (IOException e) {
                        // closed below
                    }
                });
        await().atMost(PATIENCE).until(() -> heard.indexOf("event: ") >= 0);
        var before = heard.length();
        var _ =
                WebServiceGrpc.newBlockingStub(caller(WebServiceGrpc.getServiceDescriptor()))
                        .registerPiped(RegisterPipedRequest.newBuilder().setName("west").build());
        await().atMost(PATIENCE).until(() -> heard.length() > before);
        stream.close();

        assertClean(heard.toString(), "/changes");
    }

    @Test
    void whatIsSealedIsNotToldUnsealed() {
        var secret = HostileServer.secret("sealed");
        var people = caller(WebServiceGrpc.getServiceDescriptor());
        var holder = caller(APIServiceGrpc.getServiceDescriptor());

        assertClean(
                answer(
                        people,
                        WebServiceGrpc.getGenerateApplicationSealedSecretMethod(),
                        GenerateApplicationSealedSecretRequest.newBuilder()
                                .setPipedId(server.known().get(3))
                                .setData(secret)
                                .build()),
                "sealed");
        assertClean(
                answer(
                        holder,
                        APIServiceGrpc.getEncryptMethod(),
                        EncryptRequest.newBuilder()
                                .setPipedId(server.known().get(3))
                                .setPlaintext(secret)
                                .build()),
                "encrypted");
    }

    /// The public server writes keys it refused into its log.
    @Test
    void whatIsRefusedIsNotToldEither() throws Exception {
        var wrong = HostileServer.secret("refused");
        var piped = PipedServiceGrpc.getListUnhandledCommandsMethod();
        var api = APIServiceGrpc.getGetApplicationMethod();
        var web = WebServiceGrpc.getGetMeMethod();

        for (var header :
                List.of(
                        "PIPED-TOKEN quickstart,%s,%s".formatted(server.known().get(3), wrong),
                        "PIPED-TOKEN " + wrong,
                        "API-KEY " + wrong,
                        "API-KEY 00000000-0000-4000-8000-000000000000." + wrong,
                        wrong + " x"))
            for (var method : List.of(piped, api))
                assertClean(answer(as("authorization", header), method, prototype(method)), header);
        assertClean(answer(as("cookie", "token=" + wrong), web, prototype(web)), "cookie");
        for (var page : List.of("/auth/login/static", "/webhook/gitlab", "/auth/callback"))
            assertThat(refused("gateway", page, wrong)).as(page).doesNotContain(wrong);
        for (var port : server.owners().keySet())
            assertThat(refused(port, "/login", wrong)).as(port).doesNotContain(wrong);
        var check = AuthorizationGrpc.getCheckMethod();
        var asked = CheckRequest.newBuilder();
        asked.getAttributesBuilder()
                .getRequestBuilder()
                .getHttpBuilder()
                .putHeaders("authorization", "Bearer quickstart,x," + wrong);
        assertClean(
                answer(caller(AuthorizationGrpc.getServiceDescriptor()), check, asked.build()),
                "Check");
    }

    private static Channel as(String header, String value) {
        return RunningServer.withHeaders(server.process().nobody(), header, value);
    }

    private static String refused(String port, String page, String wrong) throws Exception {
        var request =
                HttpRequest.newBuilder(uri(port, page + "?state=%1$s&code=%1$s".formatted(wrong)))
                        .header("x-gitlab-token", wrong)
                        .header("cookie", "state=" + wrong)
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "project=quickstart&username=hello-pipecd&password="
                                                + wrong))
                        .build();
        var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        return answer.headers().map() + answer.body();
    }

    @Test
    void noFileIsNamedByIt() {
        var names = new ArrayList<String>();
        // lines of logs are in the bucket a moment after they are taken
        await().atMost(PATIENCE)
                .until(() -> {
                    server.files(names::add);
                    return !names.isEmpty();
                });

        assertClean(String.join("\n", names), "files");
    }

    /// After all the above and whatever other tests did.
    @Test
    @Order(Integer.MAX_VALUE)
    void noLineOfTheLogTellsIt() {
        var log = server.log();

        assertThat(log).contains("configuration:").contains("******");
        assertClean(log, "log");
        assertThat(server.opsLog()).contains("HTTP listens on");
        assertClean(server.opsLog(), "log of ops");
    }

    private static void assertClean(String text, String where) {
        for (var secret : server.secrets())
            if (text.contains(secret)) {
                var at = text.indexOf(secret);
                throw new AssertionError(
                        "%s tells %s: …%s…"
                                .formatted(
                                        where,
                                        secret,
                                        text.substring(
                                                Math.max(0, at - 200),
                                                Math.min(text.length(), at + 60))));
            }
    }

    private static Channel caller(io.grpc.ServiceDescriptor service) {
        return Objects.requireNonNull(server.callers().get(service));
    }

    @SuppressWarnings("unchecked")
    private static String answer(Channel caller, MethodDescriptor<?, ?> method, Message request) {
        var streams = method.getType() != MethodDescriptor.MethodType.UNARY;
        try {
            return ClientCalls.blockingUnaryCall(
                            caller,
                            (MethodDescriptor<Message, Message>) method,
                            CallOptions.DEFAULT.withDeadlineAfter(
                                    streams ? 300 : PATIENCE.toMillis(), TimeUnit.MILLISECONDS),
                            request)
                    .toString();
        } catch (StatusRuntimeException e) {
            return e.getStatus() + " " + told(e.getTrailers());
        }
    }

    private static String told(@org.jspecify.annotations.Nullable Metadata trailers) {
        return trailers == null ? "" : trailers.toString();
    }

    private static Message prototype(MethodDescriptor<?, ?> method) {
        return (Message)
                Objects.requireNonNull(
                        ((PrototypeMarshaller<?>) method.getRequestMarshaller())
                                .getMessagePrototype());
    }

    private static HttpResponse<String> get(String port, String page, String method)
            throws IOException, InterruptedException {
        return send(port, page, method, server.session());
    }

    private static HttpResponse<String> send(String port, String page, String method, String cookie)
            throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(uri(port, page))
                        .header("cookie", cookie)
                        .method(
                                method,
                                HttpRequest.BodyPublishers.ofString(
                                        "project=elsewhere&password=x", UTF_8))
                        .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static URI uri(String port, String path) {
        return URI.create("http://127.0.0.1:%d%s".formatted(server.port(port), path));
    }
}
