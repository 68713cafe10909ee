// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.preview;

import dev.pipecd.cli.show.FileTrouble;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// The file that `--out` names, for the next step of a CI pipeline.
record OutFile(Path file) {
    static OutFile of(String path) {
        return new OutFile(Path.of(path));
    }

    void check() {
        var ready =
                Files.exists(file)
                        ? Files.isWritable(file) && !Files.isDirectory(file)
                        : Files.isWritable(folder()) && Files.isDirectory(folder());
        if (!ready)
            throw new Problem(
                    Code.SETTING_INVALID, expected(), "Check the path and its permissions.");
    }

    /// A new file appears whole or not at all; one that is there, maybe a pipe or somebody else's,
    /// is written in its place.
    void write(String text) {
        try {
            if (Files.exists(file)) Files.writeString(file, text);
            else create(text);
        } catch (IOException e) {
            throw new Problem(Code.SETTING_INVALID, expected(), FileTrouble.advice(e), e);
        }
    }

    /// With the rights that any new file has: the next step may run as somebody else.
    private void create(String text) throws IOException {
        var name = ".%s.%d.part".formatted(file.getFileName(), ProcessHandle.current().pid());
        var part = folder().resolve(name);
        try {
            try (var channel =
                    FileChannel.open(
                            part,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE)) {
                var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) channel.write(bytes);
                channel.force(true);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private Path folder() {
        var folder = file.toAbsolutePath().getParent();
        return folder == null ? Path.of("/") : folder;
    }

    private String expected() {
        return "--out: %s (expected: a file that can be written)".formatted(file);
    }
}
