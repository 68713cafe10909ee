// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import dev.pipecd.domain.Problem;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.regex.Pattern;

/// A program that should have started, described for the person who has to find out why it did not.
record Executable(String command) {
    String described() {
        var found = find();
        if (found.isEmpty())
            return "program=%s (not found; PATH=%s)".formatted(command, System.getenv("PATH"));
        var path = found.get();
        try {
            var attributes = Files.readAttributes(path, PosixFileAttributes.class);
            return "program=%s mode=%s owner=%s kind=\"%s\" machine=%s"
                    .formatted(
                            path,
                            PosixFilePermissions.toString(attributes.permissions()),
                            attributes.owner().getName(),
                            kind(path),
                            System.getProperty("os.arch"));
        } catch (IOException e) {
            return "program=%s (%s)".formatted(path, e);
        }
    }

    /// The shell would take a program of another machine for a script.
    void refuseOtherMachine() throws IOException {
        var path = Path.of(command);
        var kind = kind(path);
        if (!kind.startsWith("ELF ") || kind.equals("ELF " + System.getProperty("os.arch"))) return;
        throw new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "program: %s is %s (expected: %s)"
                        .formatted(path, kind, System.getProperty("os.arch")),
                "Name the program for this machine in the plugin's `url`.");
    }

    private Optional<Path> find() {
        if (command.contains("/")) return Optional.of(Path.of(command)).filter(Files::exists);
        for (var folder :
                Optional.ofNullable(System.getenv("PATH"))
                        .orElse("")
                        .split(Pattern.quote(File.pathSeparator), -1)) {
            var path = Path.of(folder, command);
            if (Files.exists(path)) return Optional.of(path);
        }
        return Optional.empty();
    }

    private static String kind(Path path) throws IOException {
        if (!Files.isReadable(path) || Files.isDirectory(path)) return "not readable";
        var head = new byte[64];
        int length;
        try (var stream = Files.newInputStream(path)) {
            length = stream.readNBytes(head, 0, head.length);
        }
        if (length >= 20 && head[0] == 0x7f && head[1] == 'E' && head[2] == 'L' && head[3] == 'F')
            return "ELF " + machine((head[18] & 0xff) | (head[19] & 0xff) << 8);
        if (length >= 2 && head[0] == '#' && head[1] == '!')
            return "script "
                    + new String(head, 0, length, java.nio.charset.StandardCharsets.ISO_8859_1)
                            .lines()
                            .findFirst()
                            .orElse("");
        return "neither ELF nor script";
    }

    private static String machine(int number) {
        return switch (number) {
            case 0x3e -> "amd64";
            case 0xb7 -> "aarch64";
            default -> "machine " + number;
        };
    }
}
