// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The server or the agent as a process of its own: started again when it dies by itself, ended by
/// us when we end.
final class Child {
    private static final int MOST_RESTARTS = 5;
    private static final Duration GRACE = Duration.ofSeconds(20);

    private final Program program;
    private final Consumer<String> told;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final CountDownLatch lost = new CountDownLatch(1);
    private @Nullable Process process;

    Child(Program program, Consumer<String> told) {
        this.program = program;
        this.told = told;
    }

    /// What to start and where it leaves its log and its process id.
    record Program(String name, List<String> command, Path log, Path pidFile) {
        Program {
            command = List.copyOf(command);
        }
    }

    void start() throws IOException {
        Files.createDirectories(program.log().getParent());
        var first = launch();
        Thread.ofVirtual().name(program.name()).start(() -> watch(first));
    }

    /// Whether it has died so often that starting it again makes no sense.
    boolean isLost() {
        return lost.getCount() == 0;
    }

    /// A term, then a kill. Afterwards nothing of it runs.
    void stop() {
        stopping.countDown();
        Process last;
        synchronized (this) {
            last = process;
        }
        if (last == null) return;
        end(last.toHandle());
        try {
            Files.deleteIfExists(program.pidFile());
        } catch (IOException e) {
            // A stale file is harmless: its start time belongs to no living process.
        }
    }

    /// Ends what a quickstart that was itself killed left running; its start time tells it from a
    /// stranger with its id.
    static void endLeftover(Path pidFile) throws IOException {
        if (!Files.exists(pidFile)) return;
        var words = Files.readString(pidFile).strip().split(" ");
        if (words.length == 2) {
            ProcessHandle.of(Long.parseLong(words[0]))
                    .filter(handle -> startOf(handle).equals(words[1]))
                    .ifPresent(Child::end);
        }
        Files.deleteIfExists(pidFile);
    }

    private synchronized Process launch() throws IOException {
        if (stopping.getCount() == 0)
            throw new IOException(program.name() + ": stopping (expected: running)");
        // A session of its own: Ctrl-C reaches the quickstart alone, which stops the rest in order.
        var command = new ArrayList<>(List.of("setsid"));
        command.addAll(program.command());
        var log = ProcessBuilder.Redirect.appendTo(program.log().toFile());
        var started =
                new ProcessBuilder(command)
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                        .redirectOutput(log)
                        .redirectError(log)
                        .start();
        process = started;
        WholeFile.write(
                program.pidFile(), started.pid() + " " + startOf(started.toHandle()) + "\n");
        return started;
    }

    private void watch(Process first) {
        var running = first;
        try {
            for (var restarts = 0; ; restarts++) {
                var code = running.waitFor();
                if (stopping.getCount() == 0) return;
                if (restarts == MOST_RESTARTS) break;
                told.accept(
                        "The %s ended unexpectedly (exit code %d); starting it again. Its log: %s"
                                .formatted(program.name(), code, program.log()));
                if (stopping.await(1L << restarts, TimeUnit.SECONDS)) return;
                running = launch();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            if (stopping.getCount() == 0) return;
            told.accept("The %s cannot be started: %s".formatted(program.name(), e.getMessage()));
        }
        lost.countDown();
    }

    private static void end(ProcessHandle handle) {
        handle.destroy();
        if (hasEnded(handle, GRACE)) return;
        handle.destroyForcibly();
        hasEnded(handle, GRACE);
    }

    private static boolean hasEnded(ProcessHandle handle, Duration most) {
        try {
            return Patience.await(
                            most, () -> handle.isAlive() ? Optional.empty() : Optional.of(true))
                    .isPresent();
        } catch (IOException | InterruptedException e) {
            return false;
        }
    }

    private static String startOf(ProcessHandle handle) {
        return handle.info().startInstant().map(Instant::toEpochMilli).orElse(0L).toString();
    }
}
