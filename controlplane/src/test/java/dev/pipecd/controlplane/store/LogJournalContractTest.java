// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.Samples.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.LogJournal;
import dev.pipecd.controlplane.filestore.LogJournal.Entry;
import dev.pipecd.controlplane.filestore.StageLogStore;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.LogSeverity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Two servers with one journal, on every engine.
@ParameterizedClass
@EnumSource(TestEngine.class)
class LogJournalContractTest {
    private static final FilePath LOG = StageLogStore.path("d1", "s1", 0);
    private static final FilePath UPPER = StageLogStore.path("d1", "S1", 0);

    private final TestEngine engine;
    private Replicas replicas;
    private LogJournal here;
    private LogJournal there;

    LogJournalContractTest(TestEngine engine) {
        this.engine = engine;
    }

    @BeforeEach
    void open() {
        replicas = engine.replicas();
        here = new JournalTable(replicas.here());
        there = new JournalTable(replicas.there());
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    private static List<LogBlock> blocks(LogJournal journal, FilePath log) {
        return journal.first(log).entries().stream().flatMap(e -> e.blocks().stream()).toList();
    }

    @Test
    void whatOneServerAddsTheOtherFindsInItsOrderAsItWas() {
        var odd =
                LogBlock.newBuilder()
                        .setIndex(3)
                        .setLog("ü\u0000\n\"".repeat(20_000))
                        .setSeverity(LogSeverity.ERROR)
                        .setCreatedAt(7)
                        .build();
        assertThat(here.add(LOG, List.of(line(1, "a"), line(2, "")))).isTrue();
        assertThat(there.add(LOG, List.of(odd))).isTrue();
        assertThat(there.add(UPPER, List.of(line(9, "z")))).isTrue();

        assertThat(blocks(there, LOG)).containsExactly(line(1, "a"), line(2, ""), odd);
        assertThat(here.first(LOG).more()).isFalse();
        assertThat(blocks(here, UPPER)).containsExactly(line(9, "z"));
    }

    @Test
    void logsOfStagesWhoseNamesPeopleChoseAreFoundUnderThem() {
        var logs =
                List.of("approve prod", "k8s:canary", "_sync", "100%", "%41", "é", "批准".repeat(12))
                        .stream()
                        .map(stage -> StageLogStore.path("d1", stage, 0))
                        .toList();
        for (var i = 0; i < logs.size(); i++)
            assertThat(here.add(logs.get(i), List.of(line(i, "a")))).isTrue();

        assertThat(there.left(Duration.ZERO)).containsExactlyInAnyOrderElementsOf(logs);
        for (var i = 0; i < logs.size(); i++)
            assertThat(blocks(there, logs.get(i))).containsExactly(line(i, "a"));
    }

    @Test
    void aNameThatIsTooLongToBeKeptIsNotTaken() {
        var log = StageLogStore.path("d1", "批".repeat(85), 0);
        here.end(log);

        assertThat(here.add(log, List.of(line(1, "a")))).isFalse();

        assertThat(blocks(there, log)).isEmpty();
        assertThat(there.left(Duration.ZERO)).isEmpty();
    }

    @Test
    void whatIsRemovedIsGoneAndNothingElse() {
        here.add(LOG, List.of(line(1, "a")));
        var seen = there.first(LOG).entries();
        here.add(LOG, List.of(line(2, "b")));

        there.remove(LOG, seen);
        here.remove(LOG, seen);
        here.remove(LOG, List.of());

        assertThat(blocks(here, LOG)).containsExactly(line(2, "b"));
    }

    @Test
    void muchIsGivenInParts() {
        var text = "x".repeat(300_000);
        for (var i = 0; i < 5; i++) here.add(LOG, List.of(line(i, text)));

        var first = here.first(LOG);
        here.remove(LOG, first.entries());

        assertThat(first.more()).isTrue();
        assertThat(first.entries()).hasSize(4);
        assertThat(blocks(here, LOG)).containsExactly(line(4, text));
        assertThat(here.first(LOG).more()).isFalse();
    }

    @Test
    void afterTheEndNothingIsTakenAndNothingOfItStays() {
        here.add(LOG, List.of(line(1, "a")));
        there.end(LOG);
        there.end(LOG);

        assertThat(here.add(LOG, List.of(line(2, "b")))).isFalse();
        assertThat(there.add(LOG, List.of(line(2, "b")))).isFalse();

        assertThat(blocks(here, LOG)).containsExactly(line(1, "a"));
        assertThat(here.add(UPPER, List.of(line(1, "a")))).isTrue();
    }

    @Test
    void whatIsLeftIsFoundByItsAge() {
        here.add(LOG, List.of(line(1, "a")));
        here.add(LOG, List.of(line(2, "b")));
        assertThat(there.left(Duration.ofMinutes(1))).isEmpty();
        assertThat(there.left(Duration.ZERO)).containsExactly(LOG);

        age("LogJournal");

        assertThat(there.left(Duration.ofMinutes(1))).containsExactly(LOG);
        assertThat(there.left(Duration.ofMinutes(2))).isEmpty();
    }

    @Test
    void howMuchWaitsAndForHowLongIsTold() {
        var table = new JournalTable(replicas.there());
        assertThat(table.backlog()).isEqualTo(new JournalTable.Backlog(0, Duration.ZERO));
        here.add(LOG, List.of(line(1, "a"), line(2, "b")));

        age("LogJournal");
        here.add(UPPER, List.of(line(1, "a")));

        assertThat(table.backlog().rows()).isEqualTo(2);
        assertThat(table.backlog().oldest())
                .isBetween(Duration.ofSeconds(61), Duration.ofMinutes(3));
    }

    @Test
    void onlyOldEndsAreForgotten() {
        here.end(LOG);
        here.forgetEnds(Duration.ofMinutes(1));
        assertThat(there.add(LOG, List.of(line(1, "a")))).isFalse();

        age("LogEnd");
        here.forgetEnds(Duration.ofMinutes(1));

        assertThat(there.add(LOG, List.of(line(1, "a")))).isTrue();
    }

    private void age(String table) {
        var _ =
                replicas.here()
                        .write(transaction ->
                                transaction
                                        .prepare("UPDATE %s SET At = At - 61".formatted(table))
                                        .executeUpdate());
    }

    /// Whose caller is told a moment later that its lines are taken.
    @Test
    void theEndWaitsForWhatIsUnderWayAtAnotherServer() throws Exception {
        if (!engine.shared()) return; // there, one writes at a time
        try (var slow = replicas.there().engine().connect();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try (var insert =
                    slow.prepareStatement(
                            "INSERT INTO LogJournal (Log, At, `Lines`) VALUES (?, 0, '')")) {
                insert.setString(1, LOG.toString());
                insert.executeUpdate();
            }
            var ended =
                    threads.submit(() -> {
                        here.end(LOG);
                        return here.first(LOG).entries();
                    });
            await().atMost(Duration.ofMinutes(2)).until(this::somebodyWaits);

            slow.commit();

            assertThat(ended.get()).hasSize(1);
        }
    }

    private boolean somebodyWaits() {
        return replicas.there()
                .read(connection -> {
                    try (var statement =
                                    connection.prepareStatement(
                                            "SELECT COUNT(*) FROM information_schema.INNODB_TRX"
                                                    + " WHERE trx_state = 'LOCK WAIT'");
                            var rows = statement.executeQuery()) {
                        return rows.next() && rows.getInt(1) > 0;
                    }
                });
    }

    @Test
    void whoeverWasToldThatLinesAreTakenBeforeTheEndFindsThemInIt() throws Exception {
        var started = new CountDownLatch(4);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writers = new ArrayList<Future<List<LogBlock>>>();
            for (var t = 0; t < 8; t++)
                writers.add(threads.submit(writer(t % 2 == 0 ? here : there, t, started)));
            started.await();

            there.end(LOG);
            var standing = everything();

            for (var writer : writers) assertThat(standing).containsAll(writer.get());
            assertThat(everything()).isEmpty();
        }
    }

    private static Callable<List<LogBlock>> writer(
            LogJournal journal, int number, CountDownLatch started) {
        return () -> {
            var taken = new ArrayList<LogBlock>();
            for (var i = 0; ; i++) {
                var next = line(1_000_000L * number + i, "x");
                if (!journal.add(LOG, List.of(next))) return taken;
                taken.add(next);
                if (i == 3) started.countDown();
            }
        };
    }

    private List<LogBlock> everything() {
        var found = new ArrayList<LogBlock>();
        LogJournal.Entries next;
        do {
            next = there.first(LOG);
            next.entries().stream().map(Entry::blocks).forEach(found::addAll);
            there.remove(LOG, next.entries());
        } while (next.more());
        return found;
    }
}
