// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RestartOrderTest {
    private static final Instant AHEAD = Instant.ofEpochSecond(1_000);

    @TempDir Path directory;

    private final List<byte[]> sent = new CopyOnWriteArrayList<>();
    private final AtomicInteger stops = new AtomicInteger();
    private final AtomicBoolean away = new AtomicBoolean();
    private Ledger ledger;
    private Outbox outbox;
    private Restart restart;

    @BeforeEach
    void start() throws Exception {
        ledger = Ledger.open(directory);
        outbox = new Outbox(ledger, this::send, InstantSource.system());
        restart = new Restart(outbox, () -> AHEAD, stops::incrementAndGet);
    }

    private List<Outbox.Answer> send(List<Queued> reports) {
        if (away.get()) return List.of(new Outbox.Answer.ComeAgain("away"));
        sent.add(reports.getFirst().body());
        return List.of(new Outbox.Answer.Taken());
    }

    @AfterEach
    void stop() throws Exception {
        outbox.close();
        ledger.close();
    }

    @Test
    void itIsAnsweredAndTheProcessEnds() throws Exception {
        restart.order(ordered(1_001));

        await().atMost(Duration.ofMinutes(1)).until(() -> sent.size() == 1);
        var answer = ReportCommandHandledRequest.parseFrom(sent.getFirst());
        assertThat(answer.getCommandId()).isEqualTo("c1");
        assertThat(answer.getStatus()).isEqualTo(CommandStatus.COMMAND_SUCCEEDED);
        assertThat(answer.getOutput().toStringUtf8()).isEqualTo("c1");
        await().atMost(Duration.ofMinutes(1)).until(() -> stops.get() == 1);
    }

    @Test
    void aClockThatIsAheadOfTheControlPlanesDoesNotKeepItFromRestarting() {
        restart.order(ordered(AHEAD.minusSeconds(900).getEpochSecond()));

        await().atMost(Duration.ofMinutes(1)).until(() -> stops.get() == 1);
    }

    @Test
    void theAnswerIsDeliveredBeforeTheProcessEnds() {
        away.set(true);
        restart.order(ordered(1_001));
        assertThat(stops).hasValue(0);
        away.set(false);

        await().atMost(Duration.ofMinutes(1)).until(() -> stops.get() == 1);
        assertThat(sent).hasSize(1);
    }

    private static Command ordered(long at) {
        return Command.newBuilder()
                .setId("c1")
                .setType(Command.Type.RESTART_PIPED)
                .setCreatedAt(at)
                .build();
    }
}
