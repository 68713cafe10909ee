// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.domain.CommandId;
import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A control plane on a real port takes messages of four megabytes.
final class LargeReportsTest {
    @TempDir Path directory;

    @Test
    void aReportTooLargeForAMessageIsParkedWithItsSizeAndWhatIsBehindItArrives() throws Exception {
        try (var controlPlane = SmallControlPlane.open();
                var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, controlPlane.client(), InstantSource.system())) {
            outbox.send(handled("c1", "x".repeat(5_000_000)));
            outbox.send(handled("c2", "small"));

            await().atMost(Duration.ofMinutes(1)).until(() -> !controlPlane.handled.isEmpty());
            assertThat(controlPlane.handled)
                    .extracting(ReportCommandHandledRequest::getCommandId)
                    .containsExactly("c2");
            assertThat(ledger.parked()).hasSize(1);
            assertThat(ledger.parked().getFirst().reason())
                    .startsWith("RESOURCE_EXHAUSTED")
                    .containsPattern("\\(50000\\d\\d bytes\\)$");
            assertThat(controlPlane.client().trouble()).isEmpty();
        }
    }

    @Test
    void theConfigurationsOfALargeFleetArriveInPieces() throws Exception {
        var fleet =
                IntStream.range(0, 20_000)
                        .mapToObj(i ->
                                ApplicationInfo.newBuilder()
                                        .setId("app-" + i)
                                        .setDescription("d".repeat(300))
                                        .build())
                        .toList();

        try (var controlPlane = SmallControlPlane.open();
                var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, controlPlane.client(), InstantSource.system())) {
            outbox.record(List.of(), Reports.configurations(fleet));

            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
            assertThat(controlPlane.corrected).isEqualTo(fleet);
            assertThat(ledger.parked()).isEmpty();
        }
        assertThat(Reports.configurations(List.of())).isEmpty();
    }

    private static Report handled(String command, String note) {
        return Reports.handled(
                "commands",
                new CommandId(command),
                CommandStatus.COMMAND_FAILED,
                Map.of("Reason", note),
                Instant.EPOCH);
    }
}
