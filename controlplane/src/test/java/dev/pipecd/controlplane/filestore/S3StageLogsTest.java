// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static dev.pipecd.controlplane.Samples.line;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.Filestore;
import dev.pipecd.wire.model.LogBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class S3StageLogsTest implements StageLogContract {
    private static final FilePath FIRST_PART = FilePath.of("log", "d1", "s1", "0", "00000001");
    private static final FilePath SECOND_PART = FilePath.of("log", "d1", "s1", "0", "00000002");

    private static final String LINE_TWO = new String(bytes(line(2, "b"), false), UTF_8);

    private final Filestore.Minio bucket = S3Server.bucket();
    private FileStores one = S3Server.open(bucket);
    private final FileStores other = S3Server.open(bucket);

    @AfterEach
    void close() {
        one.close();
        other.close();
    }

    @Override
    public StageLogStore logs() {
        return one.logs();
    }

    @Override
    public void restart() {
        one.close();
        one = S3Server.open(bucket);
    }

    @Override
    public FileStore files() {
        return one.files();
    }

    @Override
    public int manyLogs() {
        return 20;
    }

    private List<String> objects() {
        var found = new ArrayList<String>();
        files().list(FilePath.of("log"), listed -> found.add(listed.path().toString()));
        return found;
    }

    private static LogBlock large(long index) {
        return line(index, "x".repeat(LogParts.FULL));
    }

    private static byte[] bytes(LogBlock block, boolean end) {
        return LogLines.bytes(List.of(block), end);
    }

    @Test
    void aLogThatGoesOnIsPartsAndOneThatHasEndedIsOneFile() {
        logs().append(LOG, List.of(line(1, "a")), false);
        logs().append(LOG, List.of(large(2)), false);
        logs().append(LOG, List.of(line(3, "c")), false);
        assertThat(objects()).containsExactly(FIRST_PART.toString(), SECOND_PART.toString());

        logs().append(LOG, List.of(line(4, "d")), true);

        assertThat(objects()).containsExactly(LOG.toString());
        assertThat(indexes(0)).containsExactly(1L, 2L, 3L, 4L);
        assertThat(indexes(3)).containsExactly(3L, 4L);
    }

    @Test
    void whatOneServerAppendsTheOtherReadsAndGoesOnFrom() {
        logs().append(LOG, List.of(line(1, "a")), false);

        assertThat(other.logs().append(LOG, List.of(line(1, "again"), line(2, "b")), false))
                .isTrue();
        assertThat(logs().append(LOG, List.of(line(2, "again"), line(3, "c")), false)).isTrue();
        assertThat(other.logs().append(LOG, List.of(large(4)), false)).isTrue();
        assertThat(logs().append(LOG, List.of(line(5, "e")), false)).isTrue();

        assertThat(other.logs().read(LOG, 0).orElseThrow().blocks())
                .extracting(LogBlock::getIndex)
                .containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(other.logs().append(LOG, List.of(), true)).isTrue();
        assertThat(file().lines()).hasSize(6);
    }

    @Test
    void whatOneServerEndedTheOtherRefusesToGoOnWithAndLeavesNothing() {
        logs().append(LOG, List.of(large(1)), false);
        other.logs().append(LOG, List.of(line(2, "b")), true);

        // this one believes that the second part is free, and indeed it is again
        assertThat(logs().append(LOG, List.of(line(3, "c")), false)).isFalse();
        assertThat(logs().append(LOG, List.of(line(2, "b")), false)).isTrue();

        assertThat(objects()).containsExactly(LOG.toString());
        assertThat(logs().read(LOG, 0).orElseThrow().completed()).isTrue();
    }

    @Test
    void aReaderWhoKnewTheLogBeforeItsPartsWentFindsItsEnd() {
        var full = StageLogStore.path("d1", "s2", 0);
        logs().append(full, List.of(large(1)), false);
        assertThat(other.logs().read(LOG, 0)).isEmpty();
        assertThat(other.logs().read(full, 0).orElseThrow().completed()).isFalse();

        logs().append(LOG, List.of(line(1, "a")), true);
        logs().append(full, List.of(line(2, "b")), true);

        assertThat(other.logs().read(LOG, 0).orElseThrow().completed()).isTrue();
        assertThat(other.logs().read(full, 0).orElseThrow().completed()).isTrue();
    }

    @Test
    void twoServersThatAppendAtOnceLoseNothing() throws Exception {
        try (var front = new S3Front(S3Server.address(), true);
                var first = S3Server.open(behind(front));
                var second = S3Server.open(behind(front));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writes =
                    IntStream.range(0, 8)
                            .mapToObj(t ->
                                    threads.submit(() -> five(t % 2 == 0 ? first : second, 5 * t)))
                            .toList();
            for (var write : writes) write.get();
        }
        logs().append(LOG, List.of(), true);

        assertThat(indexes(0)).isEqualTo(LongStream.range(0, 40).boxed().toList());
        assertThat(file().lines()).hasSize(41);
    }

    private Filestore.Minio behind(S3Front front) {
        return S3Server.bucket(front.address(), bucket.bucket());
    }

    private static void five(FileStores server, int from) {
        for (var i = from; i < from + 5; i++)
            assertThat(server.logs().append(LOG, List.of(line(i, "y".repeat(20_000))), false))
                    .isTrue();
    }

    @Test
    void aServerThatDiedBeforeTheFileWasWrittenLeavesThatToTheNextReader() {
        files().put(FIRST_PART, bytes(large(1), false));
        files().put(SECOND_PART, bytes(line(2, "b"), true));

        assertThat(logs().read(LOG, 2).orElseThrow())
                .isEqualTo(new StageLogStore.Part(List.of(line(2, "b")), true));

        assertThat(objects()).containsExactly(LOG.toString());
        assertThat(file()).endsWith("EOL\n");
    }

    @Test
    void aServerThatDiedBeforeThePartsWereDeletedLeavesThatToTheNextAppend() {
        var whole = new java.io.ByteArrayOutputStream();
        whole.writeBytes(bytes(large(1), false));
        whole.writeBytes(bytes(line(2, "b"), true));
        files().put(FIRST_PART, bytes(large(1), false));
        files().put(SECOND_PART, bytes(line(2, "b"), true));
        files().put(LOG, whole.toByteArray());

        assertThat(logs().append(LOG, List.of(line(2, "b")), true)).isTrue();

        assertThat(objects()).containsExactly(LOG.toString());
        assertThat(indexes(0)).containsExactly(1L, 2L);
    }

    @Test
    void aServerThatDiedWhileDeletingLeavesTheRestToTheNext() {
        var whole = new java.io.ByteArrayOutputStream();
        whole.writeBytes(bytes(large(1), false));
        whole.writeBytes(bytes(large(2), false));
        whole.writeBytes(bytes(line(3, "c"), true));
        files().put(FIRST_PART, bytes(large(1), false));
        files().put(LOG, whole.toByteArray());

        assertThat(indexes(0)).containsExactly(1L, 2L, 3L);

        assertThat(objects()).containsExactly(LOG.toString());
    }

    /// The public server knows files only, and goes on with this one.
    @Test
    void aServerThatStopsHandsOverTheLogsThatGoOn() {
        logs().append(LOG, List.of(large(1)), false);
        logs().append(LOG, List.of(line(2, "b")), false);

        restart();

        assertThat(file()).isEqualTo(new String(bytes(large(1), false), UTF_8) + LINE_TWO);
        assertThat(indexes(0)).containsExactly(1L, 2L);
        logs().append(LOG, List.of(line(3, "c")), true);
        assertThat(file().lines()).hasSize(4);
        assertThat(objects()).containsExactly(LOG.toString());
    }

    @Test
    void aLogThatCannotBeHandedOverKeepsNoOtherFromIt() throws Exception {
        try (var front = new S3Front(S3Server.address(), true)) {
            var stopping = S3Server.open(S3Server.bucket(front.address(), bucket.bucket()));
            var logs =
                    IntStream.range(0, 20)
                            .mapToObj(i -> StageLogStore.path("d1", "s" + i, 0))
                            .toList();
            for (var log : logs) stopping.logs().append(log, List.of(line(2, "b")), false);
            front.refuse(logs.get(3).toString());

            stopping.close();

            for (var log : logs)
                assertThat(files().get(log).map(bytes -> new String(bytes, UTF_8)))
                        .as(log.toString())
                        .isEqualTo(
                                log.equals(logs.get(3)) ? Optional.empty() : Optional.of(LINE_TWO));
            assertThat(logs().read(logs.get(3), 0).orElseThrow().blocks())
                    .containsExactly(line(2, "b"));
        }
    }

    /// Its parts are still asked for while the file is on its way.
    @Test
    void aLogIsHandedOverWithoutBeingHeldInMemory() throws Exception {
        try (var front = new S3Front(S3Server.address(), true)) {
            try (var stopping = S3Server.open(behind(front))) {
                for (var i = 1; i <= 8; i++) stopping.logs().append(LOG, List.of(large(i)), false);
            }

            assertThat(front.askedDuringWriteOf(LOG.toString()))
                    .contains("GET " + FilePath.of("log", "d1", "s1", "0", "00000008"));
        }
        assertThat(file().lines()).hasSize(8);
    }

    @Test
    void logsThatWereForgottenMeanwhileAreHandedOverToo() {
        var place = S3Place.of(bucket);
        var patience = new S3Clients.Patience(Duration.ofMinutes(5), Duration.ofMinutes(5));
        try (var mine =
                        S3Bucket.open(
                                S3Clients.of(place, S3Clients.credentials(bucket), patience),
                                place);
                var forgetful = new S3StageLogs(mine, 1)) {
            forgetful.append(LOG, List.of(line(2, "b")), false);
            forgetful.append(StageLogStore.path("d1", "s2", 0), List.of(line(1, "a")), false);
        }

        assertThat(file()).isEqualTo(LINE_TWO);
    }

    @Test
    void whatThePublicServerAddedToALogHandedOverIsGoneOnFrom() {
        logs().append(LOG, List.of(line(1, "a")), false);
        restart();
        files().put(LOG, (file() + LINE_TWO).getBytes(UTF_8));
        restart();

        logs().append(LOG, List.of(line(3, "c")), false);
        assertThat(indexes(0)).containsExactly(1L, 2L, 3L);
        restart();
        assertThat(indexes(0)).containsExactly(1L, 2L, 3L);
        logs().append(LOG, List.of(line(4, "d")), true);

        assertThat(file().lines()).hasSize(5);
        assertThat(objects()).containsExactly(LOG.toString());
    }

    @Test
    void anotherServerGoesOnWithALogThatWasHandedOver() {
        other.logs().append(LOG, List.of(line(1, "a")), false);
        logs().append(LOG, List.of(line(2, "b")), false);
        restart();

        other.logs().append(LOG, List.of(line(3, "c")), false);
        assertThat(indexes(0)).containsExactly(1L, 2L, 3L);
        other.logs().append(LOG, List.of(line(4, "d")), true);

        restart();
        assertThat(indexes(0)).containsExactly(1L, 2L, 3L, 4L);
        assertThat(file().lines()).hasSize(5);
    }

    @Test
    void aLogThatAnotherServerEndedIsNotHandedOver() {
        logs().append(LOG, List.of(line(1, "a")), false);
        other.logs().append(LOG, List.of(line(2, "b")), true);

        restart();

        assertThat(file().lines()).hasSize(3).endsWith("EOL");
    }
}
