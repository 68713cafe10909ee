// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Runs a program to its end, as a person in a terminal does.
final class Shell {
    private Shell() {}

    record Ended(int code, String output) {}

    static Ended call(Path directory, List<String> command) {
        return call(directory, Map.of(), command);
    }

    static Ended call(Path directory, Map<String, String> environment, List<String> command) {
        var builder =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            var process = builder.start();
            var output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Ended(process.waitFor(), output);
        } catch (IOException e) {
            throw new AssertionError(command + " cannot be started", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    static String run(Path directory, String... command) {
        var ended = call(directory, List.of(command));
        if (ended.code() != 0)
            throw new AssertionError(
                    "%s: exit code %d\n%s"
                            .formatted(List.of(command), ended.code(), ended.output()));
        return ended.output();
    }
}
