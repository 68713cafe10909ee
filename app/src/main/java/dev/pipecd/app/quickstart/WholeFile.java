// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Writes a file so that whoever looks finds nothing or all of it, even after a crash.
final class WholeFile {
    private WholeFile() {}

    static void write(Path file, String text) throws IOException {
        write(file, text.getBytes(StandardCharsets.UTF_8), "rw-r--r--");
    }

    /// For what only its owner may read.
    static void writeSecret(Path file, byte[] bytes) throws IOException {
        write(file, bytes, "rw-------");
    }

    private static void write(Path file, byte[] bytes, String permissions) throws IOException {
        Files.createDirectories(file.getParent());
        var draft = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(draft);
        var mode =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (var channel = FileChannel.open(draft, options, mode)) {
            var buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) channel.write(buffer);
            channel.force(true);
        }
        Files.move(
                draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
