// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.task;

import java.io.PrintWriter;
import java.time.InstantSource;

/// Where pipectl writes (results to `out`, progress and errors to `err`) and how it tells the time.
public record Terminal(PrintWriter out, PrintWriter err, InstantSource time, Sleeper sleeper) {
    /// Progress must be seen while it happens, also through a pipe.
    void progress(String line) {
        err.println(line);
        err.flush();
    }

    /// Beside the result, so that a program that reads it is not disturbed.
    void moreAt(String cursor, int shown, int limit) {
        if (limit > 0 && shown >= limit && !cursor.isEmpty())
            progress(
                    "There may be more: go on with --cursor %s, or show more with --limit."
                            .formatted(cursor));
    }
}
