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
    private volatile boolean over;

    Steps(PrintStream out, InstantSource clock) {
        this.out = out;
        this.clock = clock;
    }

    <T> T step(String title, Work<T> work) throws IOException, InterruptedException {
        var began = clock.instant();
        print("==> " + title + " … ");
        var done = false;
        try {
            var result = work.run();
            done = true;
            return result;
        } finally {
            var took = Duration.between(began, clock.instant()).toMillis() / 1000.0;
            print(String.format(Locale.ROOT, done ? "%.1f s%n" : "failed after %.1f s%n", took));
        }
    }

    void say(String text) {
        print(text + "\n");
    }

    /// The steps of the ending: what failed only because everything ends is not told.
    Steps last() {
        over = true;
        return new Steps(out, clock);
    }

    private void print(String text) {
        if (over) return;
        out.print(text);
        out.flush();
    }

    /// What a step does.
    @FunctionalInterface
    interface Work<T> {
        T run() throws IOException, InterruptedException;
    }
}
