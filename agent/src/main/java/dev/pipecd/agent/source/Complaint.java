// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import com.google.re2j.Pattern;
import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.agent.source.GitBinary.Ending;
import dev.pipecd.agent.source.tree.Texts;
import java.time.Duration;
import java.util.Optional;

/// Why a remote cannot be used, in words that lead on.
record Complaint(String cause, String expected, String advice) {
    private static final Pattern HOST_KEY =
            Pattern.compile("(?m)^debug1: Server host key: (\\S+ \\S+)");
    private static final Pattern UNKNOWN_HOST =
            Pattern.compile("(?m)host key is known for (\\S+) and you have requested");
    private static final Pattern CHANGED_HOST =
            Pattern.compile("(?m)^Host key for (\\S+) has changed");
    private static final Pattern BRACKETED = Pattern.compile("^\\[(.+)\\]:([0-9]+)$");

    static Complaint noProgram(String executable) {
        var starter = executable.equals(ProcessGroup.STARTER);
        return new Complaint(
                "there is no program \"%s\"".formatted(executable),
                (starter ? executable : "git") + " on the agent's PATH",
                "Install %s where the agent runs; it tries again by itself."
                        .formatted(starter ? "util-linux, which has it," : "git"));
    }

    static Complaint hindered(String cause) {
        return new Complaint(
                cause,
                "a machine that starts git",
                "Check how many processes, open files and how much memory the agent may use, and how"
                        + " many it has left; it tries again by itself.");
    }

    static Complaint noAnswer(Remote remote, Duration deadline, long bytes) {
        if (bytes == 0)
            return unreachable(remote, "no answer within " + deadline.toSeconds() + " s");
        return new Complaint(
                "%d bytes came, then nothing for %d s".formatted(bytes, deadline.toSeconds()),
                "all of it",
                "Check the way to it and its disk and ours; it is tried again by itself. With"
                        + " `repositories[].depth` of the agent's configuration a first clone is"
                        + " smaller.");
    }

    static boolean isAboutHostKey(Ending.Failed failed) {
        return failed.output().contains("Host key verification failed");
    }

    /// Whether our own disk is the trouble, and no remote.
    static boolean isAboutDisk(Ending ending) {
        return ending instanceof Ending.Failed(var output)
                && says(
                        output,
                        "No space left on device",
                        "Disk quota exceeded",
                        "Read-only file system",
                        "Input/output error",
                        "insufficient permission for adding an object");
    }

    /// Whether it misses something of our mirror, or cannot read it. What the server sends is right
    /// only beside what we have told it that we have.
    static boolean isAboutMirror(Ending ending) {
        return ending instanceof Ending.Failed(var output)
                && says(
                        output,
                        "did not send all necessary objects",
                        "bad object",
                        "is corrupt",
                        "does not match index",
                        "is there and cannot be read",
                        "fatal: not a git repository",
                        "reference broken",
                        "bad config line",
                        "unexpected line in",
                        "bad shallow line");
    }

    /// Git speaks English to us, whatever the machine's language.
    static Complaint of(Remote remote, Ending.Failed failed) {
        var output = failed.output();
        var said = failed.said().isEmpty() ? "git failed" : failed.said();
        if (isAboutHostKey(failed)) return hostKey(remote, output);
        if (says(output, "Permission denied (", "Too many authentication failures"))
            return new Complaint(
                    said,
                    "a key that this host knows",
                    "Give the public key read access to the repository. The agent offers the key of"
                            + " `git.sshKeyFile` or `git.sshKeyData` to `git.host` only, and it must"
                            + " have no passphrase; without these settings it offers the keys of its"
                            + " user.");
        if (says(output, "cannot run ssh", "ssh: not found", "ssh: command not found"))
            return new Complaint(
                    "there is no program \"ssh\"",
                    "ssh on the agent's PATH",
                    "Install an SSH client where the agent runs; it tries again by itself.");
        if (says(output, "certificate"))
            return new Complaint(
                    said,
                    "a certificate this machine trusts",
                    "Add the authority that signed it to the machine's own, or name its file in"
                            + " GIT_SSL_CAINFO where the agent starts.");
        if (says(
                output,
                "Authentication failed",
                "could not read Username",
                "could not read Password",
                "returned error: 403"))
            return new Complaint(
                    said,
                    "a user and password that may read it",
                    "Set `git.username` and `git.password` (a token, in Base64) of the agent's"
                            + " configuration. They are sent by https only, to `git.host` only if"
                            + " that is written, and never after a redirect to another host.");
        return unreachable(remote, said);
    }

    private static Complaint unreachable(Remote remote, String cause) {
        return new Complaint(
                cause,
                "a remote that answers",
                "Check the address and that this machine may read it: git ls-remote "
                        + remote.masked());
    }

    private static Complaint hostKey(Remote remote, String output) {
        var key = group(HOST_KEY, output).orElse("not told");
        var changed = group(CHANGED_HOST, output);
        if (changed.isPresent())
            return new Complaint(
                    "host key of %s has changed: %s".formatted(changed.get(), key),
                    "the key known before",
                    "Someone may stand between this machine and the host. Ask its owner for the"
                            + " fingerprint; only if it is this one, replace the line of %s in the"
                                    .formatted(changed.get())
                            + " known hosts.");
        var host = group(UNKNOWN_HOST, output).orElse(remote.host());
        return new Complaint(
                "host key of %s is not known: %s".formatted(host, key),
                "a key among the known hosts",
                "Compare the fingerprint with the one the owner of the host publishes; if it is the"
                        + " same, add what `%s` prints to the file of `git.knownHostsFile` (without"
                                .formatted(scan(host))
                        + " that setting: ~/.ssh/known_hosts of the agent's user, or the"
                        + " UserKnownHostsFile of its own SSH settings, where a public agent leaves"
                        + " /dev/null).");
    }

    private static String scan(String host) {
        var bracketed = BRACKETED.matcher(host);
        return bracketed.matches()
                ? "ssh-keyscan -p %s %s".formatted(bracketed.group(2), bracketed.group(1))
                : "ssh-keyscan " + host;
    }

    private static Optional<String> group(Pattern pattern, String text) {
        var found = pattern.matcher(text);
        return found.find() ? Optional.of(Texts.visible(found.group(1))) : Optional.empty();
    }

    private static boolean says(String output, String... words) {
        for (var word : words) if (output.contains(word)) return true;
        return false;
    }
}
