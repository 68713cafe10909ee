// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.pipecd.config.PipedConfig.GitCredentials;
import dev.pipecd.config.PipedConfig.HostKeys;
import dev.pipecd.config.PipedConfig.NoCredentials;
import dev.pipecd.config.PipedConfig.Password;
import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Against a real Git server with TLS and basic authentication.
class HttpsRemoteTest {
    private static final RepositoryId ID = new RepositoryId("demo");
    private static final GitCredentials RIGHT = password(GitWebServer.PASSWORD, "");
    private static final String PASSWORD_ADVICE =
            "Set `git.username` and `git.password` (a token, in Base64) of the agent's configuration."
                    + " They are sent by https only, to `git.host` only if that is written, and"
                    + " never after a redirect to another host.";

    @TempDir static Path shared;
    private static Path store;
    private static Path certificate;
    private static String head;

    @TempDir Path temp;
    private GitWebServer server;
    private final AtomicBoolean trusting = new AtomicBoolean(true);
    private final AtomicBoolean noting = new AtomicBoolean(false);

    @BeforeAll
    static void commit() throws Exception {
        store = shared.resolve("store.p12");
        certificate = GitWebServer.certificate(store);
        head = GitRemote.init(shared.resolve("served/site")).write("a", "1").commit("one");
    }

    @BeforeEach
    void serve() throws Exception {
        server = GitWebServer.tls(shared.resolve("served"), store);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aRepositoryBehindAPasswordIsFetched() {
        assertThat(fetch(server.address("localhost") + "/site", RIGHT)).isEqualTo(head);
        assertThat(server.credentials()).isNotEmpty().containsOnly(GitWebServer.basic());
    }

    @Test
    void thePasswordIsNeitherInArgumentsNorInVariablesNorLeftOnTheDisk() throws IOException {
        noting.set(true);
        fetch(server.address("localhost") + "/site", RIGHT);

        assertThat(Files.readString(temp.resolve("seen")))
                .contains("fetch", "include.path=")
                .doesNotContain("hunter2");
        assertThat(Files.readAllLines(temp.resolve("modes")))
                .isNotEmpty()
                .allMatch(line -> line.matches("drwx------.*|-rw-------.*"));
        assertThat(temp.resolve("git")).isEmptyDirectory();
    }

    @Test
    void aPasswordInTheAddressIsTakenOutOfIt() throws IOException {
        noting.set(true);
        var address =
                server.address(
                                "%s:%s@localhost"
                                        .formatted(
                                                GitWebServer.USER,
                                                URLEncoder.encode(GitWebServer.PASSWORD, UTF_8)
                                                        .replace("+", "%20")))
                        + "/site";

        assertThat(fetch(address, new NoCredentials())).isEqualTo(head);
        assertThat(Files.readString(temp.resolve("seen")))
                .contains(server.address("localhost") + "/site")
                .doesNotContain("hunter2", GitWebServer.USER + ":");
    }

    @Test
    void aCommitIsPushedWithThePassword() throws IOException {
        noting.set(true);
        try (var repositories = open(server.address("localhost") + "/site", RIGHT)) {
            var draft =
                    new Draft(
                            repositories.fetch(ID).hash(),
                            Map.of("a", "2".getBytes(UTF_8)),
                            "two",
                            new Draft.Author("bot", "bot@example.com"),
                            Instant.EPOCH);
            var commit = repositories.commit(ID, draft);
            server.credentials().clear();

            assertThat(repositories.push(ID, commit, "event")).isEqualTo(new Draft.Done());

            assertThat(server.credentials()).isNotEmpty().containsOnly(GitWebServer.basic());
            assertThat(shared.resolve("served/site/.git/refs/heads/event"))
                    .hasContent(commit + "\n");
            assertThat(Files.readString(temp.resolve("seen")))
                    .contains("push", "include.path=")
                    .doesNotContain("hunter2");
        }
    }

    @Test
    void aPushWithoutThePasswordIsAProblemAndNotARefusal() {
        server.on(
                "/half/",
                exchange -> {
                    var query = String.valueOf(exchange.getRequestURI().getQuery());
                    if (!query.contains("receive-pack")) server.serve(exchange);
                    else {
                        exchange.getResponseHeaders().set("WWW-Authenticate", "Basic");
                        exchange.sendResponseHeaders(401, -1);
                    }
                });
        try (var repositories =
                open(server.address("localhost") + "/half/site", new NoCredentials())) {
            var known = repositories.fetch(ID).hash();

            assertThatThrownBy(() -> repositories.push(ID, known, "event"))
                    .isInstanceOfSatisfying(
                            Problem.class, p -> assertThat(p.advice()).isEqualTo(PASSWORD_ADVICE));
        }
    }

    @Test
    void aWrongPasswordIsToldWithoutBeingShown() {
        var address = server.address("localhost") + "/site";

        assertThatThrownBy(() -> fetch(address, password("wrong-one", "")))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message())
                                    .isEqualTo(
                                            "repository demo: %s: fatal: Authentication failed for '%s/' (expected: a user and password that may read it)"
                                                    .formatted(address, address));
                            assertThat(p.advice()).isEqualTo(PASSWORD_ADVICE);
                        });
    }

    @Test
    void withoutAPasswordNobodyIsAskedForOne() {
        assertThatThrownBy(() -> fetch(server.address("localhost") + "/site", new NoCredentials()))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message()).contains("could not read Username");
                            assertThat(p.advice()).isEqualTo(PASSWORD_ADVICE);
                        });
    }

    @Test
    void aCertificateNobodyTrustsIsToldAndSeesNoPassword() {
        trusting.set(false);

        assertThatThrownBy(() -> fetch(server.address("localhost") + "/site", RIGHT))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message())
                                    .contains("certificate")
                                    .endsWith("(expected: a certificate this machine trusts)");
                            assertThat(p.advice())
                                    .isEqualTo(
                                            "Add the authority that signed it to the machine's own, or name its file in GIT_SSL_CAINFO where the agent starts.");
                        });
        assertThat(server.credentials()).isEmpty();
    }

    @Test
    void aRedirectToAnotherHostDoesNotTakeThePasswordAlong() throws Exception {
        try (var other = GitWebServer.tls(shared.resolve("served"), store)) {
            server.on("/moved/", exchange -> redirect(exchange, other.address("localhost")));

            assertThatThrownBy(() -> fetch(server.address("localhost") + "/moved/site", RIGHT))
                    .isInstanceOfSatisfying(
                            Problem.class, p -> assertThat(p.advice()).isEqualTo(PASSWORD_ADVICE));
            assertThat(other.credentials()).isEmpty();
        }
    }

    @Test
    void aServerThatAskedForThePasswordCannotSendItOnEither() throws Exception {
        try (var other = GitWebServer.tls(shared.resolve("served"), store)) {
            server.on(
                    "/moved/",
                    exchange -> {
                        if (exchange.getRequestHeaders().containsKey("Authorization"))
                            redirect(exchange, other.address("localhost"));
                        else {
                            exchange.getResponseHeaders().set("WWW-Authenticate", "Basic");
                            exchange.sendResponseHeaders(401, -1);
                        }
                    });

            assertThatThrownBy(() -> fetch(server.address("localhost") + "/moved/site", RIGHT))
                    .isInstanceOf(Problem.class);
            assertThat(server.credentials()).contains(GitWebServer.basic());
            assertThat(other.credentials()).isEmpty();
        }
    }

    @Test
    void aRedirectToAnOpenRepositoryIsFollowed() {
        server.on("/moved/", exchange -> redirect(exchange, server.address("localhost") + "/open"));

        assertThat(fetch(server.address("localhost") + "/moved/site", RIGHT)).isEqualTo(head);
    }

    @Test
    void aPasswordForAnotherHostOrWithoutTlsIsNotSent() throws Exception {
        var address = server.address("localhost") + "/site";
        assertThatThrownBy(() -> fetch(address, password(GitWebServer.PASSWORD, "git.example.com")))
                .isInstanceOf(Problem.class);
        assertThat(server.credentials()).isEmpty();

        try (var plain = GitWebServer.plain(shared.resolve("served"))) {
            assertThatThrownBy(() -> fetch(plain.address("localhost") + "/site", RIGHT))
                    .isInstanceOf(Problem.class);
            assertThat(plain.credentials()).isEmpty();
        }
        assertThat(fetch(address, password(GitWebServer.PASSWORD, "LocalHost"))).isEqualTo(head);
    }

    @Test
    void aPasswordThatAServerRepeatsIsNotShown() {
        server.on(
                "/loud/",
                exchange -> {
                    var known = exchange.getRequestHeaders().containsKey("Authorization");
                    exchange.getResponseHeaders().set("WWW-Authenticate", "Basic");
                    exchange.getResponseHeaders().set("Content-Type", "text/plain");
                    send(
                            exchange,
                            known ? 403 : 401,
                            "no %s, %s\n".formatted(GitWebServer.PASSWORD, GitWebServer.basic()));
                });

        assertThatThrownBy(() -> fetch(server.address("localhost") + "/loud/site", RIGHT))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p ->
                                assertThat(p.told())
                                        .contains("remote: no ******, Basic ******")
                                        .doesNotContain("hunter2"));
    }

    @Test
    void aPasswordOfTwoLinesIsRefusedBeforeItIsSent() {
        assertThatThrownBy(() ->
                        fetch(
                                server.address("localhost") + "/site",
                                password("a\nhost=evil.example.com", "")))
                .hasMessage("git.username or git.password: ****** (expected: one line)");
        assertThat(server.credentials()).isEmpty();
        assertThat(
                        fetch(
                                server.address("localhost") + "/site",
                                password(GitWebServer.PASSWORD + "\n", "")))
                .isEqualTo(head);
    }

    @Test
    void garbageIsToldAndForgottenWithTheNextGoodAnswer() {
        var sane = new AtomicBoolean(true);
        server.on(
                "/odd/",
                exchange -> {
                    if (sane.get()) redirect(exchange, server.address("localhost") + "/open");
                    else {
                        exchange.getResponseHeaders()
                                .set("Content-Type", "application/x-git-upload-pack-advertisement");
                        send(exchange, 200, "zzzz\u001b[2J garbage \0\1\2");
                    }
                });
        try (var repositories = open(server.address("localhost") + "/odd/site", RIGHT)) {
            repositories.fetch(ID);

            sane.set(false);
            assertThatThrownBy(() -> repositories.fetch(ID))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            p -> {
                                assertThat(p.code()).isEqualTo(Problem.Code.REPOSITORY_UNREACHABLE);
                                assertThat(p.told()).contains("fatal: ").doesNotContain("\u001b");
                            });
            assertThat(repositories.head(ID)).map(Commit::hash).hasValue(head);

            sane.set(true);
            assertThat(repositories.fetch(ID).hash()).isEqualTo(head);
            assertThat(repositories.health().get(ID)).returns(true, Health::ok);
        }
    }

    @Test
    void aCloneThatBreaksOffLeavesNothingHalfMade() throws IOException {
        var broken = new AtomicBoolean(true);
        server.on(
                "/torn/",
                exchange -> {
                    if (broken.get() && exchange.getRequestMethod().equals("POST")) {
                        exchange.getResponseHeaders()
                                .set("Content-Type", "application/x-git-upload-pack-result");
                        send(exchange, 200, "000dpackfile\n0009\1PACK");
                    } else server.serve(exchange);
                });
        try (var repositories = open(server.address("localhost") + "/torn/site", RIGHT)) {
            assertThatThrownBy(() -> repositories.fetch(ID)).isInstanceOf(Problem.class);
            assertThat(temp.resolve("mirrors")).isEmptyDirectory();

            broken.set(false);
            assertThat(repositories.fetch(ID).hash()).isEqualTo(head);
        }
    }

    @Test
    void aServerThatNeverAnswersIsGivenUp() {
        var end = new CountDownLatch(1);
        server.on(
                "/slow/",
                exchange -> {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        var address = server.address("localhost") + "/slow/site";
        try (var repositories = open(address, RIGHT, Duration.ofSeconds(1))) {
            assertThatThrownBy(() -> repositories.fetch(ID))
                    .hasMessage(
                            "repository demo: %s: no answer within 1 s (expected: a remote that answers)"
                                    .formatted(address));
            assertThat(temp.resolve("git")).isEmptyDirectory();
        } finally {
            end.countDown();
        }
    }

    private static void redirect(HttpExchange exchange, String to) throws IOException {
        var uri = exchange.getRequestURI();
        var rest = uri.getPath().replaceFirst("^/[a-z]+/", "/");
        exchange.getResponseHeaders().set("Location", to + rest + "?" + uri.getRawQuery());
        exchange.sendResponseHeaders(302, -1);
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        var bytes = body.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static GitCredentials password(String password, String onlyFor) {
        return new Password(Secret.written("git.password", password), onlyFor);
    }

    private String fetch(String address, GitCredentials credentials) {
        try (var repositories = open(address, credentials)) {
            return repositories.fetch(ID).hash();
        }
    }

    private Repositories open(String address, GitCredentials credentials) {
        return open(address, credentials, Duration.ofMinutes(1));
    }

    private Repositories open(String address, GitCredentials credentials, Duration deadline) {
        var access =
                new GitAccess(
                        temp.resolve("git"),
                        GitRemote.settings(new HostKeys("", false), credentials));
        return new Repositories(
                temp.resolve("mirrors"),
                List.of(new Repository(ID, address, "main")),
                new GitBinary(git().toString(), access, deadline, deadline),
                InstantSource.system());
    }

    /// The real git, which trusts the server and, where a test looks at it, notes what everyone on
    /// the machine could see.
    private Path git() {
        var trust = trusting.get() ? "export GIT_SSL_CAINFO='%s'\n".formatted(certificate) : "";
        var notes =
                noting.get()
                        ? """
                        { echo "$*"; env; } >> '%1$s/seen'
                        find '%1$s/git' -mindepth 1 -exec ls -ld {} + >> '%1$s/modes'
                        """
                                .formatted(temp)
                        : "";
        try {
            var script =
                    Files.writeString(
                            temp.resolve("trusting-git"),
                            "#!/bin/sh\n" + notes + trust + "exec git \"$@\"\n");
            script.toFile().setExecutable(true);
            return script;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
