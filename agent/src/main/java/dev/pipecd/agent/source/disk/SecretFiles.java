// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/// Files for one run of a program: readable by the agent's user only, from their first byte on.
public record SecretFiles(Path folder) {
    public static SecretFiles in(Path parent) throws IOException {
        var ours = PosixFilePermissions.fromString("rwx------");
        return new SecretFiles(
                Files.createTempDirectory(
                        parent, Folder.HALF_MADE, PosixFilePermissions.asFileAttribute(ours)));
    }

    public Path write(String name, String content) throws IOException {
        var file = folder.resolve(name);
        var ours = PosixFilePermissions.fromString("rw-------");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(ours));
        return Files.writeString(file, content, StandardOpenOption.TRUNCATE_EXISTING);
    }

    public void delete() throws IOException {
        Folder.delete(folder);
    }
}
