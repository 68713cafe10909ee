// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.process.ProcessGroup;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// The `git` program: knows every remote, key and credential helper, and always comes to an end.
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
    private static final int MOST_KEPT = 16 * 1024;

    private final String executable;
    private final Map<String, String> environment;
    private final Duration fetchDeadline;
    private final Duration cloneDeadline;

    /// `environment` is added to the agent's own: the place for keys and credentials.
    public GitBinary(
            String executable,
            Map<String, String> environment,
            Duration fetchDeadline,
            Duration cloneDeadline) {
        this.executable = executable;
        this.fetchDeadline = fetchDeadline;
        this.cloneDeadline = cloneDeadline;
        var all = new HashMap<String, String>(environment);
        all.put("GIT_TERMINAL_PROMPT", "0");
        all.put("SSH_ASKPASS_REQUIRE", "never");
        // Everything but `ext::` and its kin, which run programs.
        all.put("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh");
        all.put("LC_ALL", "C.UTF-8");
        this.environment = Map.copyOf(all);
    }

    public static GitBinary onPath(Map<String, String> environment) {
        return new GitBinary("git", environment, Duration.ofSeconds(60), Duration.ofMinutes(10));
    }

    Ending init(Path mirror) {
        return run(fetchDeadline, "init", "--quiet", "--bare", "--", mirror.toString());
    }

    Ending fetchAll(Path mirror, Remote remote) {
        return fetch(mirror, remote, cloneDeadline);
    }

    Ending fetchNew(Path mirror, Remote remote) {
        return fetch(mirror, remote, fetchDeadline);
    }

    /// Whether the remote answers at all, whatever the state of our mirror.
    Ending look(Remote remote) {
        return run(fetchDeadline, "ls-remote", "--quiet", "--heads", "--", remote.address());
    }

    /// Packs what many fetches left; commits that history forgot stay, a rollback may need them.
    Ending pack(Path mirror) {
        return run(
                cloneDeadline,
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

    private Ending fetch(Path mirror, Remote remote, Duration deadline) {
        return run(
                deadline,
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
                "--no-recurse-submodules",
                "--no-write-fetch-head",
                "--",
                remote.address(),
                "+refs/heads/*:refs/heads/*");
    }

    static String at(Path mirror) {
        return "--git-dir=" + mirror;
    }

    private Ending run(Duration deadline, String... arguments) {
        var argv = new ArrayList<>(List.of(executable, "-c", "core.hooksPath=/dev/null"));
        argv.addAll(List.of(arguments));
        ProcessGroup group;
        try {
            group = ProcessGroup.start(argv, environment, VARIABLES_OF_ANOTHER_REPOSITORY);
        } catch (IOException e) {
            return new Ending.Failed("cannot start %s: %s".formatted(executable, e.getMessage()));
        }
        var said = new StringBuffer();
        var reader = Thread.startVirtualThread(() -> drain(group.process().getInputStream(), said));
        try {
            if (!group.process().waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS))
                return new Ending.TimedOut(deadline);
            // A helper that git left in the background may hold the pipe open for ever.
            reader.join(Duration.ofSeconds(1));
            return group.process().exitValue() == 0
                    ? new Ending.Done()
                    : new Ending.Failed(lastLines(said.toString()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Ending.Failed("interrupted: the agent is stopping");
        } finally {
            if (group.process().isAlive()) group.kill();
        }
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

    private static String lastLines(String said) {
        var lines =
                said.lines()
                        .map(String::strip)
                        // Git's closing words, which hide the cause above them.
                        .filter(line -> !line.isEmpty() && !line.startsWith("Please make sure"))
                        .filter(line -> !line.equals("and the repository exists."))
                        .toList();
        var last = String.join("; ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
        var told = Texts.visible(Remote.masked(last));
        return told.length() <= 500 ? told : told.substring(0, 500) + "…";
    }

    /// How a git process ended.
    sealed interface Ending {
        record Done() implements Ending {}

        record Failed(String said) implements Ending {}

        record TimedOut(Duration deadline) implements Ending {}
    }
}
