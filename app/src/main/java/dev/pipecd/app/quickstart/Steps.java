// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;

/// Tells on the terminal what is being done and how long it took, one line a step.
final class Steps {
    private final PrintStream out;
    private final InstantSource clock;

    Steps(PrintStream out, InstantSource clock) {
        this.out = out;
        this.clock = clock;
    }

    <T> T step(String title, Work<T> work) throws IOException, InterruptedException {
        var began = clock.instant();
        out.print("==> " + title + " … ");
        out.flush();
        var done = false;
        try {
            var result = work.run();
            done = true;
            return result;
        } finally {
            var took = Duration.between(began, clock.instant()).toMillis() / 1000.0;
            out.println(String.format(Locale.ROOT, done ? "%.1f s" : "failed after %.1f s", took));
        }
    }

    void say(String text) {
        out.println(text);
        out.flush();
    }

    /// What a step does.
    @FunctionalInterface
    interface Work<T> {
        T run() throws IOException, InterruptedException;
    }
}
