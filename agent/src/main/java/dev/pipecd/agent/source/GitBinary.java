// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.agent.source.GitAccess.Granted;
import dev.pipecd.agent.source.tree.Texts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// The `git` program: knows every remote, and always comes to an end.
public final class GitBinary {
    private static final Set<String> VARIABLES_OF_ANOTHER_REPOSITORY =
            Set.of(
                    "GIT_DIR",
                    "GIT_WORK_TREE",
                    "GIT_INDEX_FILE",
                    "GIT_OBJECT_DIRECTORY",
                    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                    "GIT_COMMON_DIR",
                    "GIT_NAMESPACE",
                    "GIT_PREFIX",
                    "GIT_QUARANTINE_PATH");
    private static final Map<String, String> ENVIRONMENT =
            Map.of(
                    "GIT_TERMINAL_PROMPT",
                    "0",
                    "SSH_ASKPASS_REQUIRE",
                    "never",
                    // Everything but `ext::` and its kin, which run programs.
                    "GIT_ALLOW_PROTOCOL",
                    "file:git:http:https:ssh",
                    "LC_ALL",
                    "C.UTF-8");
    private static final String BRANCHES = "+refs/heads/*:refs/heads/*";
    private static final int NOT_EXECUTABLE = 126;
    private static final int NOT_FOUND = 127;
    private static final int MOST_KEPT = 16 * 1024;

    private final String executable;
    private final GitAccess access;
    private final Duration fetchDeadline;
    private final Duration cloneDeadline;

    public GitBinary(
            String executable, GitAccess access, Duration fetchDeadline, Duration cloneDeadline) {
        this.executable = executable;
        this.access = access;
        this.fetchDeadline = fetchDeadline;
        this.cloneDeadline = cloneDeadline;
    }

    public static GitBinary onPath(GitAccess access) {
        return new GitBinary("git", access, Duration.ofSeconds(60), Duration.ofMinutes(10));
    }

    /// The same for servers that no configuration names.
    GitBinary toStrangers() {
        return new GitBinary(executable, access.toStrangers(), fetchDeadline, cloneDeadline);
    }

    Ending init(Path mirror) {
        return run(
                cloneDeadline,
                Granted.NOTHING,
                "init",
                "--quiet",
                "--bare",
                "--",
                mirror.toString());
    }

    /// All branches, each with so many of its last commits; 0 is all there are.
    Ending fetchAll(Path mirror, Remote remote, int depth) {
        return depth == 0
                ? fetchLong(mirror, remote, BRANCHES)
                : fetchLong(mirror, remote, "--depth=" + depth, BRANCHES);
    }

    Ending fetchNew(Path mirror, Remote remote) {
        return fetch(mirror, remote, new Patience.Hard(fetchDeadline), BRANCHES);
    }

    /// Commits by their names; kept by names of ours, since no branch may lead to them. All of them
    /// or none.
    ///
    /// @param alone without what was before them, by which a mirror is no longer whole
    Ending fetchNamed(Path mirror, Remote remote, List<String> commits, boolean alone) {
        var told = new ArrayList<String>();
        if (alone) told.add("--depth=1");
        for (var commit : commits) told.add("+%s:refs/pipecd/%s".formatted(commit, commit));
        return fetchLong(mirror, remote, told.toArray(String[]::new));
    }

    /// What another mirror of ours keeps by the name of a commit; `*` is all of it.
    Ending fetchKept(Path mirror, Remote older, String commit) {
        return fetchLong(mirror, older, "+refs/pipecd/%1$s:refs/pipecd/%1$s".formatted(commit));
    }

    /// Whatever a branch or tag leads to, back to the first commit.
    Ending fetchWhole(Path mirror, Remote remote, boolean shallow) {
        return fetchLong(
                mirror,
                remote,
                shallow ? "--unshallow" : "--update-shallow",
                BRANCHES,
                "+refs/tags/*:refs/tags/*");
    }

    /// Whether the remote answers at all, whatever the state of our mirror.
    Ending look(Remote remote) {
        try (var granted = access.grant(remote)) {
            return look(remote, granted);
        }
    }

    /// The same, with all that `ssh` tells on its way; the key of the host is among it.
    Ending lookClosely(Remote remote) {
        try (var granted = access.grant(remote)) {
            return look(remote, granted.talkative());
        }
    }

    private Ending look(Remote remote, Granted granted) {
        return run(
                fetchDeadline, granted, "ls-remote", "--quiet", "--heads", "--", remote.forGit());
    }

    /// Packs what many fetches left; commits that history forgot stay, a rollback may need them.
    Ending pack(Path mirror) {
        return run(
                cloneDeadline,
                Granted.NOTHING,
                "-c",
                "gc.pruneExpire=never",
                "-c",
                "gc.cruftPacks=true",
                "-c",
                "gc.autoDetach=false",
                at(mirror),
                "gc",
                "--auto",
                "--quiet");
    }

    /// Never by force: what is there and unknown to us stays.
    Ending push(Path mirror, Remote remote, String commit, String branch) {
        try (var granted = access.grant(remote)) {
            return run(
                    fetchDeadline,
                    granted,
                    "-c",
                    "push.gpgSign=false",
                    "-c",
                    "push.followTags=false",
                    at(mirror),
                    "push",
                    "--quiet",
                    "--porcelain",
                    "--no-recurse-submodules",
                    "--",
                    remote.forGit(),
                    commit + ":refs/heads/" + branch);
        }
    }

    private Ending fetchLong(Path mirror, Remote remote, String... told) {
        return fetch(mirror, remote, Patience.WhileItWorks.on(mirror, cloneDeadline), told);
    }

    /// @param told options, then what is fetched
    private Ending fetch(Path mirror, Remote remote, Patience patience, String... told) {
        var arguments =
                new ArrayList<>(
                        List.of(
                                "-c",
                                "gc.auto=0",
                                "-c",
                                "maintenance.auto=false",
                                at(mirror),
                                "fetch",
                                "--quiet",
                                "--prune",
                                "--force",
                                "--no-tags",
                                // A remote may itself be a shallow clone.
                                "--update-shallow",
                                "--no-recurse-submodules",
                                "--no-write-fetch-head"));
        var options = Arrays.stream(told).takeWhile(word -> word.startsWith("--")).toList();
        arguments.addAll(options);
        arguments.addAll(List.of("--", remote.forGit()));
        arguments.addAll(List.of(told).subList(options.size(), told.length));
        try (var granted = access.grant(remote)) {
            return run(patience, granted, arguments.toArray(String[]::new));
        }
    }

    static String at(Path mirror) {
        return "--git-dir=" + mirror;
    }

    private Ending run(Duration deadline, Granted granted, String... arguments) {
        return run(new Patience.Hard(deadline), granted, arguments);
    }

    private Ending run(Patience patience, Granted granted, String... arguments) {
        var argv = new ArrayList<>(List.of(executable, "-c", "core.hooksPath=/dev/null"));
        argv.addAll(granted.arguments());
        argv.addAll(List.of(arguments));
        var environment = new HashMap<>(ENVIRONMENT);
        environment.putAll(granted.environment());
        ProcessGroup group;
        try {
            group = ProcessGroup.start(argv, environment, VARIABLES_OF_ANOTHER_REPOSITORY);
        } catch (IOException e) {
            return notStarted(String.valueOf(e.getMessage()));
        }
        var said = new StringBuffer();
        var reader = Thread.startVirtualThread(() -> drain(group.process().getInputStream(), said));
        try {
            var waited = patience.await(group.process());
            if (waited instanceof Patience.Over(var deadline, var bytes))
                return new Ending.TimedOut(deadline, bytes);
            // A helper that git left in the background may hold the pipe open for ever.
            reader.join(Duration.ofSeconds(1));
            return switch (group.process().exitValue()) {
                case 0 -> new Ending.Done();
                case NOT_EXECUTABLE, NOT_FOUND -> new Ending.NotStarted(executable);
                default -> new Ending.Failed(granted.masked(said.toString()));
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Ending.Failed("interrupted: the agent is stopping");
        } finally {
            if (group.process().isAlive()) group.kill();
        }
    }

    /// That there is no git would have been told by the program that starts it: only that one can
    /// be missing here. All else is the machine's: no process, memory or open file is left.
    private static Ending notStarted(String told) {
        return told.contains("Exec failed, error: 2 ")
                ? new Ending.NotStarted(ProcessGroup.STARTER)
                : new Ending.Hindered(Texts.visible(told.lines().findFirst().orElse("")).strip());
    }

    private static void drain(InputStream stream, StringBuffer into) {
        var buffer = new byte[4096];
        try (stream) {
            for (var n = stream.read(buffer); n >= 0; n = stream.read(buffer))
                if (into.length() < MOST_KEPT)
                    into.append(new String(buffer, 0, n, StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The process was killed: what it said so far is all there is.
            into.append('\n');
        }
    }

    /// How a git process ended.
    sealed interface Ending {
        record Done() implements Ending {}

        /// `output` is all that git wrote.
        record Failed(String output) implements Ending {
            /// Its last words, fit to be shown.
            String said() {
                return lastLines(output);
            }

            /// A push that came too late, by a little or at the very moment.
            boolean isMoved() {
                return output.contains("(fetch first)")
                        || output.contains("(non-fast-forward)")
                        || output.contains("cannot lock ref")
                        || output.contains("failed to update ref")
                        || output.contains("incorrect old value provided");
            }

            /// A push that the server understood and does not take.
            boolean isRefused() {
                return output.contains("[rejected]") || output.contains("[remote rejected]");
            }

            /// What the server says about it, fit to be shown.
            String refusal() {
                return lastLines(
                        output.lines()
                                .filter(line -> line.startsWith("remote:") || line.startsWith("!"))
                                .map(line -> line.substring(line.lastIndexOf('\t') + 1))
                                .collect(Collectors.joining("\n")));
            }
        }

        /// There is no such program.
        record NotStarted(String executable) implements Ending {}

        /// The machine did not let it be started.
        record Hindered(String cause) implements Ending {}

        /// @param bytes that had come before nothing came for so long; 0 where nobody looked
        record TimedOut(Duration deadline, long bytes) implements Ending {}

        private static String lastLines(String said) {
            var lines =
                    said.lines()
                            .map(String::strip)
                            // Git's closing words, which hide the cause above them.
                            .filter(line -> !line.isEmpty() && !line.startsWith("Please make sure"))
                            .filter(line -> !line.equals("and the repository exists."))
                            .toList();
            var last =
                    String.join("; ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
            var told = Texts.visible(Remote.masked(last));
            return told.length() <= 500 ? told : told.substring(0, 500) + "…";
        }
    }
}
