// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.web.AddApplicationResponse;
import dev.pipecd.wire.web.DeleteOldPipedKeysResponse;
import dev.pipecd.wire.web.DisableAPIKeyResponse;
import dev.pipecd.wire.web.GenerateAPIKeyResponse;
import dev.pipecd.wire.web.ListAPIKeysResponse;
import dev.pipecd.wire.web.ListApplicationsResponse;
import dev.pipecd.wire.web.ListPipedsResponse;
import dev.pipecd.wire.web.RecreatePipedKeyResponse;
import dev.pipecd.wire.web.RegisterPipedResponse;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// The few calls the quickstart makes, answered from memory over real HTTP and gRPC-Web.
final class FakeControlPlane implements AutoCloseable {
    private static final String COOKIE = "token=a-session";

    final List<String> calls = new ArrayList<>();
    final List<Piped> pipeds = new ArrayList<>();
    final List<APIKey> keys = new ArrayList<>();
    final List<Application> applications = new ArrayList<>();
    private final HttpServer server;
    private int made;

    FakeControlPlane() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/auth/login/static", FakeControlPlane::login);
        answer(
                WebServiceGrpc.getListPipedsMethod(),
                _ -> ListPipedsResponse.newBuilder().addAllPipeds(pipeds).build());
        answer(
                WebServiceGrpc.getRegisterPipedMethod(),
                request -> {
                    pipeds.add(
                            Piped.newBuilder()
                                    .setId(next("piped"))
                                    .setName(request.getName())
                                    .build());
                    return RegisterPipedResponse.newBuilder()
                            .setId(pipeds.getLast().getId())
                            .setKey(next("key"))
                            .build();
                });
        answer(
                WebServiceGrpc.getRecreatePipedKeyMethod(),
                _ -> RecreatePipedKeyResponse.newBuilder().setKey(next("key")).build());
        answer(
                WebServiceGrpc.getDeleteOldPipedKeysMethod(),
                _ -> DeleteOldPipedKeysResponse.getDefaultInstance());
        answer(
                WebServiceGrpc.getListAPIKeysMethod(),
                _ -> ListAPIKeysResponse.newBuilder().addAllKeys(keys).build());
        answer(
                WebServiceGrpc.getDisableAPIKeyMethod(),
                request -> {
                    keys.removeIf(key -> key.getId().equals(request.getId()));
                    return DisableAPIKeyResponse.getDefaultInstance();
                });
        answer(
                WebServiceGrpc.getGenerateAPIKeyMethod(),
                request -> {
                    keys.add(
                            APIKey.newBuilder()
                                    .setId(next("id"))
                                    .setName(request.getName())
                                    .build());
                    return GenerateAPIKeyResponse.newBuilder()
                            .setKey(keys.getLast().getId() + ".secret")
                            .build();
                });
        answer(
                WebServiceGrpc.getListApplicationsMethod(),
                _ ->
                        ListApplicationsResponse.newBuilder()
                                .addAllApplications(applications)
                                .build());
        answer(
                WebServiceGrpc.getAddApplicationMethod(),
                request -> {
                    applications.add(
                            Application.newBuilder()
                                    .setId(next("app"))
                                    .setName(request.getName())
                                    .setGitPath(request.getGitPath())
                                    .build());
                    return AddApplicationResponse.newBuilder()
                            .setApplicationId(applications.getLast().getId())
                            .build();
                });
        server.start();
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    void connectPiped() {
        var demo = ApplicationGitRepository.newBuilder().setId("demo").setBranch("main");
        pipeds.set(
                0,
                pipeds.getFirst().toBuilder()
                        .setStatus(Piped.ConnectionStatus.ONLINE)
                        .addRepositories(demo)
                        .build());
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private String next(String kind) {
        return kind + "-" + ++made;
    }

    private static void login(HttpExchange exchange) throws IOException {
        var form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        var right =
                form.contains("password=hello-pipecd") && form.contains("username=hello-pipecd");
        exchange.getResponseHeaders()
                .add("Set-Cookie", (right ? COOKIE : "error=wrong") + "; Path=/; HttpOnly");
        exchange.getResponseHeaders().add("Location", "/");
        exchange.sendResponseHeaders(right ? 302 : 303, -1);
        exchange.close();
    }

    private <Q, A> void answer(MethodDescriptor<Q, A> method, Function<Q, A> answer) {
        server.createContext(
                "/" + method.getFullMethodName(),
                exchange -> {
                    var body = exchange.getRequestBody().readAllBytes();
                    if (!COOKIE.equals(exchange.getRequestHeaders().getFirst("cookie"))) {
                        exchange.getResponseHeaders().add("grpc-status", "16");
                        exchange.getResponseHeaders().add("grpc-message", "Log%20in%20first");
                        exchange.sendResponseHeaders(200, -1);
                        exchange.close();
                        return;
                    }
                    calls.add(String.valueOf(method.getBareMethodName()));
                    var question =
                            method.parseRequest(new ByteArrayInputStream(body, 5, body.length - 5));
                    var message = method.streamResponse(answer.apply(question)).readAllBytes();
                    var trailers = "grpc-status: 0\r\n".getBytes(StandardCharsets.UTF_8);
                    var frames = ByteBuffer.allocate(10 + message.length + trailers.length);
                    frames.put((byte) 0).putInt(message.length).put(message);
                    frames.put((byte) 0x80).putInt(trailers.length).put(trailers);
                    exchange.sendResponseHeaders(200, frames.position());
                    exchange.getResponseBody().write(frames.array());
                    exchange.close();
                });
    }
}
