// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.transfer;

import dev.pipecd.cli.show.FileTrouble;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/// Files that hold keys, or the only copy of something: whole or not at all, and readable by their
/// owner only.
final class PrivateFile {
    private static final long LARGEST = 1L << 30;

    private PrivateFile() {}

    /// Before what it shall hold is made: a key is given only once.
    static void check(String flag, Path file) {
        var folder = file.toAbsolutePath().getParent();
        if (folder != null
                && Files.isDirectory(folder)
                && Files.isWritable(folder)
                && !Files.isDirectory(file)) return;
        throw new Problem(
                Code.SETTING_INVALID,
                "%s: %s (expected: a file that can be written)".formatted(flag, file),
                "Check the path and its permissions.");
    }

    static void write(String flag, Path file, String text) {
        try {
            var folder = file.toAbsolutePath().getParent();
            var part =
                    Files.createTempFile(
                            folder,
                            ".pipectl",
                            ".part",
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            try (var channel =
                    java.nio.channels.FileChannel.open(
                            part, java.nio.file.StandardOpenOption.WRITE)) {
                var bytes = java.nio.ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) channel.write(bytes);
                channel.force(true);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new Problem(
                    Code.SETTING_INVALID,
                    "%s: %s (expected: a file that can be written)".formatted(flag, file),
                    FileTrouble.advice(e),
                    e);
        }
    }

    static String read(String flag, Path file) {
        try {
            if (Files.size(file) > LARGEST) throw new IOException("larger than 1 GiB");
            return Files.readString(file);
        } catch (IOException e) {
            throw new Problem(
                    Code.SETTING_INVALID,
                    "%s: %s (expected: a text file that can be read)".formatted(flag, file),
                    FileTrouble.advice(e),
                    e);
        }
    }
}
