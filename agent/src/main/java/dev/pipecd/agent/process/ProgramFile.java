// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// A file that can be run as soon as it is there. One that this process writes cannot: whatever it
/// starts meanwhile holds the file open too, for a moment, and the system runs nothing that is open
/// for writing. So another process writes it, which starts none.
public final class ProgramFile {
    private static final String COPIER = "cp";

    private ProgramFile() {}

    /// A copy, whole and on the disk when this returns.
    public static void copy(Path from, Path to) throws IOException {
        var group =
                ProcessGroup.start(
                        List.of(COPIER, "--", from.toString(), to.toString()), Map.of(), Set.of());
        var copier = group.process();
        try (var output = copier.inputReader()) {
            var said = output.lines().collect(Collectors.joining("; "));
            if (copier.waitFor() != 0) throw new IOException(said);
        } catch (InterruptedException e) {
            group.kill();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("copy of %s was called off".formatted(from));
        }
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (var channel = FileChannel.open(to, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
