// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A started program together with whatever it starts: ended whole, never only its head.
public final class ProcessGroup {
    /// Makes each program the leader of a session; without it nothing is started at all.
    public static final String STARTER = "setsid";

    private static final int SIGTERM = 15;
    private static final int SIGKILL = 9;

    private static final Duration GONE_WITHIN = Duration.ofSeconds(5);

    private final Process process;

    private ProcessGroup(Process process) {
        this.process = process;
    }

    /// Starts `argv` as the leader of a new session; standard input is empty, both outputs come as
    /// one, in order.
    public static ProcessGroup start(
            List<String> argv, Map<String, String> environment, Set<String> withoutVariables)
            throws IOException {
        var command = new ArrayList<String>();
        command.add(STARTER);
        command.addAll(argv);
        var builder =
                new ProcessBuilder(command)
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectErrorStream(true);
        builder.environment().keySet().removeAll(withoutVariables);
        builder.environment().putAll(environment);
        return new ProcessGroup(builder.start());
    }

    public Process process() {
        return process;
    }

    public long id() {
        return process.pid();
    }

    /// Ends every process of the group: asks first, and kills what is left after `grace`.
    public void end(Duration grace) {
        Signals.send(SIGTERM, -id());
        try {
            var ended = process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kill();
    }

    /// Kills every process of the group at once.
    public void kill() {
        Signals.send(SIGKILL, -id());
        // Between fork and setsid there is no group yet: the process itself must not slip through.
        // Through its handle, as the process object would also drop what was printed last.
        var _ = process.toHandle().destroyForcibly();
    }

    /// Kills the group of a process that an earlier life of this program started; comes back when
    /// its leader is gone.
    public static void killLeftBehind(long groupId) {
        var began = startOf(groupId);
        Signals.send(SIGKILL, -groupId);
        Signals.send(SIGKILL, groupId);
        var deadline = System.nanoTime() + GONE_WITHIN.toNanos();
        while (began.isPresent() && startOf(groupId).equals(began) && System.nanoTime() < deadline)
            LockSupport.parkNanos(10_000_000);
    }

    /// Whether processes live on of a session whose leader, which began then, is gone. While they
    /// do, its id is given to no other process.
    public static boolean hasLeftBehind(long session, String began) throws IOException {
        if (!began.startsWith(boot())) return false;
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var process : processes)
                if (sessionOf(process).filter(Long.toString(session)::equals).isPresent())
                    return true;
        }
        return false;
    }

    private static Optional<String> sessionOf(Path process) {
        try {
            var fields = fields(process);
            return fields[0].equals("Z") ? Optional.empty() : Optional.of(fields[3]);
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    /// The name in brackets may hold blanks and brackets itself; fields count from its end.
    private static String[] fields(Path process) throws IOException {
        var stat = Files.readString(process.resolve("stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }

    /// Names the time since the machine was started: another one after each start.
    public static String boot() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// When that process began, in words that never name two processes: process ids are used again.
    public static Optional<String> startOf(long pid) {
        try {
            var fields = fields(Path.of("/proc/" + pid));
            // A zombie has ended: nothing of it is left to kill or to talk to.
            return fields[0].equals("Z")
                    ? Optional.empty()
                    : Optional.of(boot() + " " + fields[19]);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            // Reading the entry of a process that ends meanwhile gives "no such process".
            if (!Files.exists(Path.of("/proc/" + pid))) return Optional.empty();
            throw new UncheckedIOException(e);
        }
    }
}
