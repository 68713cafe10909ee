// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.disk.SecretFiles;
import dev.pipecd.agent.source.tree.Texts;
import dev.pipecd.config.PipedConfig.Git;
import dev.pipecd.config.PipedConfig.SshKey;
import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.file.Path;

/// What `ssh` is told: our key for the configured host, host keys strict, and the user's own
/// settings for whatever is left.
record SshSettings(Path acceptedKeys, Git git) {
    private static final String STRICT = " -o StrictHostKeyChecking=yes -o BatchMode=yes";

    /// Nothing is configured: keys and files are those of the agent's user.
    boolean isUsersOwn() {
        return !(git.credentials() instanceof SshKey)
                && git.sshConfigFilePath().isEmpty()
                && git.hostKeys().knownHostsFile().isEmpty()
                && !git.hostKeys().acceptNew();
    }

    /// The `ssh` that git would choose for the user, by `core.sshCommand` or GIT_SSH, but with host
    /// keys strict: the user's files may be those that a public agent loosened.
    ///
    /// @param command the user's GIT_SSH_COMMAND, which goes before these; may be empty
    static String usersOwn(String command) {
        if (!command.isBlank()) return command + STRICT;
        return ("f() { ssh=$(git config core.sshCommand);"
                        + " test -n \"$ssh\" || ssh='\"${GIT_SSH:-ssh}\"';"
                        + " eval \"$ssh%s \\\"\\$@\\\"\"; }; f")
                .formatted(STRICT);
    }

    /// The first value of each setting counts: what comes from the user's files cannot loosen ours.
    String config(SecretFiles files) throws IOException {
        var config = new StringBuilder();
        if (git.credentials() instanceof SshKey(var key)) {
            config.append("Host ").append(word("git.host", git.host())).append('\n');
            line(config, "HostName", word("git.hostName", git.hostName()));
            line(config, "User", "git");
            line(config, "IdentityFile", path(files.write("key", privateKey(key)).toString()));
            line(config, "IdentitiesOnly", "yes");
        }
        config.append("Match all\n");
        line(config, "BatchMode", "yes");
        line(config, "StrictHostKeyChecking", git.hostKeys().acceptNew() ? "accept-new" : "yes");
        // Otherwise ssh adds keys to the user's own file.
        line(config, "UpdateHostKeys", "no");
        knownHosts(config);
        var own = git.sshConfigFilePath();
        line(config, "Include", own.isEmpty() ? "~/.ssh/config" : path(own));
        line(config, "Include", "/etc/ssh/ssh_config");
        return config.toString();
    }

    private void knownHosts(StringBuilder config) {
        var written = git.hostKeys().knownHostsFile();
        // Always: the public agent leaves /dev/null in the user's settings, where nothing is known.
        var known = written.isEmpty() ? "~/.ssh/known_hosts ~/.ssh/known_hosts2" : path(written);
        // New keys are added to the first file.
        line(
                config,
                "UserKnownHostsFile",
                git.hostKeys().acceptNew() ? path(acceptedKeys.toString()) + " " + known : known);
    }

    private static void line(StringBuilder config, String name, String value) {
        config.append("    ").append(name).append(' ').append(value).append('\n');
    }

    private static String privateKey(Secret key) {
        var text = key.reveal().replace("\r\n", "\n").strip();
        if (text.startsWith("-----BEGIN") && text.contains("PRIVATE KEY")) return text + "\n";
        throw new Problem(
                Problem.Code.SETTING_INVALID,
                "git.sshKeyFile or git.sshKeyData: ****** (expected: a private key that begins with"
                        + " -----BEGIN)",
                "Name the private key, not the one that ends with .pub; in sshKeyData it is encoded"
                        + " with `base64 -w0`.");
    }

    private static String word(String name, String value) {
        if (value.matches("[A-Za-z0-9._:*?%-]+")) return value;
        throw unusable(name, value, "a host name");
    }

    /// `ssh` would read something else out of names with these characters.
    private static String path(String name) {
        if (name.chars().anyMatch(c -> c < 0x20 || "\"\\$%*?[".indexOf(c) >= 0))
            throw unusable("path", name, "one without \" \\ $ % * ? [ and line breaks");
        return "\"" + (name.startsWith("~/") ? name : Path.of(name).toAbsolutePath()) + "\"";
    }

    private static Problem unusable(String name, String value, String expected) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "%s: \"%s\" (expected: %s)".formatted(name, Texts.visible(value), expected),
                "Correct it in the agent's configuration, or start it with another --data-dir.");
    }
}
