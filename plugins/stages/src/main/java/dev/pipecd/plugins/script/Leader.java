// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The process that runs a script, told from any later one with the same number by when it started.
record Leader(long pid, long start, String boot) {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    static Optional<Leader> parse(String line) {
        var parts = List.of(line.strip().split(" ", -1));
        if (parts.size() != 3 || !parts.get(0).matches("\\d+") || !parts.get(1).matches("\\d+"))
            return Optional.empty();
        return Optional.of(
                new Leader(
                        Long.parseLong(parts.get(0)), Long.parseLong(parts.get(1)), parts.get(2)));
    }

    boolean alive() throws IOException {
        return sameBoot()
                && ProcessStat.of(pid)
                        .filter(stat -> stat.start() == start && stat.runs())
                        .isPresent();
    }

    /// Its number belongs to somebody else now, and so may its group.
    boolean replaced() throws IOException {
        return !sameBoot()
                || beforeAllOthers()
                || ProcessStat.of(pid).filter(stat -> stat.start() != start).isPresent();
    }

    /// A container that was started anew counts its processes from one again: whoever is older than
    /// the first of them was in the one before.
    private boolean beforeAllOthers() {
        return ProcessStat.of(1).filter(first -> first.start() > start).isPresent();
    }

    /// Tells this start of the machine from all others.
    static String thisBoot() throws IOException {
        return RunDirectory.read(BOOT).map(String::strip).orElse("");
    }

    private boolean sameBoot() throws IOException {
        return thisBoot().equals(boot);
    }
}
