// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.cli.show.Sleeper;
import dev.pipecd.cli.show.Terminal;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine;

/// What is around a call of pipectl: by default nothing on standard input, an empty environment,
/// and nobody who looks on. Time passes only while pipectl sleeps.
final class Surroundings {
    private final Map<String, String> environment = new HashMap<>();
    private byte[] input = {};
    private boolean watched;
    private int looks = Integer.MAX_VALUE;
    private Instant now = Instant.parse("2026-11-15T20:00:00Z");

    Surroundings with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    Surroundings input(byte[] bytes) {
        input = bytes.clone();
        return this;
    }

    Surroundings input(String text) {
        return input(text.getBytes(StandardCharsets.UTF_8));
    }

    Surroundings inATerminal() {
        watched = true;
        return with("TERM", "xterm");
    }

    /// Somebody presses Ctrl-C after so many looks.
    Surroundings stoppedAfter(int count) {
        looks = count;
        return this;
    }

    Instant now() {
        return now;
    }

    Run pipectl(LoopbackServer server, String... args) {
        return pipectl(Run.reaching(server, args));
    }

    Run pipectl(String... args) {
        var out = new StringWriter();
        var err = new StringWriter();
        var code = Pipectl.run(terminal(out, err), args);
        return new Run(code, out.toString(), err.toString());
    }

    /// All commands, to be looked at.
    static CommandLine commands() {
        return Commands.of(new Surroundings().terminal(new StringWriter(), new StringWriter()));
    }

    private Terminal terminal(StringWriter out, StringWriter err) {
        return new Terminal(
                new PrintWriter(out),
                new PrintWriter(err),
                new ByteArrayInputStream(input),
                () -> watched,
                environment,
                () -> now,
                sleeper());
    }

    private Sleeper sleeper() {
        return duration -> {
            if (--looks <= 0) throw new InterruptedException();
            now = now.plus(duration);
        };
    }
}
