// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import at.favre.lib.crypto.bcrypt.BCrypt;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.nimbusds.jwt.JWTClaimsSet;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.wire.model.ProjectRBACPolicy;
import dev.pipecd.wire.model.ProjectRBACResource;
import dev.pipecd.wire.model.ProjectSSOConfig;
import dev.pipecd.wire.session.GetPermissionsRequest;
import dev.pipecd.wire.session.GetPermissionsResponse;
import dev.pipecd.wire.session.SessionServiceGrpc;
import dev.pipecd.wire.web.AddProjectRBACRoleRequest;
import dev.pipecd.wire.web.AddProjectUserGroupRequest;
import dev.pipecd.wire.web.GetMeRequest;
import dev.pipecd.wire.web.UpdateProjectSSOConfigRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/// Logging in by way of other systems, on the whole server and over real HTTP.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(value = "logging", mode = ResourceAccessMode.READ) // sees what is logged
final class SsoTest {
    private static final String PASSWORD = "hello";

    @TempDir private static Path folder;
    private final HttpClient http =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private FakeProvider provider;
    private ControlPlane server;
    private ManagedChannel channel;

    @BeforeAll
    void start() throws Exception {
        logged.start();
        // another class may be about to set up logging
        await().atMost(Duration.ofMinutes(1))
                .until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        ((Logger) LoggerFactory.getLogger("ROOT")).addAppender(logged);
        provider = new FakeProvider();
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        Files.writeString(folder.resolve("control-plane.yaml"), config());
        open();
        var admin = WebServiceGrpc.newBlockingStub(as(staticLogin("open")));
        var _ =
                admin.addProjectRBACRole(
                        AddProjectRBACRoleRequest.newBuilder()
                                .setName("Deployer")
                                .addPolicies(
                                        ProjectRBACPolicy.newBuilder()
                                                .addResources(
                                                        ProjectRBACResource.getDefaultInstance())
                                                .addActions(ProjectRBACPolicy.Action.GET))
                                .build());
        group("open", "developers", "Deployer");
        group("hub", "org/team-150", "Editor");
        group("hub", "org/team-1", "Viewer");
    }

    private void group(String project, String group, String role) throws Exception {
        var _ =
                WebServiceGrpc.newBlockingStub(as(staticLogin(project)))
                        .addProjectUserGroup(
                                AddProjectUserGroupRequest.newBuilder()
                                        .setSsoGroup(group)
                                        .setRole(role)
                                        .build());
    }

    private String config() {
        return """
        apiVersion: pipecd.dev/v1beta1
        kind: ControlPlane
        spec:
          address: https://pipecd.example
          projects:
            - {id: open, sharedSSOName: issuer, staticAdmin: {username: admin, passwordHash: "%1$s"}}
            - {id: stray, sharedSSOName: issuer, allowStrayAsViewer: true}
            - {id: hub, sharedSSOName: hub, staticAdmin: {username: admin, passwordHash: "%1$s"}}
            - {id: over, sharedSSOName: overridden}
            - {id: own, staticAdmin: {username: admin, passwordHash: "%1$s"}}
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
                userInfoEndpoint: %4$s/other-me
                rolesClaimKey: my-roles
                usernameClaimKey: email
            - name: hub
              provider: GITHUB
              github: {clientId: %2$s, clientSecret: %3$s, baseUrl: "%4$s/api/v3/"}
        """
                .formatted(
                        BCrypt.withDefaults().hashToString(4, PASSWORD.toCharArray()),
                        FakeProvider.CLIENT,
                        FakeProvider.SECRET,
                        provider.url());
    }

    private void open() {
        server =
                ControlPlane.start(
                        new ServerOptions(
                                new ServerOptions.Numbers(-1, -1, -1, -1, -1, -1, 0),
                                new Ports.Settings(
                                        Optional.of("127.0.0.1"),
                                        Optional.empty(),
                                        Duration.ofSeconds(1)),
                                new ServerOptions.Places(
                                        new GivenFile(
                                                "--config-file",
                                                folder.resolve("control-plane.yaml").toString()),
                                        new GivenFile(
                                                "--encryption-key-file",
                                                folder.resolve("key").toString()),
                                        folder.resolve("data"),
                                        folder.resolve("no-web"),
                                        ""),
                                new ServerOptions.Trust(true, false),
                                true,
                                false,
                                Optional.empty()));
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", server.port("gateway").orElseThrow())
                        .usePlaintext()
                        .build();
    }

    @AfterAll
    void stop() {
        ((Logger) LoggerFactory.getLogger("ROOT")).detachAppender(logged);
        channel.shutdownNow();
        server.close();
        provider.close();
        http.close();
        assertThat(logged.list)
                .extracting(e -> e.getFormattedMessage() + e.getThrowableProxy())
                .noneMatch(line -> line.contains(FakeProvider.SECRET));
    }

    @BeforeEach
    void asUsual() {
        provider.claims.clear();
        provider.claims.putAll(
                Map.of("sub", "u-1", "preferred_username", "ann", "groups", List.of("Editor")));
        provider.spoil = c -> c;
        provider.signature = FakeProvider.Signature.RIGHT;
        provider.userInfoSubject = "u-1";
        provider.teams = 3;
    }

    @Test
    void whoComesBackFromTheIssuerIsLoggedInForAsLongAsTheSettingsSay() throws Exception {
        var answer = through("open");

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(answer.headers().firstValue("location")).hasValue("/");
        assertThat(cookies(answer))
                .anyMatch(c ->
                        c.startsWith("token=")
                                && c.endsWith("; Path=/; Max-Age=7200; HttpOnly; SameSite=Strict"))
                .contains("state=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
        var token = token(answer);
        var me = WebServiceGrpc.newBlockingStub(as(token)).getMe(GetMeRequest.getDefaultInstance());
        assertThat(me.getSubject()).isEqualTo("ann");
        assertThat(me.getAvatarUrl()).isEqualTo("https://pictures/1");
        assertThat(permissions(token).getRolesList()).containsExactly("Editor");
    }

    @Test
    void theLoginLeadsToTheIssuerWithStateNonceAndChallengeInThePublicForm() throws Exception {
        var begun = begin("open");

        var to = begun.to();
        var query = FakeProvider.query(to.getRawQuery());
        assertThat(to.toString()).startsWith(provider.url() + "/authorize?client_id=client-1");
        assertThat(query.get("redirect_uri")).isEqualTo("https://pipecd.example/auth/callback");
        assertThat(query.get("scope")).isEqualTo("openid profile");
        assertThat(query.get("state")).matches("[0-9a-f]+:open").startsWith(begun.state());
        assertThat(query.get("nonce")).hasSize(43);
        assertThat(query.get("code_challenge_method")).isEqualTo("S256");
        assertThat(begun.cookie()).endsWith("; Path=/; Max-Age=1800; HttpOnly; SameSite=Lax");
    }

    @Test
    void groupsAndCustomRolesCountForAnIssuerToo() throws Exception {
        provider.claims.put("groups", List.of("developers", "unheard-of"));

        var told = permissions(token(through("open")));

        assertThat(told.getRolesList()).containsExactly("Deployer");
        assertThat(told.getPermissionsCount()).isEqualTo(8);
    }

    @Test
    void whoHasOnlyUnknownRolesIsRefusedInsteadOfLetInWithNone() throws Exception {
        provider.claims.put("groups", List.of("unheard-of"));

        assertThat(error(through("open"))).startsWith("None of your groups has a role");
    }

    @Test
    void strangersMayLookWhereTheProjectAllowsIt() throws Exception {
        provider.claims.put("groups", List.of());

        assertThat(permissions(token(through("stray"))).getRolesList()).containsExactly("Viewer");
    }

    @Test
    void endpointsAndClaimsOfTheSettingsAreUsedInsteadOfTheUsualOnes() throws Exception {
        provider.claims.put("my-roles", "Admin");
        provider.claims.put("email", "ann@example.com");
        var begun = begin("over");

        assertThat(begun.to().toString()).startsWith("https://front.example/authorize?tenant=1&");
        var told = permissions(token(finish("over", begun)));

        assertThat(told.getSubject()).isEqualTo("ann@example.com");
        assertThat(told.getRolesList()).containsExactly("Admin");
        assertThat(provider.asked).contains("/other-me");
    }

    static Stream<Arguments> spoiltTokens() {
        return Stream.of(
                spoilt("for this login", c -> c.claim("nonce", "another")),
                spoilt("for this login", c -> c.claim("nonce", null)),
                spoilt("for us", c -> c.audience("another")),
                spoilt("for us", c -> c.audience(List.of("client-1", "x")).claim("azp", "x")),
                spoilt("from the issuer", c -> c.issuer("https://another.example")),
                spoilt("valid any more", c -> c.expirationTime(Date.from(Instant.EPOCH))),
                spoilt("valid any more", c -> c.expirationTime(null)),
                spoilt(
                        "valid yet",
                        c -> c.issueTime(Date.from(Instant.now().plus(Duration.ofHours(1))))));
    }

    private static Arguments spoilt(String what, UnaryOperator<JWTClaimsSet.Builder> spoil) {
        return Arguments.of(what, spoil);
    }

    @ParameterizedTest
    @MethodSource("spoiltTokens")
    void aTokenThatIsMeantForSomethingElseIsRefused(
            String what, UnaryOperator<JWTClaimsSet.Builder> spoil) throws Exception {
        provider.spoil = spoil;

        assertThat(error(through("open")))
                .isEqualTo("Unable to log in: The issuer's token is not " + what + ".");
    }

    @Test
    void aTokenSomebodyElseSignedOrNobodyIsRefused() throws Exception {
        for (var signature :
                List.of(FakeProvider.Signature.OTHER_KEY, FakeProvider.Signature.NONE)) {
            provider.signature = signature;

            assertThat(error(through("open"))).contains("is not signed by the issuer");
        }
    }

    @Test
    void anIssuerThatTellsOfSomebodyElseIsNotBelieved() throws Exception {
        provider.userInfoSubject = "u-2";

        assertThat(error(through("open"))).contains("told of somebody else");
    }

    @Test
    void aCallbackWithoutTheBrowsersOwnStateIsRefused() throws Exception {
        var mine = begin("open");
        var theirs = begin("open");
        var code = provider.code(mine.to());
        var state = FakeProvider.query(mine.to().getRawQuery()).get("state");

        for (var cookie : List.of("", "state=" + theirs.state(), "state=" + state, "state="))
            assertThat(error(get("/auth/callback?code=" + code + "&state=" + state, cookie)))
                    .startsWith("The login was not begun here");
    }

    @Test
    void aStateOfOneProjectOpensNoOther() throws Exception {
        var begun = begin("stray");
        var code = provider.code(begun.to());

        assertThat(
                        error(
                                get(
                                        "/auth/callback?code=%s&state=%s:open"
                                                .formatted(code, begun.state()),
                                        "state=" + begun.state())))
                .startsWith("The login was not begun here");
    }

    @Test
    void aLoginThatWasNotGrantedIsToldSo() throws Exception {
        var begun = begin("open");
        var state = FakeProvider.query(begun.to().getRawQuery()).get("state");

        assertThat(
                        error(
                                get(
                                        "/auth/callback?error=access_denied&state=" + state,
                                        "state=" + begun.state())))
                .isEqualTo("The login was not granted.");
    }

    @Test
    void aTeamOnTheSecondPageCounts() throws Exception {
        provider.teams = 250;
        var begun = begin("hub");
        var query = FakeProvider.query(begun.to().getRawQuery());

        assertThat(begun.to().toString()).startsWith(provider.url() + "/login/oauth/authorize?");
        assertThat(query.get("redirect_uri"))
                .isEqualTo("https://pipecd.example/auth/callback?project=hub");
        assertThat(query.get("state")).isEqualTo(begun.state());
        assertThat(query.get("scope")).isEqualTo("read:org");
        var told = permissions(token(finish("hub", begun)));

        assertThat(told.getSubject()).isEqualTo("octo");
        assertThat(told.getRolesList()).containsExactly("Editor", "Viewer");
    }

    @Test
    void whoIsInNoTeamOfTheProjectIsRefused() throws Exception {
        provider.teams = 1;

        assertThat(error(through("hub"))).startsWith("None of your groups has a role");
    }

    @Test
    void aProjectsOwnSignOnIsSavedAndUsed() throws Exception {
        var _ =
                WebServiceGrpc.newBlockingStub(as(staticLogin("own")))
                        .updateProjectSSOConfig(
                                UpdateProjectSSOConfigRequest.newBuilder()
                                        .setSso(
                                                ProjectSSOConfig.newBuilder()
                                                        .setProvider(ProjectSSOConfig.Provider.OIDC)
                                                        .setOidc(
                                                                ProjectSSOConfig.Oidc.newBuilder()
                                                                        .setClientId(
                                                                                FakeProvider.CLIENT)
                                                                        .setClientSecret(
                                                                                FakeProvider.SECRET)
                                                                        .setIssuer(provider.url())))
                                        .build());

        assertThat(permissions(token(through("own"))).getRolesList()).containsExactly("Editor");
    }

    @Test
    void aProjectWithoutSignOnLooksLikeOneThatIsNotThere() throws Exception {
        var closed = post("/auth/login", "project=closed");
        var unknown = post("/auth/login", "project=unknown");

        assertThat(error(closed)).isEqualTo("Single sign-on is not set up for this project.");
        assertThat(error(unknown)).isEqualTo(error(closed));
    }

    @Test
    void whoLoggedOutIsRefusedAtOnceAndAfterARestart() throws Exception {
        var token = token(through("open"));
        var other = token(through("open"));
        var _ = get("/auth/logout", "token=" + token);

        assertThatThrownBy(() -> permissions(token)).hasMessageStartingWith("UNAUTHENTICATED");
        assertThat(permissions(other).getSubject()).isEqualTo("ann");
        channel.shutdownNow();
        server.close();
        open();
        assertThatThrownBy(() -> permissions(token)).hasMessageStartingWith("UNAUTHENTICATED");
        assertThat(permissions(other).getSubject()).isEqualTo("ann");
    }

    private HttpResponse<String> through(String project) throws Exception {
        return finish(project, begin(project));
    }

    private Begun begin(String project) throws Exception {
        var answer = post("/auth/login", "project=" + project);
        assertThat(answer.statusCode()).isEqualTo(302);
        var cookie = cookies(answer).getFirst();
        return new Begun(
                URI.create(answer.headers().firstValue("location").orElseThrow()),
                cookie,
                cookie.replaceFirst("state=([^;]*);.*", "$1"));
    }

    private HttpResponse<String> finish(String project, Begun begun) throws Exception {
        var state = FakeProvider.query(begun.to().getRawQuery()).get("state");
        return get(
                "/auth/callback?project=%s&code=%s&state=%s"
                        .formatted(project, provider.code(begun.to()), state),
                "state=" + begun.state());
    }

    private record Begun(URI to, String cookie, String state) {}

    private GetPermissionsResponse permissions(String token) {
        return SessionServiceGrpc.newBlockingStub(as(token))
                .getPermissions(GetPermissionsRequest.getDefaultInstance());
    }

    private Channel as(String token) {
        return RunningServer.withHeaders(channel, "cookie", "token=" + token);
    }

    private String staticLogin(String project) throws Exception {
        return token(
                post(
                        "/auth/login/static",
                        "project=%s&username=admin&password=%s".formatted(project, PASSWORD)));
    }

    private static String token(HttpResponse<String> answer) {
        return cookies(answer).stream()
                .filter(c -> c.startsWith("token="))
                .findFirst()
                .orElseThrow(() -> new AssertionError(cookies(answer).toString()))
                .replaceFirst("token=([^;]*);.*", "$1");
    }

    private static List<String> cookies(HttpResponse<String> answer) {
        return answer.headers().allValues("set-cookie");
    }

    private static String error(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(cookies(answer).toString()).doesNotContain(FakeProvider.SECRET);
        return java.net.URLDecoder.decode(
                cookies(answer).getFirst().replaceFirst("error=([^;]*);.*", "$1"),
                java.nio.charset.StandardCharsets.UTF_8);
    }

    private HttpResponse<String> get(String path, String cookie) throws Exception {
        return http.send(
                HttpRequest.newBuilder(uri(path)).header("cookie", cookie).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, String form) throws Exception {
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
