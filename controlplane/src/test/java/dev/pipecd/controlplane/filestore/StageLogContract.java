// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static dev.pipecd.controlplane.Samples.line;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.LogBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What every store of stage logs promises.
interface StageLogContract {
    FilePath LOG = StageLogStore.path("d1", "s1", 0);

    StageLogStore logs();

    /// As after a restart of the server: the store forgets what it knew.
    void restart();

    /// The files on which the logs are.
    FileStore files();

    /// How many logs a server may have in mind at once, and then some.
    int manyLogs();

    default String file() {
        return new String(files().get(LOG).orElseThrow(), UTF_8);
    }

    default List<Long> indexes(long from) {
        return logs().read(LOG, from).orElseThrow().blocks().stream()
                .map(LogBlock::getIndex)
                .toList();
    }

    @Test
    default void theFileHasThePublicForm() {
        logs().append(LOG, List.of(line(1, "a\nb"), line(2, "ü")), true);

        assertThat(file())
                .isEqualTo(
                        "{\"index\":1,\"log\":\"a\\nb\",\"created_at\":1}\n"
                                + "{\"index\":2,\"log\":\"ü\",\"created_at\":1}\nEOL\n");
    }

    @Test
    default void anIndexThatIsThereIsNotWrittenAgainAlsoAfterARestart() {
        logs().append(LOG, List.of(line(1, "a"), line(2, "b"), line(2, "twice")), false);
        restart();

        assertThat(logs().append(LOG, List.of(line(2, "other"), line(3, "c")), false)).isTrue();

        assertThat(logs().read(LOG, 0).orElseThrow())
                .isEqualTo(
                        new StageLogStore.Part(
                                List.of(line(1, "a"), line(2, "b"), line(3, "c")), false));
    }

    @Test
    default void aCompletedLogTakesRepeatsAndRefusesNews() {
        logs().append(LOG, List.of(line(1, "a")), true);

        assertThat(logs().append(LOG, List.of(line(1, "a")), true)).isTrue();
        assertThat(logs().append(LOG, List.of(line(2, "b")), false)).isFalse();
        restart();
        assertThat(logs().append(LOG, List.of(line(1, "a")), false)).isTrue();
        assertThat(logs().append(LOG, List.of(line(2, "b")), true)).isFalse();
        assertThat(logs().read(LOG, 0).orElseThrow())
                .isEqualTo(new StageLogStore.Part(List.of(line(1, "a")), true));
    }

    @Test
    default void readersGetWhatComesAtOrBehindTheirOffsetInOrder() {
        logs().append(LOG, List.of(line(5, "e"), line(6, "f")), false);
        logs().append(LOG, List.of(line(4, "late"), line(7, "g")), false);

        assertThat(indexes(0)).containsExactly(4L, 5L, 6L, 7L);
        assertThat(indexes(6)).containsExactly(6L, 7L);
        assertThat(indexes(8)).isEmpty();
        assertThat(logs().read(StageLogStore.path("d1", "s2", 0), 0)).isEmpty();
    }

    @Test
    default void aLongLogIsReadInPartsUntilItIsCompleted() {
        var text = "x".repeat(100_000);
        for (var i = 0; i < 100; i++)
            logs().append(LOG, List.of(line(2 * i, text), line(2 * i + 1, "short")), i == 99);
        restart();

        var seen = 0L;
        var parts = 0;
        StageLogStore.Part part;
        do {
            part = logs().read(LOG, seen).orElseThrow();
            assertThat(part.blocks().getFirst().getIndex()).isEqualTo(seen);
            seen = part.blocks().getLast().getIndex() + 1;
            parts++;
        } while (!part.completed());

        assertThat(seen).isEqualTo(200);
        assertThat(parts).isGreaterThan(1);
        assertThat(indexes(199)).containsExactly(199L);
    }

    @Test
    default void manyWritersAndMoreLogsThanMayBeOpenLoseNothing() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writes =
                    IntStream.range(0, 8)
                            .mapToObj(t ->
                                    threads.submit(() -> {
                                        for (var log = 0; log < manyLogs(); log += 5)
                                            logs().append(
                                                            StageLogStore.path(
                                                                    "d1", "s" + log, t % 2),
                                                            List.of(line(t, "by " + t)),
                                                            false);
                                    }))
                            .toList();
            for (var write : writes) write.get();
        }

        for (var log = 0; log < manyLogs(); log += 5)
            for (var retried = 0; retried < 2; retried++) {
                var first = retried;
                assertThat(
                                logs().read(StageLogStore.path("d1", "s" + log, retried), 0)
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
    default void aLogThePublicServerWroteIsReadAsItIsAndGoesOn() {
        var longLine = "x".repeat(200_000);
        files().put(
                        LOG,
                        ("{\"index\":1,\"log\":\"a\",\"created_at\":1}\n\nnot json\n"
                                        + "{\"index\":2,\"log\":\""
                                        + longLine
                                        + "\",\"severity\":2,\"created_at\":1}\n")
                                .getBytes(UTF_8));

        assertThat(indexes(0)).containsExactly(1L, 2L);
        assertThat(logs().append(LOG, List.of(line(2, "other"), line(3, "c")), true)).isTrue();

        restart();
        var part = logs().read(LOG, 0).orElseThrow();
        assertThat(part.completed()).isTrue();
        assertThat(part.blocks()).extracting(LogBlock::getLog).containsExactly("a", longLine, "c");
        assertThat(file()).endsWith("{\"index\":3,\"log\":\"c\",\"created_at\":1}\nEOL\n");
    }

    /// The public server writes none.
    @Test
    default void anEndWithoutANewlineIsAnEndAndStaysOne() {
        var written = "{\"index\":1,\"log\":\"a\"}\nEOL";
        files().put(LOG, written.getBytes(UTF_8));

        for (var time = 0; time < 2; time++) {
            assertThat(logs().read(LOG, 0).orElseThrow().completed()).isTrue();
            assertThat(logs().append(LOG, List.of(line(2, "b")), false)).isFalse();
            restart();
        }

        assertThat(file()).isEqualTo(written);
    }

    @Test
    default void aPublicFileWithoutALastNewlineGoesOnLineByLine() {
        files().put(LOG, "{\"index\":1,\"log\":\"a\"}".getBytes(UTF_8));
        assertThat(indexes(0)).containsExactly(1L);
        restart();

        logs().append(LOG, List.of(line(2, "b")), true);

        assertThat(indexes(0)).containsExactly(1L, 2L);
        assertThat(file())
                .isEqualTo(
                        "{\"index\":1,\"log\":\"a\"}\n{\"index\":2,\"log\":\"b\",\"created_at\":1}\nEOL\n");
    }

    @Test
    default void emptyAndLongLinesSurvive() {
        var longLine = "ü\u0000\n\"".repeat(100_000);
        logs().append(LOG, List.of(line(1, ""), line(2, longLine), line(3, "\n")), false);
        logs().append(LOG, List.of(line(4, "")), true);
        restart();

        assertThat(logs().read(LOG, 0).orElseThrow().blocks())
                .extracting(LogBlock::getLog)
                .containsExactly("", longLine, "\n", "");
    }

    @Test
    default void writersOfOneLogLoseNothingAndRepeatNothing() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writes =
                    IntStream.range(0, 16)
                            .mapToObj(t ->
                                    threads.submit(() -> {
                                        for (var i = 0; i < 10; i++)
                                            assertThat(
                                                            logs().append(
                                                                            LOG,
                                                                            List.of(
                                                                                    line(
                                                                                            t / 2
                                                                                                            * 10
                                                                                                    + i,
                                                                                            "x")),
                                                                            false))
                                                    .isTrue();
                                    }))
                            .toList();
            for (var write : writes) write.get();
        }
        assertThat(logs().append(LOG, List.of(), true)).isTrue();

        assertThat(indexes(0)).isEqualTo(LongStream.range(0, 80).boxed().toList());
        assertThat(file().lines()).hasSize(81);
    }

    /// By the public rule any text is a stage's id.
    @Test
    default void stagesMayBeCalledAsPeopleLike() {
        var odd = List.of("approve prod", "k8s:canary", "_sync", "100%", "a+b&c", ".hidden");
        var log = "x".repeat(255);
        for (var stage : Stream.concat(odd.stream(), Stream.of(log)).toList())
            logs().append(StageLogStore.path("d1", stage, 0), List.of(line(1, stage)), false);
        restart();

        for (var stage : Stream.concat(odd.stream(), Stream.of(log)).toList()) {
            var path = StageLogStore.path("d1", stage, 0);
            assertThat(logs().append(path, List.of(line(2, "b")), true)).isTrue();
            assertThat(logs().read(path, 0).orElseThrow())
                    .isEqualTo(new StageLogStore.Part(List.of(line(1, stage), line(2, "b")), true));
        }
        var listed = new ArrayList<String>();
        files().list(FilePath.of("log"), file -> listed.add(file.path().parts().get(2)));
        assertThat(listed).contains(log).containsAll(odd);
    }

    @Test
    default void noIdLeadsOutOfTheStore() {
        for (var id :
                List.of(
                        "..",
                        ".",
                        "",
                        "a/b",
                        "a\\b",
                        "../../etc",
                        "a\0b",
                        "a\nb",
                        "x".repeat(256),
                        "ü".repeat(128)))
            assertThatThrownBy(() -> StageLogStore.path(id, "s1", 0))
                    .as(id)
                    .isInstanceOf(Problem.class)
                    .hasMessageStartingWith("id: \"");
    }
}
