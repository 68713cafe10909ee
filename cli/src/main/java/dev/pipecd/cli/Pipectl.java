// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.cli.show.Terminal;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;

/// The command line: shows help at once, or runs the command asked for.
public final class Pipectl {
    private Pipectl() {}

    public static void main(String... args) {
        var out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
        var err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        var code = run(out, err, args);
        // To leave through exit costs time: it wakes the runtime's logging.
        if (code != 0) System.exit(code);
    }

    /// 0: done, 1: it failed, 2: it was called wrongly; more in the help.
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        return run(
                new Terminal(
                        out,
                        err,
                        System.in,
                        () -> System.console() != null && System.console().isTerminal(),
                        System.getenv(),
                        InstantSource.system(),
                        Thread::sleep),
                args);
    }

    static int run(Terminal terminal, String... args) {
        try {
            var page = HelpPages.askedBy(args);
            if (page.isEmpty()) return Commands.of(terminal).execute(HelpPages.without(args));
            terminal.out().print(page.get());
            return 0;
        } finally {
            terminal.out().flush();
            terminal.err().flush();
        }
    }
}
