// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static dev.pipecd.controlplane.Samples.line;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StageLogFilesTest implements StageLogContract {
    @TempDir private Path folder;
    private StageLogFiles logs = new StageLogFiles(new LocalFiles(Path.of("")));
    private Path file = Path.of("");

    @BeforeEach
    void open() {
        logs = new StageLogFiles(new LocalFiles(folder));
        file = folder.resolve("log/d1/s1/0.txt");
    }

    @AfterEach
    void close() {
        logs.close();
    }

    @Override
    public StageLogStore logs() {
        return logs;
    }

    @Override
    public void restart() {
        logs.close();
        open();
    }

    @Override
    public FileStore files() {
        return new LocalFiles(folder);
    }

    @Override
    public int manyLogs() {
        return 600;
    }

    @Test
    void aLineTornByACrashIsCutAndMayComeAgain() throws IOException {
        logs.append(LOG, List.of(line(1, "a")), false);
        logs.close();
        Files.writeString(file, "{\"index\":2,\"lo", StandardOpenOption.APPEND);
        open();

        assertThat(indexes(0)).containsExactly(1L);
        assertThat(file()).as("read, and not cut by that").endsWith("{\"index\":2,\"lo");
        assertThat(logs.append(LOG, List.of(line(2, "b")), false)).isTrue();

        restart();
        assertThat(indexes(0)).containsExactly(1L, 2L);
        assertThat(file().lines()).hasSize(2);
    }

    @Test
    void aLineThatIsNotOursHidesNoOther() throws IOException {
        logs.append(LOG, List.of(line(1, "a")), false);
        logs.close();
        Files.writeString(file, "\0\0\0\nnot json\n", StandardOpenOption.APPEND);
        open();

        logs.append(LOG, List.of(line(2, "b")), true);

        assertThat(logs.read(LOG, 0).orElseThrow())
                .isEqualTo(new StageLogStore.Part(List.of(line(1, "a"), line(2, "b")), true));
    }
}
