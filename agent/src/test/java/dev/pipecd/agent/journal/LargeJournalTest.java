// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.journal.Entry.Delivered;
import dev.pipecd.agent.journal.Entry.Noted;
import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.journal.Entry.Sheet;
import dev.pipecd.domain.DeploymentId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LargeJournalTest {
    private static final DeploymentId D1 = new DeploymentId("d1");
    private static final int REPORTS = 20;

    @TempDir Path directory;

    @Test
    void aRecordOfSeventyMillionBytesIsReadAsItWasWritten() throws Exception {
        var path = directory.resolve("journal");
        try (var file = JournalFile.open(path, new ArrayList<>())) {
            file.append(List.of(new byte[70_000_000], new byte[] {1}));
        }

        var found = new ArrayList<byte[]>();
        JournalFile.open(path, found).close();

        assertThat(found).extracting(payload -> payload.length).containsExactly(70_000_000, 1);
        assertThat(directory.resolve("journal.torn")).doesNotExist();
    }

    @Test
    void whatIsWrittenAnewIsManyRecordsAndAllOfItIsThere() throws Exception {
        try (var ledger = Ledger.open(directory)) {
            ledger.record(List.of(new Sheet(D1, new byte[] {1})));
            for (var number = 1; number <= REPORTS; number++)
                ledger.record(List.of(new Queued(number, "lane", "Call", new byte[1 << 20])));
        }

        try (var ledger = Ledger.open(directory)) {
            assertThat(ledger.undelivered()).hasSize(REPORTS);
            assertThat(ledger.unfinished()).containsExactly(D1);
        }

        var records = new ArrayList<byte[]>();
        JournalFile.open(directory.resolve("journal"), records).close();
        assertThat(records).hasSizeGreaterThanOrEqualTo(REPORTS);
        assertThat(records).allMatch(record -> record.length < 3 << 20);
    }

    @Test
    void whatIsNotedAgainAndAgainIsKeptOnce() throws Exception {
        try (var ledger = Ledger.open(directory)) {
            ledger.record(List.of(new Sheet(D1, new byte[] {1}), new Delivered(1)));
            for (var done = 0; done < 100; done++)
                ledger.record(
                        List.of(
                                new Noted(D1, "stage:s1", Map.of("done", done + " %")),
                                new Noted(D1, "stage:s1", Map.of("of", "100 %")),
                                new Noted(D1, "plugin:p", Map.of("done", "other"))));
        }

        try (var ledger = Ledger.open(directory)) {
            assertThat(ledger.stories().get(D1))
                    .filteredOn(Noted.class::isInstance)
                    .containsExactlyInAnyOrder(
                            new Noted(D1, "stage:s1", Map.of("done", "99 %", "of", "100 %")),
                            new Noted(D1, "plugin:p", Map.of("done", "other")));
        }
        assertThat(Files.size(directory.resolve("journal"))).isLessThan(1000);
    }
}
