// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static dev.pipecd.controlplane.Samples.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.LogBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StageLogFilesTest {
    private static final FilePath LOG = StageLogFiles.path("d1", "s1", 0);

    @TempDir Path folder;
    private StageLogFiles logs;

    @BeforeEach
    void open() {
        logs = new StageLogFiles(new LocalFiles(folder));
    }

    @AfterEach
    void close() {
        logs.close();
    }

    private void restart() {
        logs.close();
        open();
    }

    private Path file() {
        return folder.resolve("log/d1/s1/0.txt");
    }

    private List<Long> indexes(long from) {
        return logs.read(LOG, from).orElseThrow().blocks().stream()
                .map(LogBlock::getIndex)
                .toList();
    }

    @Test
    void theFileHasThePublicForm() throws IOException {
        logs.append(LOG, List.of(line(1, "a\nb"), line(2, "ü")), true);

        assertThat(file())
                .content()
                .isEqualTo(
                        "{\"index\":1,\"log\":\"a\\nb\",\"created_at\":1}\n"
                                + "{\"index\":2,\"log\":\"ü\",\"created_at\":1}\nEOL\n");
    }

    @Test
    void anIndexThatIsThereIsNotWrittenAgainAlsoAfterARestart() {
        logs.append(LOG, List.of(line(1, "a"), line(2, "b"), line(2, "twice")), false);
        restart();

        assertThat(logs.append(LOG, List.of(line(2, "other"), line(3, "c")), false)).isTrue();

        assertThat(logs.read(LOG, 0).orElseThrow())
                .isEqualTo(
                        new StageLogFile.Part(
                                List.of(line(1, "a"), line(2, "b"), line(3, "c")), false));
    }

    @Test
    void aCompletedLogTakesRepeatsAndRefusesNews() {
        logs.append(LOG, List.of(line(1, "a")), true);

        assertThat(logs.append(LOG, List.of(line(1, "a")), true)).isTrue();
        assertThat(logs.append(LOG, List.of(line(2, "b")), false)).isFalse();
        restart();
        assertThat(logs.append(LOG, List.of(line(1, "a")), false)).isTrue();
        assertThat(logs.append(LOG, List.of(line(2, "b")), true)).isFalse();
        assertThat(logs.read(LOG, 0).orElseThrow())
                .isEqualTo(new StageLogFile.Part(List.of(line(1, "a")), true));
    }

    @Test
    void aLineTornByACrashIsCutAndMayComeAgain() throws IOException {
        logs.append(LOG, List.of(line(1, "a")), false);
        logs.close();
        Files.writeString(file(), "{\"index\":2,\"lo", StandardOpenOption.APPEND);
        open();

        assertThat(indexes(0)).containsExactly(1L);
        assertThat(logs.append(LOG, List.of(line(2, "b")), false)).isTrue();

        restart();
        assertThat(indexes(0)).containsExactly(1L, 2L);
    }

    @Test
    void aLineThatIsNotOursHidesNoOther() throws IOException {
        logs.append(LOG, List.of(line(1, "a")), false);
        logs.close();
        Files.writeString(file(), "\0\0\0\nnot json\n", StandardOpenOption.APPEND);
        open();

        logs.append(LOG, List.of(line(2, "b")), true);

        assertThat(logs.read(LOG, 0).orElseThrow())
                .isEqualTo(new StageLogFile.Part(List.of(line(1, "a"), line(2, "b")), true));
    }

    @Test
    void readersGetWhatComesAtOrBehindTheirOffsetInOrder() {
        logs.append(LOG, List.of(line(5, "e"), line(6, "f")), false);
        logs.append(LOG, List.of(line(4, "late"), line(7, "g")), false);

        assertThat(indexes(0)).containsExactly(4L, 5L, 6L, 7L);
        assertThat(indexes(6)).containsExactly(6L, 7L);
        assertThat(indexes(8)).isEmpty();
        assertThat(logs.read(StageLogFiles.path("d1", "s2", 0), 0)).isEmpty();
    }

    @Test
    void aLongLogIsReadInPartsUntilItIsCompleted() {
        var text = "x".repeat(100_000);
        for (var i = 0; i < 100; i++)
            logs.append(LOG, List.of(line(2 * i, text), line(2 * i + 1, "short")), i == 99);
        restart();

        var seen = 0L;
        var parts = 0;
        StageLogFile.Part part;
        do {
            part = logs.read(LOG, seen).orElseThrow();
            assertThat(part.blocks().getFirst().getIndex()).isEqualTo(seen);
            seen = part.blocks().getLast().getIndex() + 1;
            parts++;
        } while (!part.completed());

        assertThat(seen).isEqualTo(200);
        assertThat(parts).isGreaterThan(1);
        assertThat(indexes(199)).containsExactly(199L);
    }

    @Test
    void manyWritersAndMoreLogsThanMayBeOpenLoseNothing() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writes =
                    IntStream.range(0, 8)
                            .mapToObj(t ->
                                    threads.submit(() -> {
                                        for (var log = 0; log < 600; log += 5)
                                            logs.append(
                                                    StageLogFiles.path("d1", "s" + log, t % 2),
                                                    List.of(line(t, "by " + t)),
                                                    false);
                                    }))
                            .toList();
            for (var write : writes) write.get();
        }

        for (var log = 0; log < 600; log += 5)
            for (var retried = 0; retried < 2; retried++) {
                var first = retried;
                assertThat(
                                logs.read(StageLogFiles.path("d1", "s" + log, retried), 0)
                                        .orElseThrow()
                                        .blocks())
                        .extracting(LogBlock::getIndex)
                        .isEqualTo(
                                LongStream.range(0, 8)
                                        .filter(i -> i % 2 == first)
                                        .boxed()
                                        .toList());
            }
    }

    @Test
    void noIdLeadsOutOfTheStore() {
        for (var id : List.of("..", ".", "", "a/b", "a\\b", "../../etc", "a\0b", "x".repeat(200)))
            assertThatThrownBy(() -> StageLogFiles.path(id, "s1", 0))
                    .as(id)
                    .isInstanceOf(Problem.class)
                    .hasMessageStartingWith("id: \"");
    }
}
