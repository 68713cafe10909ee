// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.PipedConfig.GitCredentials;
import dev.pipecd.config.PipedConfig.HostKeys;
import dev.pipecd.config.PipedConfig.NoCredentials;
import dev.pipecd.config.PipedConfig.SshKey;
import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// With an `ssh` that notes how it is called and then goes where it is sent, without a network.
class SshRemoteTest {
    private static final RepositoryId ID = new RepositoryId("demo");
    private static final String KEY =
            "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----";
    private static final HostKeys STRICT = new HostKeys("", false);

    @TempDir Path temp;
    private GitRemote remote;
    private String head;
    private String says = "";
    private String variables = "";

    @BeforeEach
    void commit() {
        remote = GitRemote.init(temp.resolve("remote"));
        head = remote.write("a", "1").commit("one");
    }

    @Test
    void theKeyIsInAFileOfTheAgentOnlyWhileGitRuns() throws IOException {
        assertThat(fetch(STRICT, key(KEY + "\r\n"))).isEqualTo(head);

        assertThat(noted("key")).isEqualTo(KEY + "\n");
        assertThat(noted("modes")).isEqualTo("700 700 600 600\n");
        assertThat(noted("arguments")).doesNotContain("c2VjcmV0");
        assertThat(temp.resolve("it's git")).isEmptyDirectory();
    }

    @Test
    void whatAKilledAgentLeftIsRemovedAtTheStart() throws IOException {
        var left = Files.createDirectories(temp.resolve("it's git/" + Folder.HALF_MADE + "1"));
        Files.writeString(left.resolve("key"), KEY);
        Files.writeString(temp.resolve("it's git/known_hosts"), "accepted");

        fetch(STRICT, new NoCredentials());

        assertThat(left).doesNotExist();
        assertThat(temp.resolve("it's git/known_hosts")).exists();
    }

    @Test
    void hostKeysAreStrictAndTheUsersSettingsComeLast() throws IOException {
        fetch(STRICT, key(KEY));

        assertThat(noted("config").replaceAll("\"[^\"]*/key\"", "\"KEY\""))
                .isEqualTo(
                        """
                        Host git.example.com
                            HostName git.example.com
                            User git
                            IdentityFile "KEY"
                            IdentitiesOnly yes
                        Match all
                            BatchMode yes
                            StrictHostKeyChecking yes
                            UpdateHostKeys no
                            UserKnownHostsFile ~/.ssh/known_hosts ~/.ssh/known_hosts2
                            Include ~/.ssh/config
                            Include /etc/ssh/ssh_config
                        """);
    }

    /// What it appends to `~/.ssh/config` or to the file of this setting, and never removes.
    @Test
    void whatThePublicAgentLeftDoesNotHideTheHostsThatAreKnown() throws Exception {
        var left =
                Files.writeString(
                        temp.resolve("left"),
                        """
                        Host git.example.com
                            Hostname git.example.com
                            User git
                            IdentityFile /tmp/piped-key
                            UserKnownHostsFile /dev/null
                            StrictHostKeyChecking no
                        """);

        fetch(
                new PipedConfig.Git(
                        "bot",
                        "",
                        left.toString(),
                        "git.example.com",
                        "git.example.com",
                        STRICT,
                        key(KEY)));

        assertThat(understood(temp.resolve("config")))
                .contains("stricthostkeychecking true")
                .anyMatch(line -> line.matches("userknownhostsfile \\S+/.ssh/known_hosts .*"));
    }

    @Test
    void knownHostsAreThoseOfTheConfiguration() throws IOException {
        fetch(new HostKeys("/etc/piped/known hosts", false), new NoCredentials());

        assertThat(noted("config"))
                .isEqualTo(
                        """
                        Match all
                            BatchMode yes
                            StrictHostKeyChecking yes
                            UpdateHostKeys no
                            UserKnownHostsFile "/etc/piped/known hosts"
                            Include ~/.ssh/config
                            Include /etc/ssh/ssh_config
                        """);
    }

    @Test
    void newHostKeysAreRememberedInAFileOfTheAgent() throws IOException {
        fetch(new HostKeys("", true), new NoCredentials());

        assertThat(noted("config"))
                .contains(
                        "StrictHostKeyChecking accept-new\n",
                        "UserKnownHostsFile \"%s/it's git/known_hosts\" ~/.ssh/known_hosts ~/.ssh/known_hosts2\n"
                                .formatted(temp));
    }

    @Test
    void withoutSettingsSshIsAsTheUserHasItButStrict() throws IOException {
        assertThat(fetch(STRICT, new NoCredentials())).isEqualTo(head);

        assertThat(noted("arguments"))
                .startsWith("-o StrictHostKeyChecking=yes -o BatchMode=yes ")
                .doesNotContain("-F");
    }

    @Test
    void theProgramTheUserNamesForGitIsTheOneThatIsCalled() throws IOException {
        script("my ssh", "#!/bin/sh\nexec '%s/bin/ssh' mine \"$@\"\n".formatted(temp));
        variables = "GIT_SSH='%s/my ssh'".formatted(temp);

        assertThat(fetch(STRICT, new NoCredentials())).isEqualTo(head);

        assertThat(noted("arguments")).startsWith("mine -o StrictHostKeyChecking=yes ");
        assertThat(SshSettings.usersOwn("ssh -i '/my key'"))
                .isEqualTo("ssh -i '/my key' -o StrictHostKeyChecking=yes -o BatchMode=yes");
    }

    @Test
    void aPublicKeyInPlaceOfThePrivateOneIsToldWithoutBeingShown() {
        assertThatThrownBy(() -> fetch(STRICT, key("ssh-ed25519 AAAAC3 bot@example.com")))
                .hasMessage(
                        "git.sshKeyFile or git.sshKeyData: ****** (expected: a private key that begins with -----BEGIN)");
        assertThat(temp.resolve("it's git")).isEmptyDirectory();
    }

    @Test
    void aHostThatCouldSaySomethingElseToSshIsRefused() {
        var git = new PipedConfig.Git("bot", "", "", "a\n  ProxyCommand x", "a", STRICT, key(KEY));

        assertThatThrownBy(() -> fetch(git))
                .hasMessage("git.host: \"a␊  ProxyCommand x\" (expected: a host name)");
    }

    @Test
    void anUnknownHostIsToldWithItsFingerprintAndWhatToDo() {
        says =
                """
                debug1: Server host key: ssh-ed25519 SHA256:abc
                No ED25519 host key is known for [git.example.com]:2222 and you have requested strict checking.
                Host key verification failed.
                """;

        assertThatThrownBy(() -> fetch(STRICT, key(KEY)))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message())
                                    .isEqualTo(
                                            "repository demo: git@git.example.com:%s: host key of [git.example.com]:2222 is not known: ssh-ed25519 SHA256:abc (expected: a key among the known hosts)"
                                                    .formatted(remote.folder));
                            assertThat(p.advice())
                                    .isEqualTo(
                                            "Compare the fingerprint with the one the owner of the host publishes; if it is the same, add what `ssh-keyscan -p 2222 git.example.com` prints"
                                                    + " to the file of `git.knownHostsFile` (without that setting: ~/.ssh/known_hosts of the agent's user, or the UserKnownHostsFile of its own SSH settings, where a public agent leaves /dev/null).");
                        });
    }

    @Test
    void aChangedHostKeyIsNotTheSameAsAnUnknownOne() {
        says =
                """
                debug1: Server host key: ssh-ed25519 SHA256:abc
                Host key for git.example.com has changed and you have requested strict checking.
                Host key verification failed.
                """;

        assertThatThrownBy(() -> fetch(STRICT, key(KEY)))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message())
                                    .endsWith(
                                            "host key of git.example.com has changed: ssh-ed25519 SHA256:abc (expected: the key known before)");
                            assertThat(p.advice()).startsWith("Someone may stand between");
                        });
    }

    @Test
    void aKeyThatTheHostDoesNotKnowIsTold() {
        says = "git@git.example.com: Permission denied (publickey).\n";

        assertThatThrownBy(() -> fetch(STRICT, key(KEY)))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message())
                                    .contains("Permission denied (publickey).")
                                    .endsWith("(expected: a key that this host knows)");
                            assertThat(p.advice()).contains("to `git.host` only");
                        });
    }

    private static GitCredentials key(String key) {
        return new SshKey(Secret.written("git.sshKeyData", key));
    }

    /// What the real `ssh` makes of it.
    private static List<String> understood(Path config) throws Exception {
        var asked =
                new ProcessBuilder("ssh", "-G", "-F", config.toString(), "git.example.com")
                        .redirectErrorStream(true)
                        .start();
        return new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }

    private String noted(String name) throws IOException {
        return Files.readString(temp.resolve(name));
    }

    private String fetch(HostKeys hostKeys, GitCredentials credentials) {
        return fetch(GitRemote.settings(hostKeys, credentials));
    }

    private String fetch(PipedConfig.Git settings) {
        var minute = Duration.ofMinutes(1);
        try (var repositories =
                new Repositories(
                        temp.resolve("mirrors"),
                        List.of(new Repository(ID, "git@git.example.com:" + remote.folder, "main")),
                        new GitBinary(
                                git().toString(),
                                new GitAccess(temp.resolve("it's git"), settings),
                                minute,
                                minute),
                        InstantSource.system())) {
            return repositories.fetch(ID).hash();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private Path git() throws IOException {
        Files.createDirectories(temp.resolve("bin"));
        Files.writeString(temp.resolve("says"), says);
        script(
                "bin/ssh",
                """
                #!/bin/sh
                cd '%s'
                for last; do :; done
                echo "$*" >> arguments
                if [ "$1" = -F ]; then
                    cat "$2" > config
                    stat -c %%a "it's git" "${2%%/*}" "${2%%/*}"/* | tr '\\n' ' ' | sed 's/ $/\\n/' > modes
                    cat "${2%%/*}/key" > key 2>/dev/null
                fi
                if [ -s says ]; then cat says >&2; exit 255; fi
                exec sh -c "$last"
                """
                        .formatted(temp));
        return script(
                "noting-git",
                "#!/bin/sh\n%s PATH='%s/bin':$PATH exec git \"$@\"\n".formatted(variables, temp));
    }

    private Path script(String name, String content) throws IOException {
        var script = Files.writeString(temp.resolve(name), content);
        script.toFile().setExecutable(true);
        return script;
    }
}
