// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.PipedConfig.HostKeys;
import dev.pipecd.config.PipedConfig.SshKey;
import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Against a real `sshd`, where the machine has one (Debian: `openssh-server`); another one is
/// named by PIPECD_TEST_SSHD.
class SshServerTest {
    private static final RepositoryId ID = new RepositoryId("demo");
    private static final String SSHD =
            Optional.ofNullable(System.getenv("PIPECD_TEST_SSHD")).orElse("/usr/sbin/sshd");

    @TempDir static Path shared;
    private static String head;
    private static int port;
    private static @Nullable Process sshd;

    @TempDir Path temp;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(Files.isExecutable(Path.of(SSHD)), "no sshd on this machine");
        for (var key : List.of("host", "ours", "other"))
            said(
                    "ssh-keygen",
                    "-q",
                    "-t",
                    "ed25519",
                    "-N",
                    "",
                    "-f",
                    shared.resolve(key).toString());
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        var config =
                Files.writeString(
                        shared.resolve("sshd_config"),
                        """
                        ListenAddress 127.0.0.1:%d
                        HostKey %s/host
                        AuthorizedKeysFile %s/ours.pub
                        PidFile none
                        StrictModes no
                        PasswordAuthentication no
                        KbdInteractiveAuthentication no
                        """
                                .formatted(port, shared, shared));
        head = GitRemote.init(shared.resolve("site")).write("a", "1").commit("one");
        var server =
                new ProcessBuilder(SSHD, "-D", "-e", "-f", config.toString())
                        .redirectErrorStream(true)
                        .start();
        sshd = server;
        var lines = new BufferedReader(new InputStreamReader(server.getInputStream(), UTF_8));
        var said = lines.readLine();
        while (said != null && !said.startsWith("Server listening")) said = lines.readLine();
        assumeTrue(said != null, "sshd does not start on this machine");
    }

    @AfterAll
    static void stop() {
        if (sshd != null) sshd.destroy();
    }

    @Test
    void aKnownHostIsFetchedFromWithTheKey() throws IOException {
        assertThat(fetch(new HostKeys(knownHosts("host"), false), "ours")).isEqualTo(head);
    }

    @Test
    void anUnknownHostIsToldWithTheFingerprintOfItsKey() throws Exception {
        var nobody = Files.createFile(temp.resolve("nobody")).toString();
        var fingerprint = said("ssh-keygen", "-lf", shared.resolve("host.pub").toString());

        assertThatThrownBy(() -> fetch(new HostKeys(nobody, false), "ours"))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message())
                                    .endsWith(
                                            "host key of [127.0.0.1]:%d is not known: ssh-ed25519 %s (expected: a key among the known hosts)"
                                                    .formatted(
                                                            port, fingerprint.split(" ", -1)[1]));
                            assertThat(p.advice())
                                    .contains("`ssh-keyscan -p %d 127.0.0.1`".formatted(port));
                        });
        assertThat(Path.of(nobody)).isEmptyFile();
    }

    @Test
    void aChangedHostKeyIsToldAsSuch() throws IOException {
        var known = knownHosts("other");

        for (var acceptNew : List.of(false, true))
            assertThatThrownBy(() -> fetch(new HostKeys(known, acceptNew), "ours"))
                    .hasMessageContaining(
                            "host key of [127.0.0.1]:%d has changed: ssh-ed25519 SHA256:"
                                    .formatted(port));
    }

    @Test
    void aNewHostIsRememberedWhereThatIsWanted() throws IOException {
        var nobody = Files.createFile(temp.resolve("nobody"));

        assertThat(fetch(new HostKeys(nobody.toString(), true), "ours")).isEqualTo(head);
        assertThat(temp.resolve("git/known_hosts")).isNotEmptyFile();
        assertThat(nobody).isEmptyFile();
    }

    @Test
    void aKeyTheServerDoesNotKnowIsTold() throws IOException {
        var known = knownHosts("host");

        assertThatThrownBy(() -> fetch(new HostKeys(known, false), "other"))
                .hasMessageContaining("Permission denied (publickey)");
    }

    private String knownHosts(String key) throws IOException {
        var line =
                "[127.0.0.1]:%d %s".formatted(port, Files.readString(shared.resolve(key + ".pub")));
        return Files.writeString(temp.resolve("known"), line).toString();
    }

    private String fetch(HostKeys hostKeys, String key) {
        var secret = Secret.inFile("git.sshKeyFile", shared.resolve(key).toString());
        var settings =
                new PipedConfig.Git(
                        "bot", "", "", "127.0.0.1", "127.0.0.1", hostKeys, new SshKey(secret));
        var remote =
                "ssh://%s@127.0.0.1:%d%s/site"
                        .formatted(System.getProperty("user.name"), port, shared);
        try (var repositories =
                new Repositories(
                        temp.resolve("mirrors"),
                        List.of(new Repository(ID, remote, "main")),
                        GitBinary.onPath(new GitAccess(temp.resolve("git"), settings)),
                        InstantSource.system())) {
            return repositories.fetch(ID).hash();
        }
    }

    private static String said(String... argv) throws IOException, InterruptedException {
        var process = new ProcessBuilder(argv).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.waitFor() != 0) throw new IllegalStateException(said);
        return said;
    }
}
