// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everything there is to know about one script, on disk: its text, who runs it, what it wrote, how
/// it ended. Written by the wrapper, so that it stays true when the host dies.
record RunDirectory(Path path, Disk disk) {
    private static final Logger log = LoggerFactory.getLogger(RunDirectory.class);
    private static final String STOPPED = "stopped";

    RunDirectory(Path path) {
        this(path, Disk.REAL);
    }

    Path output() {
        return path.resolve("output.log");
    }

    Path position() {
        return path.resolve("position");
    }

    /// Who has the claim, or took it away, made this; who it may be is told by the files beside it.
    private Path claim() {
        return path.resolve("process");
    }

    private Path exit() {
        return path.resolve("exit");
    }

    /// Since which start of the machine the script may have begun.
    private Path beginning() {
        return path.resolve("beginning");
    }

    /// Made before a stop's first signal: how the script ends by it is written down while some of
    /// what it started may go on.
    private Path stopping() {
        return path.resolve("stopping");
    }

    Sight look() throws IOException {
        if (Files.exists(stopping())) return new Sight.Stopped();
        var ended = ended();
        if (ended.isPresent()) return ended.get();
        // A power cut may have taken the claim, and what is written beside it, away again.
        if (begunBeforeBoot()) return new Sight.Lost();
        if (!Files.exists(claim())) return new Sight.NotBegun();
        var leaders = leaders();
        if (leaders.isEmpty()) return new Sight.Stopped();
        for (var leader : leaders) if (leader.alive()) return new Sight.Going();
        // It may have ended between the two looks.
        return ended().orElse(new Sight.Lost());
    }

    /// An exit code is there when its line is: the wrapper may be about to write it.
    private Optional<Sight> ended() throws IOException {
        return read(exit())
                .filter(text -> text.equals(STOPPED) || text.endsWith("\n"))
                .map(String::strip)
                .map(code -> {
                    if (code.equals(STOPPED)) return new Sight.Stopped();
                    return code.matches("\\d{1,3}")
                            ? new Sight.Ended(Integer.parseInt(code))
                            : new Sight.Lost();
                });
    }

    private boolean begunBeforeBoot() throws IOException {
        var since = read(beginning());
        return since.isPresent() && !since.get().equals(Leader.thisBoot());
    }

    /// All wrappers that came so far as to claim: one of them has the claim, the others are about
    /// to end.
    List<Leader> leaders() throws IOException {
        var leaders = new ArrayList<Leader>();
        try (var records = Files.newDirectoryStream(path, "process.*")) {
            for (var record : records) read(record).flatMap(Leader::parse).ifPresent(leaders::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return leaders;
    }

    /// Spawns the wrapper in a session of its own. Its first act is the claim: of two spawned at
    /// once one ends at once.
    Process begin(Script script) throws IOException, InterruptedException {
        noteBeginning();
        // Whoever was stopped meanwhile need not begin.
        if (Thread.interrupted()) throw new InterruptedException();
        write(path.resolve("script"), commands(script));
        var wrapper = path.resolve("wrapper.sh");
        write(wrapper, wrapper());
        var builder =
                new ProcessBuilder(
                                "setsid",
                                "/bin/sh",
                                wrapper.toString(),
                                path.toString(),
                                String.valueOf(ProcessHandle.current().pid()))
                        .directory(script.directory().toFile())
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(output().toFile()));
        script.environment()
                .forEach((name, value) -> {
                    if (!disarms(name)) builder.environment().put(name, value);
                });
        return start(builder, script);
    }

    private static Process start(ProcessBuilder builder, Script script) throws IOException {
        try {
            return builder.start();
        } catch (IOException e) {
            // The file of the output is opened with it.
            if (e.getCause() instanceof FileNotFoundException) throw e;
            throw CannotStart.of(script, e);
        }
    }

    /// A power cut must not forget that a script may have begun, also when an earlier host wrote it
    /// and died before it was on the disk. A later start of the machine does not come here: by then
    /// it counts as lost.
    private void noteBeginning() throws IOException {
        if (!Files.exists(beginning())) write(beginning(), Leader.thisBoot());
        disk.sync(beginning());
        disk.sync(path);
    }

    /// Brings to the disk how the script ended. Where that fails the end is told all the same: only
    /// a power cut would forget it.
    void keepEnd() {
        try {
            disk.sync(exit());
            disk.sync(path);
        } catch (IOException e) {
            log.warn("How a script ended may not outlive a power cut: {}", e.toString());
        }
    }

    /// Lines of the shell that become the script. In a shell of its own: what takes the wrapper's
    /// own programs away, or puts others in their place, is for the script alone.
    private static String commands(Script script) {
        var exports =
                script.environment().entrySet().stream()
                        .filter(variable -> disarms(variable.getKey()))
                        .map(variable ->
                                "export %s=%s\n"
                                        .formatted(variable.getKey(), quoted(variable.getValue())))
                        .collect(Collectors.joining());
        return exports + "exec /bin/sh -l -c " + quoted(script.text()) + "\n";
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private static boolean disarms(String variable) {
        return variable.equals("PATH") || variable.startsWith("LD_");
    }

    private static String wrapper() throws IOException {
        try (var resource = RunDirectory.class.getResourceAsStream("wrapper.sh")) {
            return new String(
                    Objects.requireNonNull(resource, "wrapper.sh").readAllBytes(),
                    StandardCharsets.UTF_8);
        }
    }

    /// Ends the script and all it started, or makes sure that it is never begun. Comes back when
    /// nothing is left. What a script left running that ended by itself is not touched.
    void stop() throws IOException, InterruptedException {
        if (!withdrawn() && (Files.exists(stopping()) || ended().isEmpty())) {
            noteStopping();
            endAll();
        }
        if (ended().isEmpty()) noteStopped();
        forgetStopping();
    }

    /// Ends what runs of the script, with or without its wrapper; true when something did.
    boolean endAll() throws IOException, InterruptedException {
        var ran = false;
        for (var leader : leaders())
            if (!leader.replaced()) ran |= new ProcessGroup(leader.pid()).end();
        return ran;
    }

    /// On a full disk it is left: the stop itself must not wait for it.
    private void noteStopping() {
        try {
            write(stopping(), "");
        } catch (IOException e) {
            log.warn("That a script is being stopped is not written down: {}", e.toString());
        }
    }

    /// A later stop must not look for processes again: by then their numbers may be others'.
    private void forgetStopping() {
        try {
            Files.deleteIfExists(stopping());
        } catch (IOException e) {
            log.warn("That a script was stopped to its end is not written down: {}", e.toString());
        }
    }

    /// On a full disk it is left: the claim stands, so that the script is not begun again.
    private void noteStopped() {
        try {
            write(exit(), STOPPED);
        } catch (IOException e) {
            log.warn("That a script was stopped is not written down: {}", e.toString());
        }
    }

    /// Takes the claim away from any wrapper that is still on its way.
    private boolean withdrawn() throws IOException {
        try {
            Files.createFile(claim());
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    // Plain streams: file channels would be closed by the very interrupt that asks for a stop.

    static Optional<String> read(Path file) throws IOException {
        if (!Files.exists(file)) return Optional.empty();
        try (var in = new FileInputStream(file.toFile())) {
            return Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /// All or nothing: whoever reads sees the old text or the new.
    static void write(Path file, String text) throws IOException {
        var fresh = file.resolveSibling(file.getFileName() + "." + ProcessHandle.current().pid());
        try (var out = new FileOutputStream(fresh.toFile())) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        Files.move(
                fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
