// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.function.Consumer;

/// Files in a folder of this machine.
public final class LocalFiles implements FileStore {
    /// How the names of files begin that are still being written.
    private static final String ASIDE = ".put";

    private final Path root;

    public LocalFiles(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    /// Written aside, flushed, then renamed: a crash leaves the old content or the new one.
    @Override
    public void put(FilePath path, byte[] content) {
        try {
            var target = resolve(path);
            var folder = folderOf(target);
            var aside = Files.createTempFile(folder, ASIDE, ".tmp");
            try {
                try (var channel = FileChannel.open(aside, StandardOpenOption.WRITE)) {
                    var buffer = ByteBuffer.wrap(content);
                    while (buffer.hasRemaining()) channel.write(buffer);
                    channel.force(true);
                }
                Files.move(aside, target, StandardCopyOption.ATOMIC_MOVE);
                flushFolder(folder);
            } finally {
                Files.deleteIfExists(aside);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + path, e);
        }
    }

    @Override
    public Optional<byte[]> get(FilePath path) {
        try {
            return Optional.of(Files.readAllBytes(resolve(path)));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }

    @Override
    public void delete(FilePath path) {
        try {
            var file = resolve(path);
            Files.deleteIfExists(file);
            if (path.parts().size() > 2) prune(parent(file));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + path, e);
        }
    }

    /// Folders of what is gone; those at the top stay, since somebody may be about to write there.
    private void prune(Path empty) throws IOException {
        try {
            for (var folder = empty; !parent(folder).equals(root); folder = parent(folder))
                Files.deleteIfExists(folder);
        } catch (DirectoryNotEmptyException _) {
            // the others of this folder are still there
        }
    }

    @Override
    public void list(FilePath folder, Consumer<Listed> each) {
        var top = resolve(folder);
        if (!Files.isDirectory(top)) return;
        try (var found = Files.walk(top)) {
            for (var file : (Iterable<Path>) found.filter(Files::isRegularFile).sorted()::iterator)
                listed(file).ifPresent(each);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + folder, e);
        }
    }

    /// Not what is still being written, and not what somebody deletes while we look.
    private Optional<Listed> listed(Path file) throws IOException {
        if (String.valueOf(file.getFileName()).startsWith(ASIDE)) return Optional.empty();
        var path = FilePath.parsed(root.relativize(file).toString());
        try {
            var at = Files.getLastModifiedTime(file).toInstant();
            return path.map(p -> new Listed(p, at));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
    }

    Path resolve(FilePath path) {
        Path resolved;
        try {
            resolved = root.resolve(path.toString()).normalize();
        } catch (InvalidPathException e) {
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "id: one of \"%s\" (expected: characters of this machine's file names)"
                            .formatted(path),
                    "Use letters of ASCII, or start the server in a locale of UTF-8 (LC_ALL=C.UTF-8).",
                    e);
        }
        if (!resolved.startsWith(root))
            throw new IllegalArgumentException("path: " + path + " (expected: inside the store)");
        return resolved;
    }

    /// Makes the folder of a file, durably: a new folder is nothing until its parent is flushed.
    static Path folderOf(Path file) throws IOException {
        var folder = parent(file);
        if (!Files.isDirectory(folder)) {
            var above = folderOf(folder);
            Files.createDirectories(folder);
            flushFolder(above);
        }
        return folder;
    }

    private static Path parent(Path file) {
        return java.util.Objects.requireNonNull(file.getParent());
    }

    static void flushFolder(Path folder) throws IOException {
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
