// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.mistakes;
import static dev.pipecd.config.read.Reading.piped;
import static dev.pipecd.config.read.Reading.warnings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.PipedConfig.Addresses;
import dev.pipecd.config.PipedConfig.EventWatcher;
import dev.pipecd.config.PipedConfig.Git;
import dev.pipecd.config.PipedConfig.HostKeys;
import dev.pipecd.config.PipedConfig.Intervals;
import dev.pipecd.config.PipedConfig.NoCredentials;
import dev.pipecd.config.PipedConfig.Password;
import dev.pipecd.config.PipedConfig.PlanPreview;
import dev.pipecd.config.PipedConfig.Repository;
import dev.pipecd.config.PipedConfig.SshKey;
import dev.pipecd.config.PipedConfig.WatchedRepository;
import dev.pipecd.config.SecretManagement;
import dev.pipecd.config.Warning;
import dev.pipecd.domain.RepositoryId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PipedDocumentTest {
    static final String FULL =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: quickstart
              pipedID: p1
              pipedKeyData: c2VjcmV0LWtleQo=
              name: dev
              apiAddress: cd.example.com:443
              webAddress: https://cd.example.com
              syncInterval: 2m
              appConfigSyncInterval: 3m
              git:
                username: bot
                email: bot@example.com
                sshConfigFilePath: /home/bot/.ssh/config
                host: git.example.com
                hostName: 10.0.0.1
                sshKeyData: c3NoLWtleQ==
              repositories:
                - {repoId: demo, remote: "https://me:hunter2@git.example.com/demo.git", branch: main, depth: 50}
              plugins:
                - name: script
                - name: kubernetes
                  url: https://example.com/kubernetes
                  port: 7001
                  config: {chartRepositories: [{name: c, password: hunter2}]}
                  deployTargets:
                    - name: local
                      labels: {env: dev}
                      config: {masterURL: https://k8s.example.com, tries: 3}
              notifications:
                routes:
                  - {name: all, receiver: hook, events: [DEPLOYMENT_FAILED], ignoreGroups: [PIPED], apps: [a], labels: {x: z}}
                receivers:
                  - name: hook
                    webhook: {url: https://example.com/hook, signatureValue: hook-secret, hmacKey: hook-key}
                  - name: slack
                    slack: {oauthTokenData: c2xhY2stdG9rZW4=, channelID: C1, mentionedAccounts: ["@ann", bob], mentionedGroups: [ops]}
                  - name: slack-hook
                    slack: {hookURL: https://hooks.example.com/T}
              secretManagement:
                type: KEY_PAIR
                config: {privateKeyData: cHJpdmF0ZQ==, publicKeyFile: /etc/public}
              eventWatcher:
                checkInterval: 30s
                gitRepos: [{repoId: demo, commitMessage: m, includes: [a], excludes: [b]}]
              planPreview: {workerNum: 1, commandQueueBufferSize: 2, commandCheckInterval: 3s, commandHandleTimeout: 4m}
              appSelector: {team: web}
            """;

    private static final String SMALL =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: p
              pipedID: i
              pipedKeyFile: /etc/key
              apiAddress: localhost:8080
            """;

    @TempDir Path folder;

    @Test
    void everyFieldIsRead() {
        var loaded = piped(FULL);
        var config = loaded.value();

        assertThat(loaded.warnings()).isEmpty();
        assertThat(config.identity().projectId().value()).isEqualTo("quickstart");
        assertThat(config.identity().pipedId().value()).isEqualTo("p1");
        assertThat(config.identity().key().reveal()).isEqualTo("secret-key");
        assertThat(config.identity().name()).isEqualTo("dev");
        assertThat(config.addresses())
                .isEqualTo(new Addresses("cd.example.com:443", "https://cd.example.com"));
        assertThat(config.intervals())
                .isEqualTo(
                        new Intervals(
                                Duration.ofMinutes(2),
                                Duration.ofMinutes(3),
                                Duration.ofMinutes(2)));
        assertThat(config.repositories())
                .containsExactly(
                        new Repository(
                                new RepositoryId("demo"),
                                "https://me:hunter2@git.example.com/demo.git",
                                "main",
                                50));
        assertThat(config.additions().eventWatcher())
                .isEqualTo(
                        new EventWatcher(
                                Duration.ofSeconds(30),
                                List.of(
                                        new WatchedRepository(
                                                new RepositoryId("demo"),
                                                "m",
                                                List.of("a"),
                                                List.of("b")))));
        assertThat(config.additions().planPreview())
                .isEqualTo(new PlanPreview(1, 2, Duration.ofSeconds(3), Duration.ofMinutes(4)));
        assertThat(config.additions().appSelector()).isEqualTo(Map.of("team", "web"));
    }

    @Test
    void gitIsRead() {
        var git = piped(FULL).value().git();

        assertThat(git.username()).isEqualTo("bot");
        assertThat(git.email()).isEqualTo("bot@example.com");
        assertThat(git.sshConfigFilePath()).isEqualTo("/home/bot/.ssh/config");
        assertThat(git.host()).isEqualTo("git.example.com");
        assertThat(git.hostName()).isEqualTo("10.0.0.1");
        assertThat(git.credentials())
                .isInstanceOfSatisfying(
                        SshKey.class, ssh -> assertThat(ssh.key().reveal()).isEqualTo("ssh-key"));
    }

    @Test
    void hostKeysOfGitAreStrictUnlessWritten() {
        assertThat(
                        piped(
                                        SMALL
                                                + "  git: {knownHostsFile: /etc/hosts_known, acceptNewHostKeys: true}\n")
                                .value()
                                .git()
                                .hostKeys())
                .isEqualTo(new HostKeys("/etc/hosts_known", true));
        assertThat(piped(SMALL).value().git().hostKeys()).isEqualTo(new HostKeys("", false));
    }

    @Test
    void aPasswordBelongsToTheHostWrittenBesideItOrToAll() {
        assertThat(onlyFor("git: {username: me, password: cHc=, host: git.example.com}"))
                .isEqualTo("git.example.com");
        assertThat(onlyFor("git: {username: me, password: cHc=}")).isEmpty();
    }

    private static String onlyFor(String git) {
        var credentials = piped(SMALL + "  " + git + "\n").value().git().credentials();
        return credentials instanceof Password password ? password.onlyFor() : "no password";
    }

    @Test
    void pluginsAreRead() {
        var config = piped(FULL).value();

        assertThat(config.plugins())
                .extracting(PipedConfig.Plugin::url)
                .containsExactly("builtin:script", "https://example.com/kubernetes");
        assertThat(config.plugins()).extracting(PipedConfig.Plugin::port).containsExactly(0, 7001);
        assertThat(config.plugin("script").orElseThrow().builtin()).hasValue("script");
        assertThat(config.plugin("script").orElseThrow().config().isNull()).isTrue();
        var kubernetes = config.plugin("kubernetes").orElseThrow();
        assertThat(kubernetes.builtin()).isEmpty();
        assertThat(kubernetes.config())
                .hasToString("{\"chartRepositories\":[{\"name\":\"c\",\"password\":\"hunter2\"}]}");
        var target = kubernetes.deployTargets().getFirst();
        assertThat(target.name()).isEqualTo("local");
        assertThat(target.labels()).isEqualTo(Map.of("env", "dev"));
        assertThat(target.config())
                .hasToString("{\"masterURL\":\"https://k8s.example.com\",\"tries\":3}");
    }

    @Test
    void secretManagementIsRead() {
        assertThat(piped(FULL).value().additions().secretManagement())
                .isInstanceOfSatisfying(
                        SecretManagement.KeyPair.class,
                        pair -> assertThat(pair.privateKey().reveal()).isEqualTo("private"));
        var unusable =
                piped(
                        SMALL
                                + "  secretManagement: {type: GCP_KMS, config: {keyName: k, decryptServiceAccountFile: a, encryptServiceAccountFile: b}}\n");
        assertThat(unusable.value().additions().secretManagement())
                .isInstanceOf(SecretManagement.GcpKms.class);
        assertThat(unusable.warnings())
                .extracting(Warning::toString)
                .containsExactly(
                        "piped.yaml:8:28: spec.secretManagement.type: \"GCP_KMS\" (the agent does not start with it; expected: KEY_PAIR)");
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + "  secretManagement: {type: AWS_KMS, config: {a: b}}\n")))
                .containsExactly(
                        "piped.yaml:8:28: spec.secretManagement.type: \"AWS_KMS\" (expected: one of KEY_PAIR, GCP_KMS)");
        assertThat(mistakes(() -> piped(SMALL + "  secretManagement: {type: KEY_PAIR}\n")))
                .hasSize(2);
        assertThat(mistakes(() -> piped(SMALL + "  secretManagement: {type: GCP_KMS}\n")))
                .hasSize(3);
    }

    @Test
    void whatIsNotWrittenHasItsDefault() {
        var config = piped(SMALL).value();

        assertThat(config.identity().name()).isEmpty();
        assertThat(config.addresses().web()).isEmpty();
        assertThat(config.intervals())
                .isEqualTo(
                        new Intervals(
                                Duration.ofMinutes(1),
                                Duration.ofMinutes(1),
                                Duration.ofMinutes(2)));
        assertThat(config.git())
                .isEqualTo(
                        new Git(
                                "piped",
                                "pipecd.dev@gmail.com",
                                "",
                                "github.com",
                                "github.com",
                                new HostKeys("", false),
                                new NoCredentials()));
        assertThat(config.repositories()).isEmpty();
        assertThat(config.additions().notifications().routes()).isEmpty();
        assertThat(config.additions().secretManagement()).isEqualTo(new SecretManagement.Unset());
        assertThat(config.additions().eventWatcher())
                .isEqualTo(new EventWatcher(Duration.ofMinutes(1), List.of()));
        assertThat(config.additions().planPreview())
                .isEqualTo(new PlanPreview(3, 10, Duration.ofSeconds(5), Duration.ofMinutes(5)));
        assertThat(config.additions().appSelector()).isEmpty();
    }

    @Test
    void zeroCountsAsNotWritten() {
        var config = piped(SMALL + "  syncInterval: 0s\n  planPreview: {workerNum: 0}\n").value();

        assertThat(config.intervals().sync()).isEqualTo(Duration.ofMinutes(1));
        assertThat(config.additions().planPreview().workers()).isEqualTo(3);
    }

    @Test
    void theKeyComesFromItsFileTrimmed() throws Exception {
        var key = Files.writeString(folder.resolve("key"), "  the-key \n\n");

        assertThat(
                        piped(SMALL.replace("/etc/key", key.toString()))
                                .value()
                                .identity()
                                .key()
                                .reveal())
                .isEqualTo("the-key");
    }

    @Test
    void whatIsRequiredIsMissedAllAtOnce() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        "apiVersion: pipecd.dev/v1beta1\nkind: Piped\nspec:\n  name: x\n")))
                .containsExactlyInAnyOrder(
                        "piped.yaml:4:3: spec.projectID: missing (expected: text)",
                        "piped.yaml:4:3: spec.pipedID: missing (expected: text)",
                        "piped.yaml:4:3: spec.pipedKeyFile: missing (expected: pipedKeyFile or pipedKeyData)",
                        "piped.yaml:4:3: spec.apiAddress: missing (expected: text)");
    }

    @Test
    void aKeyIsGivenInOneWay() {
        assertThat(mistakes(() -> piped(SMALL + "  pipedKeyData: a2V5\n")))
                .containsExactly(
                        "piped.yaml:8:17: spec.pipedKeyData: beside spec.pipedKeyFile (expected: only one of the two)");
    }

    @Test
    void aKeyThatIsNotBase64IsNotQuoted() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL.replace(
                                                "pipedKeyFile: /etc/key",
                                                "pipedKeyData: hunter2!"))))
                .containsExactly("piped.yaml:6:17: spec.pipedKeyData: ****** (expected: Base64)");
    }

    @Test
    void gitCredentialsExcludeEachOther() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + "  git: {username: me, sshKeyFile: k, password: cHc=}\n")))
                .containsExactly(
                        "piped.yaml:8:48: spec.git.password: beside an SSH key (expected: only one of the two)");
        assertThat(mistakes(() -> piped(SMALL + "  git: {password: cHc=}\n")))
                .containsExactly(
                        "piped.yaml:8:8: spec.git.username: missing (expected: text, as there is a password)");
        assertThat(
                        piped(SMALL + "  git: {username: me, password: cHc=}\n")
                                .value()
                                .git()
                                .credentials())
                .isInstanceOfSatisfying(
                        Password.class,
                        basic -> assertThat(basic.password().reveal()).isEqualTo("pw"));
    }

    @Test
    void namesThatComeTwiceAreMistakes() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + """
                                                  repositories:
                                                    - {repoId: a, remote: r, branch: b}
                                                    - {repoId: a, remote: s}
                                                  plugins:
                                                    - {name: p, port: 7001, deployTargets: [{name: t}, {name: t}]}
                                                    - {name: p, port: 7001}
                                                  eventWatcher: {gitRepos: [{repoId: a}, {repoId: a}]}
                                                """)))
                .containsExactly(
                        "piped.yaml:10:7: spec.repositories[1].branch: missing (expected: text)",
                        "piped.yaml:10:16: spec.repositories[1].repoId: \"a\" (expected: each repository once)",
                        "piped.yaml:12:63: spec.plugins[0].deployTargets[1].name: \"t\" (expected: each deploy target of a plugin once)",
                        "piped.yaml:13:14: spec.plugins[1].name: \"p\" (expected: each plugin once)",
                        "piped.yaml:13:23: spec.plugins[1].port: \"7001\" (expected: each port once)",
                        "piped.yaml:14:51: spec.eventWatcher.gitRepos[1].repoId: \"a\" (expected: each repository once)");
    }

    @Test
    void whatIsNotKnownIsWarnedOf() {
        assertThat(warnings(piped(SMALL + "  repositorys: []\n")))
                .containsExactly(
                        "piped.yaml:8:3: spec.repositorys: repositorys (ignored: not a known key; did you mean \"repositories\"?)");
    }

    @Test
    void anAddressWithoutPortIsWarnedOf() {
        assertThat(warnings(piped(SMALL.replace("localhost:8080", "localhost"))))
                .containsExactly(
                        "piped.yaml:7:15: spec.apiAddress: \"localhost\" (expected: host:port)");
    }

    @Test
    void negativeDurationsAndCountsAreMistakes() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + "  syncInterval: -1m\n  planPreview: {workerNum: -1}\n")))
                .hasSize(2);
    }
}
