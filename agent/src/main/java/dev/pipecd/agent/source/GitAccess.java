// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.agent.source.disk.SecretFiles;
import dev.pipecd.config.PipedConfig.Git;
import dev.pipecd.config.PipedConfig.NoCredentials;
import dev.pipecd.config.PipedConfig.Password;
import dev.pipecd.config.PipedConfig.SshKey;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How the agent proves itself to Git servers. Keys and passwords reach `git` by files that only
/// the agent's user can read and that are there only while it runs: never by arguments, addresses,
/// variables or the user's own files.
public final class GitAccess {
    private static final Logger log = LoggerFactory.getLogger(GitAccess.class);

    private final Path folder;
    private final Git settings;
    private final boolean toStrangers;

    /// Servers whose passwords others can read on the way, and of whom that was said.
    private final Set<String> told;

    /// `folder` belongs to this agent alone; what a killed agent left there is removed.
    public GitAccess(Path folder, Git settings) {
        this(folder.toAbsolutePath().normalize(), settings, false, ConcurrentHashMap.newKeySet());
        try {
            Files.createDirectories(this.folder);
            Files.setPosixFilePermissions(
                    this.folder, PosixFilePermissions.fromString("rwx------"));
            Folder.deleteHalfMade(this.folder);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private GitAccess(Path folder, Git settings, boolean toStrangers, Set<String> told) {
        this.folder = folder;
        this.settings = settings;
        this.toStrangers = toStrangers;
        this.told = told;
    }

    /// What `git` is given to read `remote`, until it is closed.
    Granted grant(Remote remote) {
        try {
            return remote.isHttp() ? toHttp(remote) : toSsh(remote);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /// The same for servers that no configuration names: a password for all of ours is none of
    /// theirs.
    GitAccess toStrangers() {
        return new GitAccess(folder, settings, true, told);
    }

    private Granted toHttp(Remote remote) throws IOException {
        var login = login(remote);
        if (login.name().isEmpty()) return Granted.NOTHING;
        var files = SecretFiles.in(folder);
        try {
            var config = files.write("config", helper(remote.origin(), login, files));
            return new Granted(
                    List.of("-c", "include.path=" + config),
                    Map.of(),
                    login.hidden(),
                    List.of(files.folder()));
        } catch (IOException | RuntimeException e) {
            files.delete();
            throw e;
        }
    }

    /// What stands in the address goes before what the configuration says for all.
    private Login login(Remote remote) {
        var written = remote.login();
        if (!written.password().isEmpty()) {
            if (!isEncrypted(remote) && told.add(remote.origin()))
                log.warn(
                        "the password in the address of {} is sent without TLS, and whoever listens"
                                + " on the way reads it: take https in `repositories[].remote`",
                        remote.masked());
            return written;
        }
        return switch (settings.credentials()) {
            case NoCredentials _, SshKey _ -> written;
            case Password password when isFor(remote, password) ->
                    new Login(
                                    written.name().isEmpty() ? settings.username() : written.name(),
                                    // What `echo` leaves behind the password.
                                    password.password().reveal().replaceFirst("(\\r?\\n)+\\z", ""))
                            .checked();
            case Password _ -> written;
        };
    }

    /// Whoever listens on the way reads what is sent without TLS.
    private boolean isFor(Remote remote, Password password) {
        return isEncrypted(remote)
                && (password.onlyFor().isEmpty()
                        ? !toStrangers
                        : password.onlyFor().equalsIgnoreCase(remote.host()));
    }

    private static boolean isEncrypted(Remote remote) {
        return remote.origin().startsWith("https:");
    }

    /// Git asks the helper for this origin only, so that no redirect takes the password elsewhere;
    /// the user's own helpers are left out, as they would keep it.
    private static String helper(String origin, Login login, SecretFiles files) throws IOException {
        var section = "[credential \"%s\"]\n\tusername = \"%s\"\n";
        if (login.password().isEmpty())
            return section.formatted(escaped(origin), escaped(login.name()));
        var password =
                files.write(
                        "password",
                        "username=%s\npassword=%s\n".formatted(login.name(), login.password()));
        var program = "!f() { test \"$1\" != get || cat %s; }; f".formatted(quoted(password));
        return (section + "\thelper =\n\thelper = \"%s\"\n")
                .formatted(escaped(origin), escaped(login.name()), escaped(program));
    }

    private Granted toSsh(Remote remote) throws IOException {
        var ssh = new SshSettings(folder.resolve("known_hosts"), settings);
        if (!remote.isSsh()) return Granted.NOTHING;
        if (ssh.isUsersOwn()) {
            var users = System.getenv().getOrDefault("GIT_SSH_COMMAND", "");
            return Granted.bySsh(SshSettings.usersOwn(users), List.of());
        }
        var files = SecretFiles.in(folder);
        try {
            var config = files.write("ssh_config", ssh.config(files));
            return Granted.bySsh("ssh -F " + quoted(config), List.of(files.folder()));
        } catch (IOException | RuntimeException e) {
            files.delete();
            throw e;
        }
    }

    /// As one word of a shell.
    private static String quoted(Path file) {
        return "'" + file.toString().replace("'", "'\\''") + "'";
    }

    /// As a value in a file of git.
    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    private static Problem unwritable(IOException cause) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "credentials of git: %s (expected: a folder the agent can write)".formatted(cause),
                "Give the agent's data directory room and write permission.",
                cause);
    }

    /// Who the agent is to an HTTP server; empty where nothing is known.
    record Login(String name, String password) {
        /// A line break would end the value and begin another one.
        Login checked() {
            if ((name + password).chars().noneMatch(Character::isISOControl)) return this;
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "git.username or git.password: ****** (expected: one line)",
                    "Write them without line breaks and control characters.");
        }

        List<String> hidden() {
            if (password.isEmpty()) return List.of();
            var basic = (name + ":" + password).getBytes(StandardCharsets.UTF_8);
            return List.of(Base64.getEncoder().encodeToString(basic), password);
        }

        @Override
        public String toString() {
            return "Login[" + name + "]";
        }
    }

    /// What one run of `git` is given; closing takes it back.
    record Granted(
            List<String> arguments,
            Map<String, String> environment,
            List<String> hidden,
            List<Path> folders)
            implements AutoCloseable {
        static final Granted NOTHING = new Granted(List.of(), Map.of(), List.of(), List.of());

        static Granted bySsh(String command, List<Path> folders) {
            return new Granted(
                    List.of(),
                    Map.of("GIT_SSH_COMMAND", command, "GIT_SSH_VARIANT", "ssh"),
                    List.of(),
                    folders);
        }

        /// SSH as this run has it, telling all it does and believing no new host.
        Granted talkative() {
            var told = new HashMap<>(environment);
            told.put(
                    "GIT_SSH_COMMAND",
                    environment.getOrDefault("GIT_SSH_COMMAND", "ssh")
                            + " -v -o StrictHostKeyChecking=yes");
            return new Granted(arguments, told, hidden, folders);
        }

        /// A server may repeat in an error what it was sent.
        String masked(String text) {
            var masked = text;
            for (var secret : hidden) masked = masked.replace(secret, "******");
            return masked;
        }

        @Override
        public void close() {
            var left = new ArrayList<Path>();
            for (var one : folders)
                try {
                    Folder.delete(one);
                } catch (IOException e) {
                    left.add(one);
                }
            if (!left.isEmpty())
                log.warn("credentials of git stay on the disk until the next start: {}", left);
        }
    }
}
