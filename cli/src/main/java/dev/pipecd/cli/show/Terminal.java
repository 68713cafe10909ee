// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import java.io.InputStream;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.BooleanSupplier;

/// Where pipectl writes (results to `out`, progress and errors to `err`), what it reads, whether
/// somebody looks on (`in` and `out` are a terminal; `err` may be a file even so), and how it tells
/// the time.
public record Terminal(
        PrintWriter out,
        PrintWriter err,
        InputStream in,
        BooleanSupplier watched,
        Map<String, String> environment,
        InstantSource time,
        Sleeper sleeper) {
    public Terminal {
        environment = Map.copyOf(environment);
    }

    /// Progress must be seen while it happens, also through a pipe.
    public void progress(String line) {
        err.println(line);
        err.flush();
    }

    /// A result that is complete by itself, while more is to come.
    public void result(String line) {
        out.println(line);
        out.flush();
    }

    /// Whether lines may be redrawn in place, on `out`: never in a CI's log, even where it pretends
    /// to be a terminal.
    public boolean live() {
        return !environment.containsKey("CI")
                && !environment.getOrDefault("TERM", "dumb").equals("dumb")
                && watched.getAsBoolean();
    }

    /// Beside the result, so that a program that reads it is not disturbed.
    public void moreAt(String cursor) {
        if (!cursor.isEmpty())
            progress(
                    "There may be more: go on with --cursor %s, or show more with --limit."
                            .formatted(Printable.text(cursor)));
    }
}
