// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFilesTest {
    @TempDir Path folder;

    @Test
    void theLastContentPutIsTheOneGotAndNothingElseIsLeft() {
        var files = new LocalFiles(folder);
        var path = FilePath.of("command-output", "c1.json");

        files.put(path, "one".getBytes(UTF_8));
        files.put(path, "two".getBytes(UTF_8));

        assertThat(files.get(path)).hasValue("two".getBytes(UTF_8));
        assertThat(folder.resolve("command-output").toFile().list()).containsExactly("c1.json");
    }

    @Test
    void whatWasDeletedOrNeverPutIsNotThere() {
        var files = new LocalFiles(folder);
        var path = FilePath.of("a", "b");
        files.put(path, new byte[1]);

        files.delete(path);
        files.delete(path);

        assertThat(files.get(path)).isEmpty();
        assertThat(files.get(FilePath.of("never", "put"))).isEmpty();
    }
}
