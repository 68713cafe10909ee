// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.Filestore;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.JournalTable;
import dev.pipecd.controlplane.store.TestDatabases;
import dev.pipecd.domain.Problem;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// On a real database and a real S3 server. A server that crashes is one that is not closed.
final class JournaledSnapshotsTest {
    private static final FilePath FILE = FilePath.of("application-live-state", "a1.json");

    @TempDir private Path folder;
    private final Filestore.Minio bucket = S3Server.bucket();
    private final FileStores files = S3Server.open(bucket);
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 7); // such clocks may overflow
    private final List<FileStores> opened = new ArrayList<>();
    private Database database;
    private JournaledSnapshots one;
    private JournaledSnapshots other;

    @BeforeEach
    void open() {
        database = Database.open(TestDatabases.sqlite(folder.resolve("pipecd.db")));
        one = server(new JournalTable(database));
        other = server(new JournalTable(database));
    }

    @AfterEach
    void close() {
        opened.forEach(FileStores::close);
        files.close();
        database.close();
    }

    private JournaledSnapshots server(FileJournal journal) {
        var stores = S3Server.open(bucket);
        opened.add(stores);
        return new JournaledSnapshots((S3Bucket) stores.connection(), journal, nanos::get);
    }

    private Optional<String> inBucket() {
        return files.files().get(FILE).map(bytes -> new String(bytes, UTF_8));
    }

    private static Optional<String> read(Snapshots server) {
        return server.get(FILE).map(bytes -> new String(bytes, UTF_8));
    }

    private static void put(Snapshots server, String text) {
        server.put(FILE, text.getBytes(UTF_8));
    }

    private static UnaryOperator<byte[]> adding(String text) {
        return bytes -> (new String(bytes, UTF_8) + text).getBytes(UTF_8);
    }

    @Test
    void notAllAreDueAtOnce() {
        var times =
                IntStream.range(0, 200)
                        .mapToObj(i -> Bringing.collecting(FilePath.of("file" + i)))
                        .collect(Collectors.toSet());

        assertThat(times)
                .hasSizeGreaterThan(100)
                .allSatisfy(t ->
                        assertThat(t).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10)));
    }

    @Test
    void aSnapshotIsTakenBeforeTheBucketHasItAndOnlyTheNewestIsBroughtThere() {
        var collecting = Bringing.collecting(FILE);
        put(one, "first");
        nanos.addAndGet(collecting.minusSeconds(1).toNanos());
        put(one, "second");
        assertThat(one.due()).isEmpty();
        assertThat(inBucket()).isEmpty();
        assertThat(read(other)).hasValue("second");

        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(one.due()).containsExactly(FILE);
        one.bring(FILE);

        assertThat(inBucket()).hasValue("second");
        assertThat(read(one)).hasValue("second");
        assertThat(one.due()).isEmpty();
    }

    /// To one who may neither read nor list, what stands looks missing and cannot be made.
    @Test
    void whatABucketHidesStaysInTheJournalInsteadOfBeingTriedForEver() throws Exception {
        files.files().put(FILE, "old".getBytes(UTF_8));
        put(one, "new");
        try (var front = new S3Front(S3Server.address(), true, S3Front.Fault.FORBIDS_READING);
                var blind = S3Server.open(S3Server.bucket(front.address(), bucket.bucket()))) {
            var journal = new JournalTable(database);
            var server = new JournaledSnapshots((S3Bucket) blind.connection(), journal, nanos::get);

            assertThatThrownBy(() -> server.bring(FILE))
                    .isInstanceOf(Problem.class)
                    .hasMessageStartingWith(
                            "file store: application-live-state/a1.json is another");
            server.close();

            assertThat(journal.waiting(Duration.ZERO)).containsExactly(FILE);
        }
        assertThat(inBucket()).hasValue("old");
    }

    @Test
    void whatAServerThatDiedHasTakenIsReadAtOnceAndBroughtByAnother() {
        put(one, "last words");

        assertThat(read(other)).hasValue("last words");
        other.close(); // a server that stops brings what others left too

        assertThat(inBucket()).hasValue("last words");
    }

    /// As if it had died between the two: the bucket has it, the journal still too.
    @Test
    void whatWasBroughtAndNotTakenOutIsBroughtAgain() {
        put(one, "state");
        files.files().put(FILE, "state".getBytes(UTF_8));

        other.bring(FILE);

        assertThat(inBucket()).hasValue("state");
        assertThat(new JournalTable(database).waiting(Duration.ZERO)).isEmpty();
    }

    @Test
    void whatThePublicServerLeftInTheBucketIsReadAndChanged() {
        files.files().put(FILE, "public".getBytes(UTF_8));

        assertThat(read(one)).hasValue("public");
        assertThat(one.change(FILE, adding(" and ours"))).isTrue();

        assertThat(read(other)).hasValue("public and ours");
    }

    @Test
    void nothingIsChangedWhereNothingStands() {
        assertThat(one.change(FILE, adding("lost"))).isFalse();
        assertThat(read(one)).isEmpty();
    }

    @Test
    void noChangeOfTwoServersIsLostWhileTheyBringThem() throws Exception {
        put(one, "");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all =
                    IntStream.range(0, 24)
                            .mapToObj(i ->
                                    threads.submit(() -> {
                                        var server = i % 2 == 0 ? one : other;
                                        server.change(FILE, adding(i + " "));
                                        if (i % 3 == 0) server.bring(FILE);
                                    }))
                            .toList();
            for (var done : all) done.get();
        }
        one.bring(FILE);

        assertThat(inBucket().orElseThrow().strip().split(" "))
                .containsExactlyInAnyOrder(
                        IntStream.range(0, 24).mapToObj(Integer::toString).toArray(String[]::new));
    }

    /// It found the older one waiting, was held up, and goes on when the newer one is in the
    /// bucket.
    @Test
    void aServerThatIsHeldUpBringsNothingOlderBehindTheNewer() {
        var journal = new JournalTable(database);
        var slow =
                server(
                        new HeldUp(
                                journal,
                                () -> {
                                    put(other, "newer");
                                    other.bring(FILE);
                                }));
        put(one, "older");

        slow.bring(FILE);

        assertThat(inBucket()).hasValue("newer");
        assertThat(read(one)).hasValue("newer");
    }

    @Test
    void aLargeOneGoesToTheBucketAtOnceAndIsNotReplacedByWhatWaited() {
        var large = "x".repeat(300_000);
        put(one, "small");
        put(other, large);

        assertThat(inBucket()).hasValue(large);
        assertThat(read(one)).hasValue(large);
        one.bring(FILE);
        assertThat(inBucket()).hasValue(large);
        assertThat(one.change(FILE, adding("!"))).isTrue();
        assertThat(read(other)).hasValue(large + "!");
    }

    /// Something happens after the first look.
    private static final class HeldUp implements FileJournal {
        private final FileJournal journal;
        private final Runnable meanwhile;
        private boolean happened;

        HeldUp(FileJournal journal, Runnable meanwhile) {
            this.journal = journal;
            this.meanwhile = meanwhile;
        }

        @Override
        public void put(FilePath file, byte[] content) {
            journal.put(file, content);
        }

        @Override
        public boolean replace(FilePath file, long known, Optional<byte[]> content) {
            return journal.replace(file, known, content);
        }

        @Override
        public Waiting find(FilePath file) {
            var found = journal.find(file);
            if (!happened) {
                happened = true;
                meanwhile.run();
            }
            return found;
        }

        @Override
        public List<FilePath> waiting(Duration age) {
            return journal.waiting(age);
        }
    }
}
