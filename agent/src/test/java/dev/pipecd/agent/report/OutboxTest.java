// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Entry.Noted;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.domain.DeploymentId;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OutboxTest {
    @TempDir Path directory;

    private final RecordingSender sender = new RecordingSender();

    @Test
    void reportsOfALaneArriveInOrder() throws Exception {
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, InstantSource.system())) {
            for (var i = 0; i < 100; i++) outbox.send(report("a", "call" + i));

            await().atMost(Duration.ofMinutes(1)).until(() -> sender.sent.size() == 100);
        }
        assertThat(sender.sent.subList(0, 3)).containsExactly("call0", "call1", "call2");
        assertThat(sender.sent).isSortedAccordingTo((x, y) -> number(x) - number(y));
    }

    @Test
    void whatWasNotDeliveredIsSentAfterARestart() throws Exception {
        sender.down = true;
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, InstantSource.system())) {
            outbox.record(
                    List.of(new Noted(new DeploymentId("d"), "stage:s", Map.of("k", "v"))),
                    List.of(report("a", "one")));
            outbox.send(report("a", "two"));
        }
        assertThat(sender.sent).isEmpty();

        sender.down = false;
        try (var ledger = Ledger.open(directory);
                var _ = new Outbox(ledger, sender, InstantSource.system())) {
            assertThat(ledger.stories()).containsKey(new DeploymentId("d"));
            await().atMost(Duration.ofMinutes(1)).until(() -> ledger.undelivered().isEmpty());
        }
        assertThat(sender.sent).containsExactly("one", "two");
    }

    @Test
    void aReportRefusedForGoodIsParkedAndShownAndDoesNotBlockTheNext() throws Exception {
        sender.refused = "bad";
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, InstantSource.system())) {
            outbox.send(report("a", "bad"));
            outbox.send(report("a", "good"));

            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
            assertThat(sender.sent).containsExactly("good");
            assertThat(ledger.parked())
                    .singleElement()
                    .satisfies(p -> {
                        assertThat(p.call()).isEqualTo("bad");
                        assertThat(p.reason()).isEqualTo("INVALID_ARGUMENT: no");
                    });
        }

        try (var ledger = Ledger.open(directory)) {
            assertThat(ledger.parked()).hasSize(1);
            assertThat(ledger.undelivered()).isEmpty();
        }
    }

    @Test
    void oneLaneThatWaitsDoesNotHoldUpAnother() throws Exception {
        sender.stuck = "stuck";
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, InstantSource.system())) {
            outbox.send(report("a", "stuck"));
            outbox.send(report("b", "free"));

            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 1);
            assertThat(sender.sent).containsExactly("free");
        }
    }

    @Test
    void whatHappenedFirstIsToldFirstWhoeverItIsAbout() throws Exception {
        sender.shut = new CountDownLatch(1);
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, InstantSource.system())) {
            for (var lane = 0; lane < 100; lane++) outbox.record(List.of(), story("early" + lane));
            outbox.send(report("one", "in their midst"));
            for (var lane = 0; lane < 100; lane++) outbox.record(List.of(), story("late" + lane));

            sender.shut.countDown();
            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
        }
        assertThat(sender.sent).hasSize(4_001);
        // Thirty-two are under way at a time, and each may have twenty left.
        assertThat(sender.sent.indexOf("in their midst")).isBetween(2_000 - 32 * 20, 2_000 + 32);
    }

    private static List<Report> story(String lane) {
        return IntStream.range(0, 20).mapToObj(n -> report(lane, lane + " " + n)).toList();
    }

    private static Report report(String lane, String call) {
        return new Report(lane, call, new byte[0]);
    }

    private static int number(String call) {
        return Integer.parseInt(call.substring(4));
    }

    private static final class RecordingSender implements Outbox.Sender {
        private final List<String> sent = new CopyOnWriteArrayList<>();
        private volatile boolean down;
        private volatile String refused = "";
        private volatile String stuck = "";
        private volatile CountDownLatch shut = new CountDownLatch(0);

        @Override
        public void send(String call, byte[] body) throws Outbox.Refused, Outbox.Unreachable {
            awaitOpen(shut);
            if (call.equals(refused)) throw new Outbox.Refused("INVALID_ARGUMENT: no");
            if (down || call.equals(stuck)) throw new Outbox.Unreachable("UNAVAILABLE");
            sent.add(call);
        }

        private static void awaitOpen(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
