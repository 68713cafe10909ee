// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everything there is to know about one script, on disk: its text, who runs it, what it wrote, how
/// it ended. Written by the wrapper, so that it stays true when the host dies.
record RunDirectory(Path path) {
    private static final Logger log = LoggerFactory.getLogger(RunDirectory.class);
    private static final String STOPPED = "stopped";

    Path output() {
        return path.resolve("output.log");
    }

    Path position() {
        return path.resolve("position");
    }

    private Path process() {
        return path.resolve("process");
    }

    private Path exit() {
        return path.resolve("exit");
    }

    Sight look() throws IOException {
        var ended = ended();
        if (ended.isPresent()) return ended.get();
        var claim = read(process());
        if (claim.isEmpty()) return new Sight.NotBegun();
        var leader = Leader.parse(claim.get());
        if (leader.isEmpty()) return new Sight.Stopped();
        if (leader.get().alive()) return new Sight.Going();
        // It may have ended between the two looks.
        return ended().orElse(new Sight.Lost());
    }

    private Optional<Sight> ended() throws IOException {
        return read(exit())
                .map(String::strip)
                .map(code -> {
                    if (code.equals(STOPPED)) return new Sight.Stopped();
                    return code.matches("\\d{1,3}")
                            ? new Sight.Ended(Integer.parseInt(code))
                            : new Sight.Lost();
                });
    }

    /// Spawns the wrapper in a session of its own. Its first act is the claim: of two spawned at
    /// once one ends at once.
    Process begin(Script script) throws IOException {
        write(path.resolve("script"), script.text());
        write(path.resolve("exports"), exports(script.environment()));
        var wrapper = path.resolve("wrapper.sh");
        write(wrapper, wrapper());
        var builder =
                new ProcessBuilder("setsid", "/bin/sh", wrapper.toString(), path.toString())
                        .directory(script.directory().toFile())
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(output().toFile()));
        script.environment()
                .forEach((name, value) -> {
                    if (!disarms(name)) builder.environment().put(name, value);
                });
        return builder.start();
    }

    /// What takes the wrapper's own programs away, or puts others in their place, is for the script
    /// alone: lines of the shell that the wrapper reads for it.
    private static String exports(Map<String, String> environment) {
        return environment.entrySet().stream()
                .filter(variable -> disarms(variable.getKey()))
                .map(variable ->
                        "export %s='%s'\n"
                                .formatted(
                                        variable.getKey(),
                                        variable.getValue().replace("'", "'\\''")))
                .collect(Collectors.joining());
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
    /// nothing is left.
    void stop() throws IOException, InterruptedException {
        if (!withdrawn() && ended().isEmpty()) {
            var leader = read(process()).flatMap(Leader::parse);
            if (leader.isPresent() && !leader.get().replaced())
                new ProcessGroup(leader.get().pid()).end();
        }
        if (ended().isEmpty()) noteStopped();
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
            Files.createFile(process());
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
