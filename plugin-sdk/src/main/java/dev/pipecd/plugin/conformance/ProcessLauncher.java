// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// Starts an executable file as agents do; in their environment and `environment` beside; what it
/// prints goes into a file of the folder.
public record ProcessLauncher(Path file, Path folder, Map<String, String> environment)
        implements Launcher {
    private static final int LAST_LINES = 5;

    @Override
    public Program start(List<String> arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(file.toAbsolutePath().toString());
        command.addAll(arguments);
        var output = Files.createTempFile(folder, "output", ".log");
        var process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        process.environment().putAll(environment);
        return new Started(process.start(), output);
    }

    private record Started(Process process, Path output) implements Program {
        @Override
        public boolean alive() {
            return process.isAlive();
        }

        @Override
        public void terminate() {
            process.destroy();
        }

        @Override
        public void kill() {
            process.destroyForcibly();
        }

        @Override
        public boolean awaitEnd(Duration bound) throws InterruptedException {
            return process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public String told() {
            try {
                var text = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
                var lines = text.lines().toList();
                return lines.stream()
                        .skip(Math.max(0, lines.size() - LAST_LINES))
                        .collect(Collectors.joining(" | "));
            } catch (IOException e) {
                return e.toString();
            }
        }
    }
}
