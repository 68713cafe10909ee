// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import dev.pipecd.domain.Problem;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Talks to the control plane as a browser does: logs in, then gRPC-Web with the session's cookie.
final class WebClient {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int TRAILERS = 0x80;

    private final HttpClient http;
    private final URI server;
    private final String cookie;

    private WebClient(HttpClient http, URI server, String cookie) {
        this.http = http;
        this.server = server;
        this.cookie = cookie;
    }

    static WebClient login(URI server, String project, String user, String password)
            throws IOException, InterruptedException {
        var http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(PATIENCE)
                        .build();
        var form =
                Map.of("project", project, "username", user, "password", password)
                        .entrySet()
                        .stream()
                        .map(field ->
                                field.getKey()
                                        + "="
                                        + URLEncoder.encode(
                                                field.getValue(), StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&"));
        var request =
                HttpRequest.newBuilder(server.resolve("/auth/login/static"))
                        .timeout(PATIENCE)
                        .header("content-type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(form))
                        .build();
        var answer = http.send(request, HttpResponse.BodyHandlers.discarding());
        var token =
                answer.headers().allValues("set-cookie").stream()
                        .map(value -> value.split(";", 2)[0])
                        .filter(pair ->
                                pair.startsWith("token=") && pair.length() > "token=".length())
                        .findFirst();
        return new WebClient(
                http,
                server,
                token.orElseThrow(() ->
                        new Problem(
                                Problem.Code.UNAUTHENTICATED,
                                "login of %s: HTTP %d (expected: a session)"
                                        .formatted(user, answer.statusCode()),
                                "If the password in control-plane.yaml was changed, change it back for the"
                                        + " quickstart.")));
    }

    <Q, A> A call(MethodDescriptor<Q, A> method, Q question)
            throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(server.resolve("/" + method.getFullMethodName()))
                        .timeout(PATIENCE)
                        .header("content-type", "application/grpc-web+proto")
                        .header("x-grpc-web", "1")
                        .header("cookie", cookie)
                        .POST(
                                HttpRequest.BodyPublishers.ofByteArray(
                                        framed(method.streamRequest(question).readAllBytes())))
                        .build();
        var answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        var frames = ByteBuffer.wrap(answer.body());
        var message = Optional.<byte[]>empty();
        // An answer without a message has its trailers among the headers.
        var trailers =
                answer.headers().map().entrySet().stream()
                        .collect(
                                Collectors.toMap(
                                        Map.Entry::getKey, header -> header.getValue().getFirst()));
        while (frames.remaining() >= 5) {
            var kind = frames.get();
            var content = new byte[frames.getInt()];
            frames.get(content);
            if ((kind & TRAILERS) == 0) message = Optional.of(content);
            else
                new String(content, StandardCharsets.UTF_8)
                        .lines()
                        .forEach(line -> put(trailers, line));
        }
        if (answer.statusCode() != 200
                || !"0".equals(trailers.get("grpc-status"))
                || message.isEmpty()) {
            throw refused(method.getFullMethodName(), answer.statusCode(), trailers);
        }
        return method.parseResponse(new ByteArrayInputStream(message.get()));
    }

    private static byte[] framed(byte[] message) {
        return ByteBuffer.allocate(5 + message.length)
                .put((byte) 0)
                .putInt(message.length)
                .put(message)
                .array();
    }

    private static void put(Map<String, String> trailers, String line) {
        var colon = line.indexOf(':');
        if (colon > 0)
            trailers.put(line.substring(0, colon).strip(), line.substring(colon + 1).strip());
    }

    private static Problem refused(String method, int status, Map<String, String> trailers) {
        var why =
                URLDecoder.decode(
                        trailers.getOrDefault("grpc-message", "no reason given"),
                        StandardCharsets.UTF_8);
        return new Problem(
                Problem.Code.PRECONDITION_FAILED,
                "%s: HTTP %d, gRPC status %s, %s (expected: success)"
                        .formatted(
                                method,
                                status,
                                trailers.getOrDefault("grpc-status", "missing"),
                                why),
                "The control plane's log tells more.");
    }
}
