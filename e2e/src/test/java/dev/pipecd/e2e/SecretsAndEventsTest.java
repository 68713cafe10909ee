// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static dev.pipecd.wire.model.StageStatus.STAGE_RUNNING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.web.GenerateApplicationSealedSecretRequest;
import dev.pipecd.wire.web.ListEventsRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// What only the agent can read, and what it writes itself: both by way of the real control plane.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SecretsAndEventsTest {
    private static final String PASSWORD = "s3cret-of-the-test";

    private Installation at;

    @BeforeAll
    void open() throws GeneralSecurityException {
        var pair = KeyPairGenerator.getInstance("RSA").generateKeyPair();
        at =
                Installation.open(
                        """
                          secretManagement:
                            type: KEY_PAIR
                            config: {privateKeyData: %s, publicKeyData: %s}
                          eventWatcher: {checkInterval: 10m} # it is told of events
                        """
                                .formatted(
                                        pem("PRIVATE KEY", pair.getPrivate()),
                                        pem("PUBLIC KEY", pair.getPublic())));
        at.repository().git("config", "receive.denyCurrentBranch", "updateInstead");
    }

    @AfterAll
    void close() throws Exception {
        at.close();
    }

    @Test
    void aSecretIsOpenedForItsStagesAndGoneWhenTheyAreOverEvenIfTheAgentDied() throws IOException {
        at.write("password", PASSWORD);
        var byCommandLine =
                at.pipectl(
                        "encrypt",
                        "--piped-id",
                        at.pipedId(),
                        "--input-file",
                        at.dir().resolve("password").toString());
        assertThat(byCommandLine.code()).as(byCommandLine.output()).isZero();
        var byWeb =
                at.person()
                        .web()
                        .generateApplicationSealedSecret(
                                GenerateApplicationSealedSecretRequest.newBuilder()
                                        .setPipedId(at.pipedId())
                                        .setData(PASSWORD)
                                        .setBase64Encoding(true)
                                        .build())
                        .getData();
        var copy = at.dir().resolve("copy");
        at.repository()
                .commit(
                        "sealed/secret.txt",
                        "{{ .encryptedSecrets.one }} {{ .encryptedSecrets.two | b64dec }}\n",
                        "Add a file with secrets");
        var sample =
                Sample.pipeline()
                        .script("cp secret.txt '%s'".formatted(copy))
                        .approval(1, Installation.USER)
                        .script("cat secret.txt >>'%s'".formatted(copy));
        var app =
                at.add(
                        "sealed",
                        sample.yaml("sealed")
                                + """
                                  encryption:
                                    encryptedSecrets:
                                      one: %s
                                      two: %s
                                    decryptionTargets: [secret.txt]
                                """
                                        .formatted(byCommandLine.output().strip(), byWeb));
        var waiting = app.awaitStage(app.first(), 1, STAGE_RUNNING);
        at.agent().kill();
        at.startAgent();
        at.person().approve(waiting, 1);
        var ended = app.awaitEnd(waiting);

        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        assertThat(Files.readString(copy))
                .isEqualTo("%s %s\n".formatted(PASSWORD, PASSWORD).repeat(2));
        at.await(
                "the opened secrets to be gone",
                () -> holdsPassword() ? Optional.empty() : Optional.of(true));
    }

    private boolean holdsPassword() throws IOException {
        try (var files = Files.walk(at.dir().resolve("piped/work"))) {
            for (var file : files.filter(Files::isRegularFile).toList())
                if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(PASSWORD))
                    return true;
        }
        return false;
    }

    @Test
    void anEventBecomesACommitAndTheCommitADeployment() {
        at.repository()
                .commit("watched/deploy.yaml", "# ours\nimage: v1 # by events\n", "Add a manifest");
        var app =
                at.add(
                        "watched",
                        Sample.pipeline().script("cat deploy.yaml").yaml("watched")
                                + """
                                  eventWatcher:
                                    - matcher: {name: built, labels: {env: dev}}
                                      handler:
                                        type: GIT_UPDATE
                                        config:
                                          commitMessage: Take {{ .Value }}
                                          replacements:
                                            - {file: deploy.yaml, yamlField: $.image}
                                """);
        var first = app.awaitEnd(app.first());

        var registered =
                at.pipectl(
                        "event",
                        "register",
                        "--name",
                        "built",
                        "--data",
                        "v2",
                        "--labels",
                        "env=dev",
                        "--contexts",
                        "Build=7");

        assertThat(registered.code()).as(registered.output()).isZero();
        var second = app.awaitEnd(app.after(first));
        assertThat(App.told(second)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        assertThat(second.getTrigger().getCommit().getMessage()).isEqualTo("Take v2");
        assertThat(app.log(second, 0)).contains("# ours", "image: v2 # by events");
        assertThat(at.repository().git("log", "-1", "--format=%an%n%b", "main"))
                .isEqualTo("piped\nBuild: 7\n\n");
        at.await(
                "the event's end",
                () ->
                        at
                                .person()
                                .web()
                                .listEvents(ListEventsRequest.getDefaultInstance())
                                .getEventsList()
                                .stream()
                                .filter(e -> e.getStatus() == EventStatus.EVENT_SUCCESS)
                                .findFirst());
    }

    @Test
    void aPipelineDeliversAnEventAndThenAgainWhatStandsInGit() throws IOException {
        at.repository().commit("delivered/deploy.yaml", "image: v1\n", "Add a manifest");
        var app =
                at.add(
                        "delivered",
                        Sample.pipeline().script("cat deploy.yaml").yaml("delivered")
                                + """
                                  eventWatcher:
                                    - matcher: {name: packed}
                                      handler:
                                        type: GIT_UPDATE
                                        config:
                                          replacements:
                                            - {file: deploy.yaml, yamlField: $.image}
                                """);
        var first = app.awaitEnd(app.first());
        var page = at.dir().resolve("page.md");

        var byEvent =
                at.pipectl(
                        "deliver",
                        "--event=packed",
                        "--data=v2",
                        "--commit-hash=0123456789012345678901234567890123456789",
                        "--app-id=" + app.id(),
                        "--summary=" + page);

        assertThat(byEvent.code()).as(byEvent.output()).isZero();
        var second = app.awaitEnd(app.after(first));
        assertThat(byEvent.output().lines())
                .anyMatch(line -> line.matches("Event packed is registered \\(.+\\); waiting .*"))
                .contains("== SCRIPT_RUN", "Deployment %s is SUCCESS".formatted(second.getId()))
                .anyMatch(line -> line.endsWith("Z image: v2"))
                .last()
                .asString()
                .startsWith(
                        "Deployment %s of delivered ended as SUCCESS".formatted(second.getId()));
        assertThat(page)
                .content()
                .startsWith("### ✅ delivered: SUCCESS\n")
                .contains(
                        "Deployment `%s`".formatted(second.getId()), "| SCRIPT&#95;RUN | SUCCESS");

        var bySync =
                at.pipectl(
                        "deliver",
                        "--app-id=no-such-application," + app.id(),
                        "--logs=false",
                        "--summary=" + page);

        assertThat(bySync.code()).as(bySync.output()).isEqualTo(1);
        var third = app.awaitEnd(app.after(second));
        assertThat(bySync.output().lines())
                .anyMatch(line -> line.matches("Error: .*no-such-application.*"))
                .last()
                .asString()
                .startsWith("Deployment %s of delivered ended as SUCCESS".formatted(third.getId()));
        assertThat(page)
                .content()
                .contains(
                        "### ❌ no&#45;such&#45;application: not delivered\n",
                        "Deployment `%s`".formatted(third.getId()));
    }

    private static String pem(String kind, Key key) {
        var body = Base64.getMimeEncoder().encodeToString(key.getEncoded());
        return Base64.getEncoder()
                .encodeToString(
                        "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                                .formatted(kind, body, kind)
                                .getBytes(StandardCharsets.UTF_8));
    }
}
