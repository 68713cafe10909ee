// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/// What every file store promises.
interface FileStoreContract {
    FileStore files();

    @Test
    default void theLastContentPutIsTheOneGot() {
        var path = FilePath.of("command-output", "c1.json");

        files().put(path, "one".getBytes(UTF_8));
        files().put(path, "two".getBytes(UTF_8));

        assertThat(files().get(path)).hasValue("two".getBytes(UTF_8));
    }

    @Test
    default void whatWasDeletedOrNeverPutIsNotThere() {
        var path = FilePath.of("a", "b");
        files().put(path, new byte[1]);

        files().delete(path);
        files().delete(path);

        assertThat(files().get(path)).isEmpty();
        assertThat(files().get(FilePath.of("never", "put"))).isEmpty();
    }

    @Test
    default void anEmptyFileIsAFile() {
        files().put(FilePath.of("empty", "file"), new byte[0]);

        assertThat(files().get(FilePath.of("empty", "file"))).hasValue(new byte[0]);
    }

    @Test
    default void allFilesBelowAFolderAreListedAndNoOthers() {
        for (var name : new String[] {"b", "a"})
            files().put(FilePath.of("listed", "inner", name), new byte[1]);
        files().put(FilePath.of("listed-not", "x"), new byte[1]);
        var found = new ArrayList<FileStore.Listed>();

        files().list(FilePath.of("listed"), found::add);
        files().list(FilePath.of("nothing-here"), found::add);

        assertThat(found)
                .extracting(listed -> listed.path().toString())
                .containsExactly("listed/inner/a", "listed/inner/b");
        assertThat(found.getFirst().at()).isAfter(Instant.EPOCH.plus(Duration.ofDays(365)));
    }
}
