// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lock and scratch files that a killed git leaves in a mirror: git itself never removes them.
public final class StaleLocks {
    private static final Logger log = LoggerFactory.getLogger(StaleLocks.class);

    private StaleLocks() {}

    /// To be called only while no git process works on the mirror. What cannot be removed stays:
    /// the next git tells better what is wrong with the disk.
    public static void remove(Path mirror) {
        if (!Files.isDirectory(mirror)) return;
        removeIn(mirror, 1);
        removeIn(mirror.resolve("refs"), Integer.MAX_VALUE);
        removeIn(mirror.resolve("objects"), 2);
    }

    private static void removeIn(Path folder, int depth) {
        if (!Files.isDirectory(folder)) return;
        for (var file : staleIn(folder, depth)) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                log.debug("{} stays", file, e);
            }
        }
    }

    private static List<Path> staleIn(Path folder, int depth) {
        try (var files = Files.walk(folder, depth)) {
            return files.filter(StaleLocks::isStale).toList();
        } catch (IOException | UncheckedIOException e) {
            log.debug("{} cannot be looked through", folder, e);
            return List.of();
        }
    }

    private static boolean isStale(Path file) {
        var name = String.valueOf(file.getFileName());
        return (name.endsWith(".lock") || name.startsWith("tmp_") || name.equals("gc.pid"))
                && Files.isRegularFile(file);
    }
}
