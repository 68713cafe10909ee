// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalFilesTest implements FileStoreContract {
    @TempDir private Path folder;

    @Override
    public FileStore files() {
        return new LocalFiles(folder);
    }

    @Test
    void aPutLeavesNothingElse() {
        files().put(FilePath.of("command-output", "c1.json"), "one".getBytes(UTF_8));
        files().put(FilePath.of("command-output", "c1.json"), "two".getBytes(UTF_8));

        assertThat(folder.resolve("command-output").toFile().list()).containsExactly("c1.json");
    }
}
