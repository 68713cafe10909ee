// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/// Folders that appear whole or not at all.
public final class Folder {
    /// What a killed process may leave behind starts with this.
    public static final String HALF_MADE = ".tmp-";

    private Folder() {}

    /// Gives the finished folder its name; after this it outlives a power cut.
    public static void publish(Path finished, Path name) throws IOException {
        Files.move(finished, name, StandardCopyOption.ATOMIC_MOVE);
        sync(name.toAbsolutePath().getParent());
    }

    public static void sync(@Nullable Path folder) throws IOException {
        if (folder == null) return;
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    public static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) return;
        Files.walkFileTree(
                folder,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.deleteIfExists(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e)
                            throws IOException {
                        Files.deleteIfExists(visited);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    /// Removes what a process that died left half made in `parent`.
    public static void deleteHalfMade(Path parent) throws IOException {
        try (var entries = Files.newDirectoryStream(parent, HALF_MADE + "*")) {
            for (var entry : entries) delete(entry);
        }
    }
}
