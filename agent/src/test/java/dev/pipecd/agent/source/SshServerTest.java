// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.PipedConfig.HostKeys;
import dev.pipecd.config.PipedConfig.NoCredentials;
import dev.pipecd.config.PipedConfig.SshKey;
import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Against a real SSH server, with the real `ssh`.
class SshServerTest {
    private static final RepositoryId ID = new RepositoryId("demo");

    @TempDir static Path shared;
    private static Path served;
    private static String head;
    private static KeyPair key;

    @TempDir Path temp;
    private GitSshServer server;

    @BeforeAll
    static void commit() throws Exception {
        served = shared.resolve("site");
        head = GitRemote.init(served).write("a", "1").commit("one");
        key = GitSshServer.newKey();
    }

    @BeforeEach
    void start() throws Exception {
        server = GitSshServer.start(0, GitSshServer.newKey(), key.getPublic());
        know(server.knownHost());
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    @Test
    void aRepositoryIsFetchedWithTheKeyFromAHostThatIsKnown() throws Exception {
        assertThat(fetch(strict(), key)).isEqualTo(head);
        assertThat(server.offered()).containsOnly("git");
        assertThat(temp.resolve("git")).isEmptyDirectory();
    }

    @Test
    void anUnknownHostIsToldWithItsFingerprintAndSeesNoKey() throws Exception {
        know("");

        assertThatThrownBy(() -> fetch(strict(), key))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message())
                                    .isEqualTo(
                                            "repository demo: %s: host key of [127.0.0.1]:%d is not known: ecdsa-sha2-nistp256 %s (expected: a key among the known hosts)"
                                                    .formatted(
                                                            shown(),
                                                            server.port(),
                                                            server.fingerprint()));
                            assertThat(p.advice())
                                    .contains(
                                            "`ssh-keyscan -p %d 127.0.0.1`"
                                                    .formatted(server.port()));
                        });
        assertThat(server.offered()).isEmpty();
    }

    @Test
    void aHostWhoseKeyHasChangedIsRefusedAndSeesNoKey() throws Exception {
        replaceHost();

        assertThatThrownBy(() -> fetch(strict(), key))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message())
                                    .isEqualTo(
                                            "repository demo: %s: host key of [127.0.0.1]:%d has changed: ecdsa-sha2-nistp256 %s (expected: the key known before)"
                                                    .formatted(
                                                            shown(),
                                                            server.port(),
                                                            server.fingerprint()));
                            assertThat(p.advice()).startsWith("Someone may stand between");
                        });
        assertThat(server.offered()).isEmpty();
    }

    @Test
    void aKeyTheHostDoesNotKnowIsToldAndTheRightOneIsTakenUp() throws Exception {
        assertThatThrownBy(() -> fetch(strict(), GitSshServer.newKey()))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p ->
                                assertThat(p.message())
                                        .contains("Permission denied (")
                                        .endsWith("(expected: a key that this host knows)"));

        assertThat(fetch(strict(), key)).isEqualTo(head);
    }

    @Test
    void aNewHostIsBelievedOnceAndThenHeldToItsKey() throws Exception {
        var acceptNew = new HostKeys("", true);
        assertThat(fetch(acceptNew, key)).isEqualTo(head);
        assertThat(Files.readString(temp.resolve("git/known_hosts")))
                .contains(" ecdsa-sha2-nistp256 ");

        replaceHost();

        assertThatThrownBy(() -> fetch(acceptNew, key)).hasMessageContaining(" has changed: ");
        assertThat(server.offered()).isEmpty();
    }

    /// As a public agent leaves them, in a file that `core.sshCommand` of the user names.
    @Test
    void loosenedSettingsOfTheUserDoNotMakeAnUnknownHostBelieved() throws Exception {
        assertThatThrownBy(() -> fetchAsUser("/dev/null"))
                .hasMessageContaining("host key of [127.0.0.1]:%d is not known", server.port());
        assertThat(server.offered()).isEmpty();

        assertThat(fetchAsUser(temp.resolve("known").toString())).isEqualTo(head);
    }

    private String fetchAsUser(String knownHosts) throws Exception {
        var identity = Files.writeString(temp.resolve("identity"), GitSshServer.privateKey(key));
        Files.setPosixFilePermissions(identity, PosixFilePermissions.fromString("rw-------"));
        var loose =
                Files.writeString(
                        temp.resolve("loose config"),
                        """
                        Host *
                            IdentityFile %s
                            UserKnownHostsFile %s
                            StrictHostKeyChecking no
                        """
                                .formatted(identity, knownHosts));
        Files.writeString(
                temp.resolve("gitconfig"), "[core]\n\tsshCommand = ssh -F '%s'\n".formatted(loose));
        var git =
                Files.writeString(
                        temp.resolve("users-git"),
                        "#!/bin/sh\nGIT_CONFIG_GLOBAL='%s' exec git \"$@\"\n"
                                .formatted(temp.resolve("gitconfig")));
        git.toFile().setExecutable(true);
        var settings = GitRemote.settings(new HostKeys("", false), new NoCredentials());
        var minute = Duration.ofMinutes(1);
        return fetch(
                new GitBinary(
                        git.toString(),
                        new GitAccess(temp.resolve("git"), settings),
                        minute,
                        minute));
    }

    @Test
    void aHostThatAnswersWithGarbageIsTold() {
        server.sayInstead("zzzz\u001b[2J garbage");

        assertThatThrownBy(() -> fetch(strict(), key))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.code()).isEqualTo(Problem.Code.REPOSITORY_UNREACHABLE);
                            assertThat(p.told()).contains("fatal: ").doesNotContain("\u001b");
                        });
    }

    private String shown() {
        return server.address(served).replace("git@", "");
    }

    private void replaceHost() throws Exception {
        var port = server.port();
        server.close();
        server = GitSshServer.start(port, GitSshServer.newKey(), key.getPublic());
    }

    private HostKeys strict() {
        return new HostKeys(temp.resolve("known").toString(), false);
    }

    private void know(String line) throws IOException {
        Files.writeString(temp.resolve("known"), line);
    }

    private String fetch(HostKeys hostKeys, KeyPair with) throws Exception {
        var credentials =
                new SshKey(Secret.written("git.sshKeyData", GitSshServer.privateKey(with)));
        var settings =
                new PipedConfig.Git("bot", "", "", "127.0.0.1", "127.0.0.1", hostKeys, credentials);
        return fetch(GitBinary.onPath(new GitAccess(temp.resolve("git"), settings)));
    }

    private String fetch(GitBinary git) {
        try (var repositories =
                new Repositories(
                        temp.resolve("mirrors"),
                        List.of(new Repository(ID, server.address(served), "main")),
                        git,
                        InstantSource.system())) {
            return repositories.fetch(ID).hash();
        }
    }
}
