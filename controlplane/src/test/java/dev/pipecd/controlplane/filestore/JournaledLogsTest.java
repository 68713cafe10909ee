// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static dev.pipecd.controlplane.Samples.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.Filestore;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.JournalTable;
import dev.pipecd.controlplane.store.TestDatabases;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.LogBlock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// On a real database and a real S3 server. A server that crashes is one that is not closed.
final class JournaledLogsTest implements StageLogContract {
    @TempDir private Path folder;
    private final Filestore.Minio bucket = S3Server.bucket();
    private final FileStores files = S3Server.open(bucket);
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 7); // such clocks may overflow
    private final List<FileStores> opened = new ArrayList<>();
    private Database database;
    private JournaledLogs one;
    private JournaledLogs other;

    @BeforeEach
    void open() {
        database = Database.open(TestDatabases.sqlite(folder.resolve("pipecd.db")));
        one = server(journal());
        other = server(journal());
    }

    @AfterEach
    void close() {
        one.close();
        other.close();
        opened.forEach(FileStores::close);
        files.close();
        database.close();
    }

    private LogJournal journal() {
        return new JournalTable(database);
    }

    private JournaledLogs server(LogJournal journal) {
        var stores = S3Server.open(bucket);
        opened.add(stores);
        return new JournaledLogs((S3StageLogs) stores.logs(), journal, nanos::get);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Override
    public StageLogStore logs() {
        return one;
    }

    @Override
    public void restart() {
        one.close();
        one = server(journal());
    }

    @Override
    public FileStore files() {
        return files.files();
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

    private List<FilePath> journaled() {
        return journal().left(Duration.ZERO);
    }

    @Test
    void linesAreTakenBeforeTheBucketHasThemAndBroughtThereTogether() {
        assertThat(one.append(LOG, List.of(line(1, "a")), false)).isTrue();
        pass(Bringing.collecting(LOG).minusSeconds(4));
        assertThat(one.append(LOG, List.of(line(2, "b")), false)).isTrue();
        pass(Duration.ofSeconds(3));
        one.bringDue();
        assertThat(objects()).isEmpty();
        assertThat(journaled()).containsExactly(LOG);

        pass(Duration.ofSeconds(1));
        one.bringDue();

        assertThat(journaled()).isEmpty();
        assertThat(objects()).containsExactly("log/d1/s1/0/00000001");
        assertThat(indexes(0)).containsExactly(1L, 2L);
    }

    @Test
    void whatComesAfterLinesWereBroughtIsBroughtInItsTurn() {
        one.append(LOG, List.of(line(1, "a")), false);
        pass(Duration.ofSeconds(10));
        one.bringDue();
        one.append(LOG, List.of(line(2, "b")), false);
        pass(Duration.ofSeconds(10));

        one.bringDue();

        assertThat(journaled()).isEmpty();
    }

    @Test
    void muchIsBroughtAtOnce() {
        for (var i = 0; i < 5; i++)
            one.append(LOG, List.of(line(i, "x".repeat(240 * 1024))), false);

        one.bringDue();

        assertThat(journaled()).isEmpty();
        assertThat(indexes(0)).hasSize(5);
    }

    @Test
    void aReportLargerThanADatabaseMayTakeGoesToTheBucketBehindWhatWasThere() {
        one.append(LOG, List.of(line(1, "a")), false);

        assertThat(one.append(LOG, List.of(line(2, "x".repeat(300_000))), false)).isTrue();

        assertThat(journaled()).isEmpty();
        assertThat(objects()).hasSize(1);
        assertThat(indexes(0)).containsExactly(1L, 2L);
    }

    @Test
    void aReaderAtAnotherServerSeesEveryLineThatWasTaken() {
        one.append(LOG, List.of(line(1, "a")), false);
        assertThat(other.read(LOG, 0).orElseThrow().blocks()).containsExactly(line(1, "a"));

        one.append(LOG, List.of(line(2, "b")), false);

        assertThat(other.read(LOG, 0).orElseThrow().blocks())
                .containsExactly(line(1, "a"), line(2, "b"));
    }

    @Test
    void theEndAtOneServerTakesWhatOthersHaveTaken() {
        one.append(LOG, List.of(line(1, "a")), false);
        other.append(LOG, List.of(line(2, "b")), false);

        assertThat(other.append(LOG, List.of(line(3, "c")), true)).isTrue();

        assertThat(objects()).containsExactly(LOG.toString());
        assertThat(file().lines()).hasSize(4).endsWith("EOL");
        assertThat(journaled()).isEmpty();
    }

    @Test
    void whatOneServerEndedTheOtherRefusesToGoOnWith() {
        one.append(LOG, List.of(line(1, "a")), false);
        other.append(LOG, List.of(line(2, "b")), true);

        assertThat(one.append(LOG, List.of(line(3, "c")), false)).isFalse();
        assertThat(one.append(LOG, List.of(line(2, "b")), false)).isTrue();

        assertThat(journaled()).isEmpty();
        assertThat(file().lines()).hasSize(3);
    }

    /// The end stands in the database for a while only.
    @Test
    void aLogThatEndedLongAgoIsAskedOfTheBucket() {
        one.append(LOG, List.of(line(1, "a")), false);
        other.append(LOG, List.of(line(2, "b")), true);
        journal().forgetEnds(Duration.ZERO);
        pass(Duration.ofMinutes(10));

        assertThat(one.append(LOG, List.of(line(3, "c")), false)).isFalse();
        assertThat(server(journal()).append(LOG, List.of(line(3, "c")), false)).isFalse();
    }

    @Test
    void whatACrashLeftInTheJournalAnotherServerBringsToTheBucket() {
        server(journal()).append(LOG, List.of(line(1, "a"), line(2, "")), false);
        var later = server(new Later(journal()));

        later.tidy(() -> false);
        assertThat(journaled()).containsExactly(LOG);
        later.tidy(() -> true);

        assertThat(journaled()).isEmpty();
        assertThat(indexes(0)).containsExactly(1L, 2L);
    }

    @Test
    void whatALivingServerCollectsIsLeftToIt() {
        one.append(LOG, List.of(line(1, "a")), false);

        other.tidy(() -> true);

        assertThat(journaled()).containsExactly(LOG);
    }

    @Test
    void aCrashBetweenBucketAndJournalDoublesNothing() {
        var dying = server(new Immovable(journal()));
        dying.append(LOG, List.of(line(1, "a"), line(2, "b")), false);
        assertThatThrownBy(() -> dying.read(LOG, 0)).isInstanceOf(Problem.class);
        assertThat(objects()).hasSize(1);
        assertThat(journaled()).containsExactly(LOG);

        one.append(LOG, List.of(line(3, "c")), true);

        assertThat(journaled()).isEmpty();
        assertThat(file().lines()).hasSize(4);
        assertThat(indexes(0)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void aCrashWhileALogEndsLosesNothingWhenTheAgentRepeats() {
        var dying = server(new Immovable(journal()));
        dying.append(LOG, List.of(line(1, "a")), false);
        assertThatThrownBy(() -> dying.append(LOG, List.of(line(2, "b")), true))
                .isInstanceOf(Problem.class);

        assertThat(one.append(LOG, List.of(line(2, "b")), true)).isTrue();

        assertThat(journaled()).isEmpty();
        assertThat(file().lines()).hasSize(3).endsWith("EOL");
    }

    @Test
    void twoServersThatBringTheSameLinesWriteThemOnce() throws Exception {
        for (var i = 0; i < 40; i++) one.append(LOG, List.of(line(i, "x")), false);

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var reads =
                    IntStream.range(0, 8)
                            .mapToObj(t ->
                                    threads.submit(() -> (t % 2 == 0 ? one : other).read(LOG, 0)))
                            .toList();
            for (var read : reads)
                assertThat(read.get().orElseThrow().blocks())
                        .extracting(LogBlock::getIndex)
                        .isEqualTo(LongStream.range(0, 40).boxed().toList());
        }
        one.append(LOG, List.of(), true);

        assertThat(file().lines()).hasSize(41);
    }

    /// A public server may come next, and knows no journal.
    @Test
    void aServerThatStopsLeavesNothingInTheJournalAlsoNotOfOthers() {
        server(journal()).append(LOG, List.of(line(1, "a")), false);
        one.append(LOG, List.of(line(2, "b")), false);
        one.append(StageLogStore.path("d1", "s2", 0), List.of(line(1, "a")), false);

        one.close();

        assertThat(journaled()).isEmpty();
        assertThat(file().lines()).hasSize(2);
        assertThat(files().get(StageLogStore.path("d1", "s2", 0))).isPresent();
    }

    /// For which everything is a minute later.
    private static final class Later extends Passing {
        Later(LogJournal behind) {
            super(behind);
        }

        @Override
        public List<FilePath> left(Duration age) {
            return super.left(age.minusMinutes(1));
        }

        @Override
        public void forgetEnds(Duration age) {
            super.forgetEnds(age.minusMinutes(1));
        }
    }

    /// From which nothing can be removed, as if the server had died just before.
    private static final class Immovable extends Passing {
        Immovable(LogJournal behind) {
            super(behind);
        }

        @Override
        public void remove(FilePath log, List<Entry> entries) {
            throw new Problem(Problem.Code.STORE_UNAVAILABLE, "database: gone", "Wait.");
        }

        @Override
        public List<FilePath> left(Duration age) {
            return List.of();
        }
    }

    private static class Passing implements LogJournal {
        private final LogJournal behind;

        Passing(LogJournal behind) {
            this.behind = behind;
        }

        @Override
        public boolean add(FilePath log, List<LogBlock> blocks) {
            return behind.add(log, blocks);
        }

        @Override
        public void end(FilePath log) {
            behind.end(log);
        }

        @Override
        public Entries first(FilePath log) {
            return behind.first(log);
        }

        @Override
        public void remove(FilePath log, List<Entry> entries) {
            behind.remove(log, entries);
        }

        @Override
        public List<FilePath> left(Duration age) {
            return behind.left(age);
        }

        @Override
        public void forgetEnds(Duration age) {
            behind.forgetEnds(age);
        }
    }
}
