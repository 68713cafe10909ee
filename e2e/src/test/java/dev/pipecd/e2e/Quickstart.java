// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/// `pipecd quickstart` as a person starts it, from a folder that has nothing to do with it.
final class Quickstart implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private final Path home;
    private final int port;
    private int runs;
    private Program program;

    Quickstart(int port) throws IOException {
        this.home = Files.createTempDirectory("pipecd-quickstart");
        this.port = port;
        this.program = fresh();
    }

    private Program fresh() {
        var command =
                List.of(
                        Dist.bin("pipecd"),
                        "quickstart",
                        "--port",
                        Integer.toString(port),
                        "--data",
                        data().toString());
        return new Program(command, home, home.resolve("said-%d.log".formatted(runs++)));
    }

    Quickstart start() {
        program = fresh();
        program.start();
        try {
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> isRunning() || !program.isAlive());
        } catch (ConditionTimeoutException e) {
            program.interrupt();
            throw new AssertionError("The quickstart does not start.\n" + tails(), e);
        }
        if (!isRunning()) throw new AssertionError("The quickstart ended.\n" + tails());
        return this;
    }

    private boolean isRunning() {
        return program.said().contains("PipeCD is running.");
    }

    Program program() {
        return program;
    }

    int port() {
        return port;
    }

    Path data() {
        return home.resolve("data");
    }

    Path home() {
        return home;
    }

    /// The line to try that contains the given words, as it was printed.
    String line(String words) {
        return program.said()
                .lines()
                .map(String::strip)
                .filter(l -> l.contains(words))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No line with " + words + "\n" + tails()));
    }

    /// What a person pastes into another terminal in the folder the quickstart was started in.
    Shell.Ended paste(String line) {
        return Shell.call(home, List.of("bash", "-c", line));
    }

    /// Where the published page is served.
    String page() {
        var found = Pattern.compile("http://localhost:\\d+$").matcher(line("Published page"));
        if (!found.find()) throw new AssertionError(tails());
        return found.group();
    }

    /// All processes that name this quickstart's folder, whoever started them.
    List<String> processes() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            return all.filter(p -> p.getFileName().toString().matches("\\d+"))
                    .map(Quickstart::commandLine)
                    .filter(line -> line.contains(data().toString()))
                    .toList();
        }
    }

    private static String commandLine(Path process) {
        try {
            return Files.readString(process.resolve("cmdline")).replace('\0', ' ');
        } catch (IOException gone) {
            return "";
        }
    }

    String tails() {
        return program.tail()
                + new Program(List.of(), home, data().resolve("logs/server.log")).tail()
                + new Program(List.of(), home, data().resolve("logs/agent.log")).tail();
    }

    @Override
    public void close() throws IOException {
        if (program.isAlive()) program.interrupt();
        try (var files = Files.walk(home)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList())
                Files.deleteIfExists(file);
        }
    }
}
