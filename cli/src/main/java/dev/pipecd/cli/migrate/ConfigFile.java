// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.migrate;

import dev.pipecd.cli.show.FileTrouble;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;

/// One application configuration on disk. At every moment the file is either whole as it was or
/// whole as it shall be, and the old one is safe before the new one takes its place.
final class ConfigFile {
    private static final int LARGEST = 1 << 20;

    private ConfigFile() {}

    /// Tells what was done.
    static String migrate(Path file) {
        try {
            if (Files.size(file) > LARGEST)
                throw new Problem(
                        Code.CONFIG_TOO_LARGE,
                        "%s: %d bytes (expected: at most %d)"
                                .formatted(file, Files.size(file), LARGEST),
                        "Move what is no configuration into files of its own.");
            var old = Files.readAllBytes(file);
            var text = new String(old, StandardCharsets.UTF_8);
            var migrated = Migration.of(file.toString(), text);
            if (migrated.isEmpty()) return "is of kind Application already";
            var kept = keep(file, old);
            var part = Files.createTempFile(file.toAbsolutePath().getParent(), ".pipectl", ".part");
            Files.setPosixFilePermissions(part, Files.getPosixFilePermissions(file));
            Files.writeString(part, migrated.get());
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
            return "migrated; as it was: " + kept;
        } catch (IOException e) {
            throw new Problem(
                    Code.SETTING_INVALID,
                    "%s: cannot be rewritten (expected: a file that can be read and written)"
                            .formatted(file),
                    FileTrouble.advice(e),
                    e);
        }
    }

    private static Path keep(Path file, byte[] content) throws IOException {
        var kept = file.resolveSibling(file.getFileName() + ".old");
        if (!Files.exists(kept)) return Files.write(kept, content);
        // Of a run that was cut off: the same content.
        if (Arrays.equals(Files.readAllBytes(kept), content)) return kept;
        throw new Problem(
                Code.SETTING_INVALID,
                "%s: exists and differs (expected: no file of that name)".formatted(kept),
                "Move it away, so that nothing is overwritten.");
    }
}
