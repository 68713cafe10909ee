// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Lock and scratch files that a killed git leaves in a mirror: git itself never removes them.
public final class StaleLocks {
    private StaleLocks() {}

    /// To be called only while no git process works on the mirror.
    public static void remove(Path mirror) {
        if (!Files.isDirectory(mirror)) return;
        removeIn(mirror, 1);
        removeIn(mirror.resolve("refs"), Integer.MAX_VALUE);
        removeIn(mirror.resolve("objects"), 2);
    }

    private static void removeIn(Path folder, int depth) {
        if (!Files.isDirectory(folder)) return;
        List<Path> stale;
        try (var files = Files.walk(folder, depth)) {
            stale = files.filter(StaleLocks::isStale).toList();
            for (var file : stale) Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isStale(Path file) {
        var name = String.valueOf(file.getFileName());
        return (name.endsWith(".lock") || name.startsWith("tmp_") || name.equals("gc.pid"))
                && Files.isRegularFile(file);
    }
}
