// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import at.favre.lib.crypto.bcrypt.BCrypt;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.pipecd.controlplane.store.TestDatabases;
import dev.pipecd.wire.model.ProjectRBACPolicy;
import dev.pipecd.wire.model.ProjectRBACResource;
import dev.pipecd.wire.model.ProjectSSOConfig;
import dev.pipecd.wire.session.GetPermissionsRequest;
import dev.pipecd.wire.session.GetPermissionsResponse;
import dev.pipecd.wire.session.SessionServiceGrpc;
import dev.pipecd.wire.web.AddProjectRBACRoleRequest;
import dev.pipecd.wire.web.AddProjectUserGroupRequest;
import dev.pipecd.wire.web.UpdateProjectSSOConfigRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;

/// A whole server whose people log in by way of `FakeProvider`, over real HTTP; one for all tests
/// of this JVM, ended with it.
final class SsoStand {
    static final String LOCK =
            "sso stand"; // what the provider says is spoilt by one test at a time
    private static final String PASSWORD = "hello";

    final FakeProvider provider;
    private final Path folder;
    private final HttpClient http =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();
    private ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private ControlPlane server;
    private ManagedChannel channel;

    private static final class Running {
        static final SsoStand SHARED = start();

        private static SsoStand start() {
            try {
                return new SsoStand();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static SsoStand running() {
        return Running.SHARED;
    }

    private SsoStand() throws Exception {
        folder = Files.createTempDirectory("pipecd-sso");
        provider = new FakeProvider();
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        Files.writeString(folder.resolve("control-plane.yaml"), config());
        server = started();
        channel = connected();
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        var _ =
                WebServiceGrpc.newBlockingStub(as(staticLogin("open")))
                        .addProjectRBACRole(
                                AddProjectRBACRoleRequest.newBuilder()
                                        .setName("Deployer")
                                        .addPolicies(
                                                ProjectRBACPolicy.newBuilder()
                                                        .addResources(
                                                                ProjectRBACResource
                                                                        .getDefaultInstance())
                                                        .addActions(ProjectRBACPolicy.Action.GET))
                                        .build());
        group("open", "developers", "Deployer");
        group("hub", "org/team-150", "Editor");
        group("hub", "org/team-1", "Viewer");
    }

    void group(String project, String group, String role) throws Exception {
        var _ =
                WebServiceGrpc.newBlockingStub(as(staticLogin(project)))
                        .addProjectUserGroup(
                                AddProjectUserGroupRequest.newBuilder()
                                        .setSsoGroup(group)
                                        .setRole(role)
                                        .build());
    }

    /// Gives a project a way of its own.
    void save(String project, ProjectSSOConfig.Builder way) throws Exception {
        var _ =
                WebServiceGrpc.newBlockingStub(as(staticLogin(project)))
                        .updateProjectSSOConfig(
                                UpdateProjectSSOConfigRequest.newBuilder().setSso(way).build());
    }

    private String config() {
        return """
        apiVersion: pipecd.dev/v1beta1
        kind: ControlPlane
        spec:
          address: https://pipecd.example
          projectSSO: {addresses: ANY}
          projects:
            - {id: open, sharedSSOName: issuer, staticAdmin: {username: admin, passwordHash: "%1$s"}}
            - {id: stray, sharedSSOName: issuer, allowStrayAsViewer: true}
            - {id: hub, sharedSSOName: hub, staticAdmin: {username: admin, passwordHash: "%1$s"}}
            - {id: hub-root, sharedSSOName: hub-root, allowStrayAsViewer: true}
            - {id: over, sharedSSOName: overridden}
            - {id: own, staticAdmin: {username: admin, passwordHash: "%1$s"}}
            - {id: own-hub, staticAdmin: {username: admin, passwordHash: "%1$s"}}
            - {id: closed}
          sharedSSOConfigs:
            - name: issuer
              provider: OIDC
              sessionTtl: 2
              oidc: {clientId: %2$s, clientSecret: %3$s, issuer: "%4$s", scopes: [openid, profile]}
            - name: overridden
              provider: OIDC
              oidc:
                clientId: %2$s
                clientSecret: %3$s
                issuer: "%4$s"
                redirectUri: https://elsewhere.example/auth/callback
                authorizationEndpoint: https://front.example/authorize?tenant=1
                tokenEndpoint: %4$s/other-token
                userInfoEndpoint: %4$s/other-me
                rolesClaimKey: my-roles
                usernameClaimKey: email
            - name: hub
              provider: GITHUB
              github: {clientId: %2$s, clientSecret: %3$s, baseUrl: "%4$s/api/v3/"}
            - name: hub-root
              provider: GITHUB
              github: {clientId: %2$s, clientSecret: %3$s, baseUrl: "%4$s"}
        """
                .formatted(
                        BCrypt.withDefaults().hashToString(4, PASSWORD.toCharArray()),
                        FakeProvider.CLIENT,
                        FakeProvider.SECRET,
                        provider.url());
    }

    private ControlPlane started() {
        return ControlPlane.start(ControlPlaneTest.options(folder));
    }

    private ManagedChannel connected() {
        return NettyChannelBuilder.forAddress("127.0.0.1", server.port("gateway").orElseThrow())
                .usePlaintext()
                .build();
    }

    void restart() {
        channel.shutdownNow();
        server.close();
        server = started();
        channel = connected();
    }

    private void close() {
        channel.shutdownNow();
        server.close();
        provider.close();
        http.close();
        TestDatabases.delete(folder);
    }

    /// From now on everything that is logged is looked at.
    void watchTheLog() {
        logged = new ListAppender<>();
        logged.start();
        // another class may be about to set up logging
        await().atMost(Duration.ofMinutes(1))
                .until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        ((Logger) LoggerFactory.getLogger("ROOT")).addAppender(logged);
    }

    void assertNothingSecretLogged() {
        ((Logger) LoggerFactory.getLogger("ROOT")).detachAppender(logged);
        assertThat(logged.list)
                .extracting(e -> e.getFormattedMessage() + e.getThrowableProxy())
                .noneMatch(line -> line.contains(FakeProvider.SECRET));
    }

    /// An issuer that knows Ann, who is an editor, and a GitHub where Octo is in a few teams.
    void asUsual() {
        provider.claims.clear();
        provider.claims.putAll(
                Map.of("sub", "u-1", "preferred_username", "ann", "groups", List.of("Editor")));
        provider.spoil = c -> c;
        provider.signature = FakeProvider.Signature.RIGHT;
        provider.userInfoSubject = "u-1";
        provider.teams = 3;
    }

    HttpResponse<String> through(String project) throws Exception {
        return finish(project, begin(project));
    }

    Begun begin(String project) throws Exception {
        var answer = post("/auth/login", "project=" + project);
        assertThat(answer.statusCode()).isEqualTo(302);
        var cookie = cookies(answer).getFirst();
        return new Begun(
                URI.create(answer.headers().firstValue("location").orElseThrow()),
                cookie,
                cookie.replaceFirst("state=([^;]*);.*", "$1"));
    }

    HttpResponse<String> finish(String project, Begun begun) throws Exception {
        var state = FakeProvider.query(begun.to().getRawQuery()).get("state");
        return get(
                "/auth/callback?project=%s&code=%s&state=%s"
                        .formatted(project, provider.code(begun.to()), state),
                "state=" + begun.state());
    }

    record Begun(URI to, String cookie, String state) {}

    GetPermissionsResponse permissions(String token) {
        return SessionServiceGrpc.newBlockingStub(as(token))
                .getPermissions(GetPermissionsRequest.getDefaultInstance());
    }

    Channel as(String token) {
        return RunningServer.withHeaders(channel, "cookie", "token=" + token);
    }

    String staticLogin(String project) throws Exception {
        return token(
                post(
                        "/auth/login/static",
                        "project=%s&username=admin&password=%s".formatted(project, PASSWORD)));
    }

    static String token(HttpResponse<String> answer) {
        return cookies(answer).stream()
                .filter(c -> c.startsWith("token="))
                .findFirst()
                .orElseThrow(() -> new AssertionError(cookies(answer).toString()))
                .replaceFirst("token=([^;]*);.*", "$1");
    }

    static List<String> cookies(HttpResponse<String> answer) {
        return answer.headers().allValues("set-cookie");
    }

    static String error(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(cookies(answer).toString()).doesNotContain(FakeProvider.SECRET);
        return URLDecoder.decode(
                cookies(answer).getFirst().replaceFirst("error=([^;]*);.*", "$1"), UTF_8);
    }

    HttpResponse<String> get(String path, String cookie) throws Exception {
        return http.send(
                HttpRequest.newBuilder(uri(path)).header("cookie", cookie).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path, String form) throws Exception {
        return http.send(
                HttpRequest.newBuilder(uri(path))
                        .header("content-type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(form))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port("gateway").orElseThrow() + path);
    }
}
