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
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Folders that appear whole or not at all.
public final class Folder {
    /// What a killed process may leave behind starts with this.
    public static final String HALF_MADE = ".tmp-";

    private static final Set<PosixFilePermission> OWNERS =
            PosixFilePermissions.fromString("rwx------");

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

    /// Whatever can be removed is: the first failure is told when the rest is gone.
    public static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) return;
        var removal = new Removal();
        Files.walkFileTree(folder, removal);
        if (removal.failure != null) throw removal.failure;
    }

    /// Removes what is in it.
    public static void empty(Path folder) throws IOException {
        try (var entries = Files.newDirectoryStream(folder)) {
            for (var entry : entries) delete(entry);
        }
    }

    /// Removes what a process that died left half made in `parent`.
    public static void deleteHalfMade(Path parent) throws IOException {
        try (var entries = Files.newDirectoryStream(parent, HALF_MADE + "*")) {
            for (var entry : entries) delete(entry);
        }
    }

    /// Opens folders that their owner locked, as build tools do with what they keep.
    private static final class Removal extends SimpleFileVisitor<Path> {
        private @Nullable IOException failure;

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            var _ = opened(folder);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            return remove(file);
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (opened(file)) Files.walkFileTree(file, this);
            else tell(e);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) {
            if (e != null) tell(e);
            return remove(folder);
        }

        private FileVisitResult remove(Path path) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                tell(e);
            }
            return FileVisitResult.CONTINUE;
        }

        private void tell(IOException e) {
            if (failure == null) failure = e;
        }

        /// Whether it was locked and is not any more.
        private static boolean opened(Path folder) {
            try {
                if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) return false;
                var rights = Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
                if (!rights.addAll(OWNERS)) return false;
                Files.setPosixFilePermissions(folder, rights);
                return true;
            } catch (IOException e) {
                return false; // what cannot be removed then is told
            }
        }
    }
}
