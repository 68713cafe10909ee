// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.PipedConfig.GitCredentials;
import dev.pipecd.config.PipedConfig.NoCredentials;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/// A real repository on disk, written with the real git.
public final class GitRemote {
    final Path folder;

    private GitRemote(Path folder) {
        this.folder = folder;
    }

    public static GitRemote init(Path folder) {
        var remote = new GitRemote(folder);
        remote.run(
                List.of("init", "--quiet", "--initial-branch=main", folder.toString()),
                new byte[0]);
        remote.git("config", "user.name", "Ann");
        remote.git("config", "user.email", "ann@example.com");
        return remote;
    }

    /// Git as the user of this machine has it.
    public static GitAccess access(Path folder) {
        return new GitAccess(
                folder, settings(new PipedConfig.HostKeys("", false), new NoCredentials()));
    }

    /// The real git, told something more; what it is asked for stands in the file `asked`. It asks
    /// for no commit by its name while there is a file `hold`.
    static GitBinary program(Path folder, String options) {
        try {
            var script =
                    Files.writeString(
                            folder.resolve("noting-git"),
                            """
                            #!/bin/sh
                            echo "$*" >>'%1$s/asked'
                            case "$*" in
                              *refs/pipecd/*) while [ -e '%1$s/hold' ]; do sleep 0.05; done;;
                            esac
                            exec git %2$s "$@"
                            """
                                    .formatted(folder, options));
            script.toFile().setExecutable(true);
            return new GitBinary(
                    script.toString(),
                    access(folder.resolve("git")),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static PipedConfig.Git settings(PipedConfig.HostKeys hostKeys, GitCredentials credentials) {
        return new PipedConfig.Git(
                "bot",
                "bot@example.com",
                "",
                "git.example.com",
                "git.example.com",
                hostKeys,
                credentials);
    }

    public String address() {
        return "file://" + folder;
    }

    public GitRemote write(String path, String content) {
        try {
            var file = folder.resolve(path);
            Files.createDirectories(file.resolveSibling(""));
            Files.writeString(file, content);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String commit(String message) {
        git("add", "--all");
        run(
                List.of(
                        "-C",
                        folder.toString(),
                        "commit",
                        "--quiet",
                        "--allow-empty",
                        "-F",
                        "-",
                        "--cleanup=verbatim",
                        "--allow-empty-message"),
                message.getBytes(StandardCharsets.UTF_8));
        return git("rev-parse", "HEAD");
    }

    /// Commits all there is and a commit of another repository; with the next one that is gone.
    public String link(String path, String url, String commit) {
        write(".gitmodules", "[submodule \"m\"]\n\tpath = %s\n\turl = %s\n".formatted(path, url));
        git("add", "--all");
        git("update-index", "--add", "--cacheinfo", "160000,%s,%s".formatted(commit, path));
        git("commit", "--quiet", "-m", "link");
        return git("rev-parse", "HEAD");
    }

    /// Commits as many files at once as nobody would write one by one; the work tree stays behind.
    public String commitMany(String message, int files, IntFunction<String> path) {
        var told = new StringBuilder("commit refs/heads/main\n");
        told.append("committer Ann <ann@example.com> 1800000000 +0000\n");
        told.append("data %d\n%s\n".formatted(message.length(), message));
        told.append("from refs/heads/main^0\n");
        for (var i = 0; i < files; i++)
            told.append("M 100644 inline \"%s\"\ndata 1\nx\n".formatted(path.apply(i)));
        gitWithInput(
                told.toString().getBytes(StandardCharsets.UTF_8),
                "fast-import",
                "--quiet",
                "--force");
        return git("rev-parse", "main");
    }

    public String git(String... arguments) {
        var all = new ArrayList<>(List.of("-C", folder.toString()));
        all.addAll(List.of(arguments));
        return run(all, new byte[0]);
    }

    String gitWithInput(byte[] input, String... arguments) {
        var all = new ArrayList<>(List.of("-C", folder.toString()));
        all.addAll(List.of(arguments));
        return run(all, input);
    }

    private String run(List<String> arguments, byte[] input) {
        var argv = new ArrayList<>(List.of("git"));
        argv.addAll(arguments);
        try {
            var process = new ProcessBuilder(argv).redirectErrorStream(true).start();
            try (var in = process.getOutputStream()) {
                in.write(input);
            }
            var output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) throw new IllegalStateException(argv + ": " + output);
            return output.strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
