// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What the kernel says about a process.
record ProcessStat(String state, long group, long session, long start) {

    static Optional<ProcessStat> of(long pid) {
        try {
            return RunDirectory.read(Path.of("/proc/" + pid + "/stat")).map(ProcessStat::parse);
        } catch (IOException e) {
            // It ended while we looked.
            return Optional.empty();
        }
    }

    private static ProcessStat parse(String line) {
        // The program's name stands in brackets and may hold anything, brackets too.
        var fields = List.of(line.substring(line.lastIndexOf(')') + 2).split(" ", -1));
        return new ProcessStat(
                fields.get(0),
                Long.parseLong(fields.get(2)),
                Long.parseLong(fields.get(3)),
                Long.parseLong(fields.get(19)));
    }

    /// A zombie has ended; only nobody has asked yet how.
    boolean runs() {
        return !state.equals("Z") && !state.equals("X");
    }
}
