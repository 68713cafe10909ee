// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.web.GetMeResponse;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class GrpcWebTest {
    private static final String GET_ME = "/grpc.service.webservice.WebService/GetMe";
    private static final byte[] EMPTY_MESSAGE = new byte[5];
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
    @EnumSource(HttpClient.Version.class)
    void aBrowserCallsInBinaryFormOverEitherVersionOfHttp(HttpClient.Version version)
            throws Exception {
        var answer =
                post(
                        version,
                        "application/grpc-web+proto",
                        EMPTY_MESSAGE,
                        "token=" + server.session());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.version()).isEqualTo(version);
        assertThat(message(answer.body()).getSubject()).isEqualTo("hello-pipecd");
        assertThat(new String(answer.body(), UTF_8)).containsPattern("grpc-status: ?0");
        var id = answer.headers().firstValue("x-request-id").orElseThrow();
        assertThat(new String(answer.body(), UTF_8)).containsPattern("x-request-id: ?" + id);
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void aBrowserMayCallInTextForm(HttpClient.Version version) throws Exception {
        var answer =
                post(
                        version,
                        "application/grpc-web-text+proto",
                        Base64.getEncoder().encode(EMPTY_MESSAGE),
                        "token=" + server.session());

        var text = new String(answer.body(), UTF_8);
        var padded = text.indexOf('=');
        var first = padded < 0 ? text : text.substring(0, (padded + 4) / 4 * 4);
        assertThat(message(Base64.getDecoder().decode(first)).getSubject())
                .isEqualTo("hello-pipecd");
    }

    @Test
    void aBrowserWithoutSessionIsRefused() throws Exception {
        var answer =
                post(
                        HttpClient.Version.HTTP_1_1,
                        "application/grpc-web+proto",
                        EMPTY_MESSAGE,
                        "token");

        assertThat(answer.headers().firstValue("grpc-status")).hasValue("16");
        assertThat(answer.headers().firstValue("grpc-message")).hasValue("Unauthenticated");
    }

    private static HttpResponse<byte[]> post(
            HttpClient.Version version, String type, byte[] body, String cookie) throws Exception {
        try (var client = HttpClient.newBuilder().version(version).build()) {
            return client.send(
                    server.request("gateway", GET_ME, "content-type", type, "cookie", cookie)
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
        }
    }

    private static GetMeResponse message(byte[] framed) throws Exception {
        var length = ByteBuffer.wrap(framed, 1, 4).getInt();
        return GetMeResponse.parseFrom(Arrays.copyOfRange(framed, 5, 5 + length));
    }
}
