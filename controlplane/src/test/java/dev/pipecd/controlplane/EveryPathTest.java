// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.linecorp.armeria.common.HttpMethod;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.http.HttpPath;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.web.GenerateAPIKeyRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import dev.pipecd.wire.web.RegisterPipedResponse;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Every path of the HTTP door of a whole server, as those ask for it who may not.
@Timeout(120)
final class EveryPathTest {
    private static final byte[] KEY = "k".repeat(64).getBytes(UTF_8);
    private static final String CONFIG =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: ControlPlane
            spec:
              webhook: {secret: hook}
              projects:
                - {id: here, sharedSSOName: hub, staticAdmin: {username: ann, passwordHash: "%1$s"}}
                - {id: elsewhere, staticAdmin: {username: ann, passwordHash: "%1$s"}}
              sharedSSOConfigs:
                - {name: hub, provider: GITHUB, github: {clientId: a, clientSecret: b}}
            """
                    .formatted(BCrypt.withDefaults().hashToString(4, "secret".toCharArray()));

    @TempDir private static Path folder;
    private static ControlPlane server;
    private static ManagedChannel channel;
    private static HttpClient http;
    private static String here;
    private static String elsewhere;
    private static RegisterPipedResponse piped;

    @BeforeAll
    static void start() throws Exception {
        Files.writeString(folder.resolve("control-plane.yaml"), CONFIG);
        Files.write(folder.resolve("key"), KEY);
        server = ControlPlane.start(ControlPlaneTest.options(folder));
        channel = NettyChannelBuilder.forAddress("127.0.0.1", port()).usePlaintext().build();
        http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .build();
        here = login("here");
        elsewhere = login("elsewhere");
        piped = registered(here);
    }

    @AfterAll
    static void stop() {
        http.shutdownNow();
        channel.shutdownNow();
        server.close();
    }

    private static int port() {
        return server.port("gateway").orElseThrow();
    }

    private static RegisterPipedResponse registered(String session) {
        return as(session).registerPiped(RegisterPipedRequest.newBuilder().setName("east").build());
    }

    private static WebServiceGrpc.WebServiceBlockingStub as(String session) {
        return WebServiceGrpc.newBlockingStub(
                RunningServer.withHeaders(channel, "cookie", session));
    }

    private static String login(String project) throws Exception {
        var request =
                HttpRequest.newBuilder(uri("/auth/login/static"))
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "project=%s&username=ann&password=secret"
                                                .formatted(project)))
                        .build();
        return http.send(request, HttpResponse.BodyHandlers.discarding())
                .headers()
                .firstValue("set-cookie")
                .orElseThrow()
                .replaceFirst(";.*", "");
    }

    @Test
    void whoHasNoSessionGetsNothingAndIsNotGivenOne() throws Exception {
        var ended = login("here");
        assertThat(asked(HttpPath.AUDIT, "", "cookie", ended).status()).isEqualTo(200);
        var _ = asked(HttpPath.LOGOUT, "", "cookie", ended);
        var key =
                as(here).generateAPIKey(
                                GenerateAPIKeyRequest.newBuilder()
                                        .setName("robot")
                                        .setRole(APIKey.Role.READ_WRITE)
                                        .build())
                        .getKey();
        var strangers =
                List.of(
                        List.of("x-nothing", "x"),
                        List.of("cookie", "token="),
                        List.of("cookie", "token=a.b.c"),
                        List.of("cookie", "token=" + session(new byte[64], "Admin")),
                        List.of("cookie", ended),
                        List.of("authorization", "API-KEY " + key),
                        List.of(
                                "authorization",
                                "PIPED-TOKEN here,%s,%s".formatted(piped.getId(), piped.getKey())));
        for (var path : HttpPath.values())
            for (var stranger : strangers) {
                var answer = asked(path, "", stranger.get(0), stranger.get(1));

                assertThat(answer.status())
                        .as(path + " as " + stranger)
                        .isEqualTo(
                                switch (path) {
                                    case AUDIT, CHANGES, GITHUB, GITEA, GITLAB -> 401;
                                    case STATIC_LOGIN, LOGIN, CALLBACK, LOGOUT -> leadsBack(path);
                                });
                assertThat(answer.cookies())
                        .as(path + "")
                        .noneMatch(c -> c.matches("token=[^;].*"));
                assertThat(answer.body()).as(path + "").doesNotContain(piped.getId());
            }
    }

    /// Anybody may come to be let in, and is sent back.
    private static int leadsBack(HttpPath path) {
        return path == HttpPath.LOGOUT ? 302 : 303;
    }

    /// A Git server proves itself; a person is none.
    @Test
    void aSessionIsNoProofToAWebhook() throws Exception {
        for (var path : List.of(HttpPath.GITHUB, HttpPath.GITEA, HttpPath.GITLAB))
            assertThat(asked(path, "", "cookie", here).status()).as(path + "").isEqualTo(401);
    }

    @Test
    void aViewerIsRefusedWhatAdministratorsRead() throws Exception {
        var viewer = "token=" + session(KEY, "Viewer");

        assertThat(asked(HttpPath.AUDIT, "", "cookie", viewer).status()).isEqualTo(403);
        assertThat(asked(HttpPath.CHANGES, "", "cookie", viewer).status()).isEqualTo(200);
    }

    @Test
    void ofAnotherProjectNobodyLearnsMoreThanOfWhatIsNotThere() throws Exception {
        var theirs = "?subject=" + piped.getId();

        assertThat(asked(HttpPath.AUDIT, theirs, "cookie", here).body()).contains(piped.getId());
        assertThat(asked(HttpPath.AUDIT, theirs, "cookie", elsewhere))
                .isEqualTo(asked(HttpPath.AUDIT, "?subject=nowhere", "cookie", elsewhere));
        assertThat(asked(HttpPath.AUDIT, "", "cookie", elsewhere).body())
                .contains("logged in by password")
                .doesNotContain(piped.getId());
    }

    @Test
    void aStreamTellsOfItsOwnProjectOnly() throws Exception {
        var ours = registered(elsewhere).getId();
        var request =
                HttpRequest.newBuilder(uri("/changes?cursor=0"))
                        .header("cookie", elsewhere)
                        .build();
        try (var lines =
                new BufferedReader(
                        new InputStreamReader(
                                http.send(request, HttpResponse.BodyHandlers.ofInputStream())
                                        .body(),
                                UTF_8))) {
            var heard = new StringBuilder();
            while (heard.indexOf(ours) < 0) heard.append(lines.readLine());

            assertThat(heard).doesNotContain(piped.getId());
        }
    }

    private static String session(byte[] key, String role) {
        var accounts =
                new Sessions(
                        key, _ -> Optional.empty(), new InMemorySessions(), InstantSource.system());
        return accounts.open(
                new Sessions.Visitor(
                        new Caller.Person(new ProjectId("here"), "bob", Set.of(role)),
                        "",
                        Duration.ofHours(1),
                        "shared hub"));
    }

    private static URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    /// By the method it is meant for, with a body nobody signed. Of a stream only how it begins.
    private static Answer asked(HttpPath path, String query, String... headers) throws Exception {
        var posted =
                path.methods().contains(HttpMethod.POST)
                        || Set.of(HttpPath.STATIC_LOGIN, HttpPath.LOGIN).contains(path);
        var request = HttpRequest.newBuilder(uri(path.text() + query)).headers(headers);
        if (posted)
            request.POST(
                    HttpRequest.BodyPublishers.ofString("project=here&username=ann&password=x"));
        var answer = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            var stream = path == HttpPath.CHANGES && answer.statusCode() == 200;
            return new Answer(
                    answer.statusCode(),
                    answer.headers().allValues("set-cookie"),
                    stream ? "" : new String(body.readAllBytes(), UTF_8));
        }
    }

    private record Answer(int status, List<String> cookies, String body) {}
}
