// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Outcome;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerTest {
    private static final int WRITERS = 20;

    @Test
    void aJournalThatHasGrownIsWrittenAnewOnceHoweverManyFindItSo() throws Exception {
        var pages = new GrownPages();
        var ledger = Ledger.on(pages);
        pages.grown = true;

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var number = 1; number <= WRITERS; number++) {
                var entry = new Entry.Queued(number, "lane", "Call", new byte[0]);
                threads.submit(() -> ledger.record(List.of(entry)));
            }
        }

        assertThat(pages.compactions).hasValue(2); // the first was at the start
        assertThat(ledger.undelivered()).hasSize(WRITERS);
    }

    /// It may be known nowhere else: whoever opens it next tells it once more.
    @Test
    void whatSucceededIsFoundAtTheNextStartAndDroppedOnceTheJournalHasGrown(@TempDir Path directory)
            throws Exception {
        var succeeded = new DeploymentId("d1");
        var failed = new DeploymentId("d2");
        try (var ledger = Ledger.open(directory)) {
            ledger.record(ended(succeeded, new Outcome.Succeeded()));
            ledger.record(ended(failed, new Outcome.Failed("exit 1")));
        }

        for (var start = 0; start < 2; start++)
            try (var ledger = Ledger.open(directory)) {
                assertThat(ledger.stories()).containsOnlyKeys(succeeded);
            }
        try (var ledger = Ledger.open(directory)) {
            ledger.record(List.of(new Entry.Queued(1, "lane", "Call", new byte[17 << 20])));
            assertThat(ledger.stories()).isEmpty();
        }
    }

    private static List<Entry> ended(DeploymentId id, Outcome outcome) {
        return List.of(
                new Entry.Sheet(id, new byte[] {1}),
                new Entry.Moved(id, new DeploymentEvent.Ended(outcome), Instant.EPOCH));
    }

    /// Pages that have grown until they are written anew; all writers find that before the first
    /// can do anything about it.
    private static final class GrownPages implements Pages {
        private final AtomicInteger compactions = new AtomicInteger();
        private volatile boolean grown;
        private final CountDownLatch found = new CountDownLatch(WRITERS);

        @Override
        public long size() {
            if (!grown) return 0;
            awaitAll();
            return 64 << 20;
        }

        private void awaitAll() {
            found.countDown();
            try {
                assertThat(found.await(5, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void compact(List<Entry> live) {
            compactions.incrementAndGet();
            grown = false;
        }

        @Override
        public List<Entry> found() {
            return List.of();
        }

        @Override
        public void append(List<Entry> entries) {}

        @Override
        public void appendLater(Entry entry) {}

        @Override
        public Path path() {
            return Path.of("pages");
        }

        @Override
        public String trouble() {
            return "";
        }

        @Override
        public int waiting() {
            return 0;
        }

        @Override
        public void stopWaiting() {}

        @Override
        public void close() {}
    }
}
