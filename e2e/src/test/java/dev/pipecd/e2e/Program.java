// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A real process that is started, killed and started again; what it says goes to one file.
final class Program {
    private static final int TAIL = 60;

    private final List<String> command;
    private final Path directory;
    private final Path log;
    private @Nullable Process process;

    Program(List<String> command, Path directory, Path log) {
        this.command = List.copyOf(command);
        this.directory = directory;
        this.log = log;
    }

    synchronized void start() {
        try {
            // A run started in the background ignores Ctrl-C, and so would everything below it.
            var line = new ArrayList<>(List.of("env", "--default-signal=INT"));
            line.addAll(command);
            var started =
                    new ProcessBuilder(line)
                            .directory(directory.toFile())
                            .redirectInput(Path.of("/dev/null").toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                            .start();
            process = started;
            // A test run that is broken off leaves nothing running.
            Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
        } catch (IOException e) {
            throw new AssertionError(command + " cannot be started", e);
        }
    }

    /// `kill -9`, and nothing of the process is left when this comes back.
    synchronized void kill() {
        if (process == null) return;
        process.destroyForcibly();
        exitCode();
    }

    /// SIGTERM, and its exit code.
    synchronized int terminate() {
        if (process == null) return 0;
        process.destroy();
        return exitCode();
    }

    /// Ctrl-C, and its exit code.
    int interrupt() {
        Shell.run(directory, "kill", "-INT", Long.toString(pid()));
        return exitCode();
    }

    synchronized int exitCode() {
        var running = running();
        try {
            if (running.waitFor(60, TimeUnit.SECONDS)) return running.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        running.destroyForcibly();
        throw new AssertionError("%s did not end within 60 s\n%s".formatted(command, tail()));
    }

    synchronized boolean isAlive() {
        return process != null && process.isAlive();
    }

    synchronized long pid() {
        return running().pid();
    }

    private Process running() {
        if (process == null) throw new IllegalStateException(command + " was not started");
        return process;
    }

    String said() {
        try {
            return Files.exists(log) ? Files.readString(log) : "";
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    String tail() {
        var lines = said().lines().toList();
        return "--- %s\n%s\n"
                .formatted(
                        log.getFileName(),
                        String.join(
                                "\n",
                                lines.subList(Math.max(0, lines.size() - TAIL), lines.size())));
    }
}
