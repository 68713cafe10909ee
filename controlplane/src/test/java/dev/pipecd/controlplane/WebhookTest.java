// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.http.Webhook;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.model.ApplicationGitRepository;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class WebhookTest {
    private static final String PUSH =
            """
            {"ref":"refs/heads/main","repository":{"clone_url":"https://github.com/org/repo.git",
            "ssh_url":"git@github.com:org/repo.git","html_url":"https://github.com/org/repo"}}\
            """;
    private static final String GITLAB_PUSH =
            """
            {"object_kind":"push","ref":"refs/heads/main","project":{"git_http_url":"https://github.com/org/repo.git"}}\
            """;

    private final List<Change> told = new CopyOnWriteArrayList<>();
    private final Map<Webhook.Watched, ApplicationGitRepository> watched = new LinkedHashMap<>();
    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = RunningServer.start();
    }

    @BeforeEach
    void watch() {
        server.webhookSecret = "topsecret";
        server.watching = this::watching;
        server.changes.listen(told::add);
        watches("piped-1", "r1", "git@github.com:org/repo", "main");
        watches("piped-2", "r2", "https://GitHub.com/org/repo/", "main");
        watches("piped-3", "r3", "https://github.com/org/repo.git", "release");
        watches("piped-4", "r4", "https://github.com/org/other.git", "main");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private void watches(String piped, String id, String remote, String branch) {
        watched.put(
                new Webhook.Watched(RunningServer.PROJECT, new PipedId(piped), id),
                ApplicationGitRepository.newBuilder().setRemote(remote).setBranch(branch).build());
    }

    private List<Webhook.Watched> watching(Webhook.Pushed pushed) {
        return watched.entrySet().stream()
                .filter(w -> pushed.concerns(w.getValue().getRemote(), w.getValue().getBranch()))
                .map(Map.Entry::getKey)
                .toList();
    }

    @Test
    void aPushOnGithubIsToldToWhoWatchesThatBranch() throws Exception {
        var answer =
                server.post(
                        "gateway",
                        "/webhook/github",
                        PUSH,
                        "x-github-event",
                        "push",
                        "x-hub-signature-256",
                        "sha256=" + hmac(PUSH, "topsecret"));

        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).isEqualTo("{\"agents\":2}");
        assertThat(told)
                .extracting(Change::kind, Change::piped, Change::id)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(
                                Change.Kind.REPOSITORY, "piped-1", "r1"),
                        org.assertj.core.groups.Tuple.tuple(
                                Change.Kind.REPOSITORY, "piped-2", "r2"));
    }

    @Test
    void aPushOnGiteaIsToldToo() throws Exception {
        var answer =
                server.post(
                        "HTTP",
                        "/webhook/gitea",
                        PUSH,
                        "x-gitea-event",
                        "push",
                        "x-gitea-signature",
                        hmac(PUSH, "topsecret"));

        assertThat(answer.body()).isEqualTo("{\"agents\":2}");
    }

    @Test
    void aPushOnGitlabIsToldToo() throws Exception {
        var answer =
                server.post(
                        "HTTP",
                        "/webhook/gitlab",
                        GITLAB_PUSH,
                        "x-gitlab-event",
                        "Push Hook",
                        "x-gitlab-token",
                        "topsecret");

        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).isEqualTo("{\"agents\":2}");
    }

    @Test
    void aRepositoryOnDiskIsKnownByItsPath() throws Exception {
        watches("piped-5", "demo", "file:///srv/demo/repo.git", "main");
        var push =
                "{\"ref\":\"refs/heads/main\",\"repository\":{\"clone_url\":\"/srv/demo/repo/\"}}";

        assertThat(github(push, "push", "sha256=" + hmac(push, "topsecret")).body())
                .isEqualTo("{\"agents\":1}");
    }

    @Test
    void aWrongSignatureIsRefused() throws Exception {
        for (var signature :
                List.of("", "sha256=", hmac(PUSH, "topsecret"), "sha256=" + hmac(PUSH, "other")))
            assertThat(github(PUSH, "push", signature).statusCode()).isEqualTo(401);
        assertThat(told).isEmpty();
    }

    @Test
    void aWrongTokenIsRefused() throws Exception {
        var answer =
                server.post(
                        "HTTP",
                        "/webhook/gitlab",
                        GITLAB_PUSH,
                        "x-gitlab-event",
                        "Push Hook",
                        "x-gitlab-token",
                        "topsecre");

        assertThat(answer.statusCode()).isEqualTo(401);
    }

    @Test
    void otherEventsAreAcceptedAndIgnored() throws Exception {
        var signature = "sha256=" + hmac(PUSH, "topsecret");
        var tag = PUSH.replace("refs/heads/main", "refs/tags/v1");

        assertThat(github(PUSH, "ping", signature).statusCode()).isEqualTo(200);
        assertThat(github(tag, "push", "sha256=" + hmac(tag, "topsecret")).statusCode())
                .isEqualTo(200);
        assertThat(told).isEmpty();
    }

    @Test
    void withoutASecretThePathSaysWhatToSet() throws Exception {
        server.webhookSecret = "";

        var answer = github(PUSH, "push", "sha256=" + hmac(PUSH, "x"));

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("webhook.secret");
    }

    @Test
    void aBodyThatIsNotJsonIsRefused() throws Exception {
        assertThat(
                        github("payload=x", "push", "sha256=" + hmac("payload=x", "topsecret"))
                                .statusCode())
                .isEqualTo(400);
    }

    /// With the commits before and behind what is looked for.
    @Test
    void aPushOfManyCommitsIsHeardToo() throws Exception {
        var commits =
                "\"commits\":[{\"message\":\"%s\",\"url\":\"u\"}],".formatted("x".repeat(12 << 20));
        var large =
                PUSH.replaceFirst("\\{", "{" + commits)
                        .replaceFirst("}\\s*$", "," + commits + "\"size\":1}");

        var answer = github(large, "push", "sha256=" + hmac(large, "topsecret"));

        assertThat(answer.body()).isEqualTo("{\"agents\":2}");
        assertThat(github(large, "push", "sha256=" + hmac(PUSH, "topsecret")).statusCode())
                .isEqualTo(401);
    }

    @Test
    void aBodyOverTwentyFiveMegabytesIsRefused() throws Exception {
        var large = "x".repeat((25 << 20) + 1);

        assertThat(github(large, "push", "sha256=" + hmac(large, "topsecret")).statusCode())
                .isEqualTo(413);
    }

    private java.net.http.HttpResponse<String> github(String body, String event, String signature)
            throws Exception {
        return server.post(
                "HTTP",
                "/webhook/github",
                body,
                "x-github-event",
                event,
                "x-hub-signature-256",
                signature);
    }

    private static String hmac(String body, String key) throws Exception {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(body.getBytes(UTF_8)));
    }
}
