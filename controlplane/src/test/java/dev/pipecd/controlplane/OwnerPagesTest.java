// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.read.Documents;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.cache.CacheReads;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.APIKey;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The pages of the installation's owner, over real HTTP.
final class OwnerPagesTest {
    private static final String OWNED =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: ControlPlane
            spec:
              ops:
                owner: {username: olga, passwordHash: "%s"}
              sharedSSOConfigs:
                - {name: hub, provider: GITHUB, github: {clientId: i, clientSecret: s}}
            """
                    .formatted(BCrypt.withDefaults().hashToString(4, "secret".toCharArray()));
    private static final String NOBODYS =
            "apiVersion: pipecd.dev/v1beta1\nkind: ControlPlane\nspec: {}\n";

    @TempDir private static Path folder;
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Ports PORTS =
            new Ports(
                    new Ports.Settings(
                            Optional.of("127.0.0.1"), Optional.empty(), Duration.ofSeconds(1)));
    private static Features features;

    @BeforeAll
    static void open() {
        features =
                Features.open(
                        World.settings(folder),
                        InstantSource.system(),
                        () -> UUID.randomUUID().toString());
        mount("owned", OWNED, InstantSource.system());
        mount("nobody's", NOBODYS, InstantSource.system());
    }

    private static void mount(String name, String document, InstantSource clock) {
        var pages =
                OwnersDoor.pages(
                        features,
                        config(document),
                        new ServerOptions.Trust(true, false),
                        new Metrics(new CacheReads()),
                        clock);
        PORTS.open(new Ports.Port(name, "--http-port", 0, false), pages::mount);
    }

    private static ControlPlaneConfig config(String document) {
        try {
            return Documents.controlPlane("cp.yaml", document.getBytes(UTF_8)).value();
        } catch (dev.pipecd.config.ConfigException e) {
            throw new AssertionError(e);
        }
    }

    @AfterAll
    static void close() {
        PORTS.close();
        features.close();
        HTTP.close();
    }

    private static HttpResponse<String> get(String path, String cookie) throws Exception {
        return HTTP.send(
                request("owned", path).header("cookie", cookie).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(String port, String path) {
        return HttpRequest.newBuilder(
                URI.create(
                        "http://127.0.0.1:%d%s".formatted(PORTS.number(port).orElseThrow(), path)));
    }

    private static HttpResponse<String> post(String path, String cookie, String... fields)
            throws Exception {
        var form = new ArrayList<String>();
        for (var i = 0; i < fields.length; i += 2)
            form.add(fields[i] + "=" + URLEncoder.encode(fields[i + 1], UTF_8));
        return HTTP.send(
                request("owned", path)
                        .header("cookie", cookie)
                        .POST(HttpRequest.BodyPublishers.ofString(String.join("&", form)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /// A form in which the id of a project is typed again.
    private static HttpResponse<String> confirmed(
            String path, String cookie, String form, String id, String typed) throws Exception {
        return post(path, cookie, "form", form, "ID", id, "confirmationID", typed);
    }

    private static String login() throws Exception {
        var answer = post("/login", "a=b", "username", "olga", "password", "secret");
        assertThat(answer.statusCode()).isEqualTo(303);
        var cookie = answer.headers().firstValue("set-cookie").orElseThrow();
        assertThat(cookie).contains("HttpOnly", "SameSite=Strict");
        return cookie.replaceFirst(";.*", "");
    }

    private static String form(String path, String cookie) throws Exception {
        var found =
                Pattern.compile("name=\"form\" value=\"([0-9a-f]{64})\"")
                        .matcher(get(path, cookie).body());
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    @Test
    void withoutAnOwnerNobodyComesIn() throws Exception {
        for (var path : List.of("/", "/projects", "/projects/add", "/login", "/audit")) {
            var answer =
                    HTTP.send(
                            request("nobody's", path)
                                    .POST(
                                            HttpRequest.BodyPublishers.ofString(
                                                    "username=&password="))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(path).isEqualTo(403);
            assertThat(answer.body()).contains("ops.owner.username");
        }
    }

    @Test
    void whoIsNotLoggedInSeesTheFormAndNothingElse() throws Exception {
        for (var path :
                List.of(
                        "/",
                        "/projects",
                        "/projects/add",
                        "/projects/edit",
                        "/projects/reset-password",
                        "/projects/delete",
                        "/audit")) {
            var answer = get(path, "ops=forged");
            assertThat(answer.statusCode()).as(path).isEqualTo(401);
            assertThat(answer.body()).contains("Log in").doesNotContain("elsewhere");
        }
        assertThat(post("/login", "a=b", "username", "olga", "password", "wrong").statusCode())
                .isEqualTo(401);
    }

    @Test
    void guessingThePasswordIsSlowedDown() throws Exception {
        mount("guessed", OWNED, InstantSource.fixed(Instant.EPOCH));

        for (var i = 0; i < 5; i++) assertThat(guess().statusCode()).isEqualTo(401);

        assertThat(guess().statusCode()).isEqualTo(429);
        assertThat(guess().body()).contains("Too many attempts. Try again in ");
    }

    private static HttpResponse<String> guess() throws Exception {
        return HTTP.send(
                request("guessed", "/login")
                        .POST(HttpRequest.BodyPublishers.ofString("username=olga&password=no"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aNewProjectsAdministratorIsShownOnceAndMayLogIn() throws Exception {
        var cookie = login();

        var answer =
                post(
                        "/projects/add",
                        cookie,
                        "form",
                        form("/projects/add", cookie),
                        "ID",
                        "fresh",
                        "Description",
                        "<script>alert(1)</script>");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("cache-control")).hasValue("no-store");
        var words =
                Pattern.compile("<code>([a-z0-9]+)</code>")
                        .matcher(answer.body())
                        .results()
                        .map(w -> w.group(1))
                        .toList();
        assertThat(words).extracting(String::length).containsExactly(5, 10, 30);
        var password = words.getLast();
        var admin = features.projects().staticAdmin(new ProjectId("fresh")).orElseThrow();
        assertThat(BCrypt.verifyer().verify(password.toCharArray(), admin.passwordHash()).verified)
                .isTrue();
        assertThat(get("/projects", cookie).body())
                .contains("fresh", "&lt;script&gt;")
                .doesNotContain("<script>", password);
        assertThat(get("/audit?ID=fresh", cookie).body()).contains("ops:olga", "added");
    }

    @Test
    void howThePeopleOfAProjectLogInCanBeChangedLater() throws Exception {
        var cookie = login();
        var _ = post("/projects/add", cookie, "form", form("/projects/add", cookie), "ID", "later");
        assertThat(get("/projects/edit?ID=later", cookie).body())
                .contains("<option>hub</option>")
                .doesNotContain(" checked");

        var answer =
                post(
                        "/projects/edit",
                        cookie,
                        "form",
                        form("/projects/edit?ID=later", cookie),
                        "ID",
                        "later",
                        "Description",
                        "of \"late\"",
                        "SharedSSO",
                        "hub",
                        "AllowStrayAsViewer",
                        "on");

        assertThat(answer.statusCode()).isEqualTo(200);
        var project = features.projects().find(new ProjectId("later")).orElseThrow();
        assertThat(project.getSharedSsoName()).isEqualTo("hub");
        assertThat(project.getAllowStrayAsViewer()).isTrue();
        assertThat(project.getStaticAdmin().getUsername()).hasSize(10);
        assertThat(get("/projects/edit?ID=later", cookie).body())
                .contains("<option selected>hub</option>", " checked", "of &quot;late&quot;");
        assertThat(get("/audit?ID=later", cookie).body()).contains("edited");
    }

    @Test
    void whatCannotBeEditedIsToldAndStaysAsItIs() throws Exception {
        var cookie = login();
        var form = form("/projects/add", cookie);

        assertThat(post("/projects/edit", cookie, "form", form, "ID", "here").body())
                .contains("project: here is of the configuration file");
        assertThat(post("/projects/edit", cookie, "form", form, "ID", "nowhere").body())
                .contains("nowhere");
        for (var path : List.of("/projects/edit", "/projects/edit?ID=nowhere"))
            assertThat(get(path, cookie).statusCode()).as(path).isEqualTo(400);
        assertThat(post("/projects/edit", cookie, "form", "", "ID", "here").statusCode())
                .isEqualTo(403);
        assertThat(confirmed("/projects/delete", cookie, form, "here", "here").body())
                .contains("project: here is of the configuration file");
    }

    @Test
    void aFormOfAnotherSiteDoesNothing() throws Exception {
        var cookie = login();

        for (var form : List.of("", "0".repeat(64))) {
            var answer = post("/projects/add", cookie, "form", form, "ID", "planted");
            assertThat(answer.statusCode()).isEqualTo(403);
        }
        var others = login();
        assertThat(
                        post("/projects/add", cookie, "form", form("/", others), "ID", "planted")
                                .statusCode())
                .isEqualTo(403);

        assertThat(features.projects().exists(new ProjectId("planted"))).isFalse();
    }

    @Test
    void whatIsWrongWithANewProjectIsTold() throws Exception {
        var cookie = login();
        var form = form("/projects/add", cookie);

        assertThat(post("/projects/add", cookie, "form", form, "ID", "here").body())
                .contains("ID: here exists");
        assertThat(post("/projects/add", cookie, "form", form, "ID", "../up").body())
                .contains("expected: letters, digits");
        assertThat(
                        post("/projects/add", cookie, "form", form, "ID", "x", "SharedSSO", "none")
                                .body())
                .contains("expected: one of [hub]");
    }

    @Test
    void aPasswordIsResetOnlyWhenTheIdIsTypedAgain() throws Exception {
        var cookie = login();
        var form = form("/", cookie);
        var _ = post("/projects/add", cookie, "form", form, "ID", "forgetful");
        var project = new ProjectId("forgetful");
        var before = features.projects().staticAdmin(project).orElseThrow();

        assertThat(
                        confirmed(
                                        "/projects/reset-password",
                                        cookie,
                                        form,
                                        "forgetful",
                                        "forgetfull")
                                .statusCode())
                .isEqualTo(400);
        assertThat(features.projects().staticAdmin(project)).hasValue(before);
        var answer = confirmed("/projects/reset-password", cookie, form, "forgetful", "forgetful");

        assertThat(answer.statusCode()).isEqualTo(200);
        var after = features.projects().staticAdmin(project).orElseThrow();
        assertThat(after.username()).isEqualTo(before.username());
        assertThat(after.passwordHash()).isNotEqualTo(before.passwordHash());
        assertThat(get("/audit?ID=forgetful", cookie).body())
                .contains("static admin&#39;s password reset")
                .doesNotContain(after.passwordHash());
    }

    @Test
    void aProjectIsDeletedWhenTheIdIsTypedAgainAndNoAgentIsEnabled() throws Exception {
        var cookie = login();
        var form = form("/", cookie);
        var _ = post("/projects/add", cookie, "form", form, "ID", "over");
        var project = new ProjectId("over");
        var admin = new Caller.Person(project, "ann", Set.of("Admin"));
        var agent = features.pipeds().register(admin, "east", "");
        var key = features.apiKeys().generate(admin, "robot", APIKey.Role.READ_WRITE);

        assertThat(confirmed("/projects/delete", cookie, form, "over", "ove").body())
                .contains("confirmationID: not the ID");
        assertThat(confirmed("/projects/delete", cookie, form, "over", "over").body())
                .contains("project: over has 1 enabled agents (expected: none)");
        features.pipeds().disable(admin, agent.id());
        assertThat(features.apiKeys().verify(key).name()).isEqualTo("key:robot");
        assertThat(confirmed("/projects/delete", cookie, form, "over", "over").statusCode())
                .isEqualTo(200);

        assertThat(get("/projects", cookie).body()).doesNotContain("<td>over</td>");
        assertThat(features.projects().exists(project)).isFalse();
        assertThatThrownBy(() -> features.apiKeys().verify(key)).hasMessage("Unauthenticated");
        assertThat(get("/audit?ID=over", cookie).body()).contains("ops:olga", "deleted");
        var again = post("/projects/add", cookie, "form", form, "ID", "over");
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(features.pipeds().list(admin)).hasSize(1);
    }

    @Test
    void theAdministratorOfAProjectOfTheFileIsTheFiles() throws Exception {
        var cookie = login();

        var answer =
                confirmed("/projects/reset-password", cookie, form("/", cookie), "here", "here");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("of the configuration file");
    }

    @Test
    void whoLoggedOutIsOut() throws Exception {
        var cookie = login();

        assertThat(post("/logout", cookie, "form", form("/", cookie)).statusCode()).isEqualTo(303);

        assertThat(get("/projects", cookie).statusCode()).isEqualTo(401);
        assertThat(get("/audit", login()).body()).contains("logged in by password", "logged out");
    }
}
