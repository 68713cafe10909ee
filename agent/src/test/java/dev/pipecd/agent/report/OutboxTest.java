// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Entry.Noted;
import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
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
    void aStateIsTakenBackUnlessAnotherWasToldSince() throws Exception {
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, InstantSource.system())) {
            var quiet = outbox.sendState(state("a1", ApplicationSyncStatus.UNKNOWN));
            var busy = outbox.sendState(state("a2", ApplicationSyncStatus.UNKNOWN));
            outbox.send(state("a2", ApplicationSyncStatus.SYNCED));

            outbox.sendBehind(quiet.number(), state("a1", ApplicationSyncStatus.SYNCED));
            outbox.sendBehind(busy.number(), state("a2", ApplicationSyncStatus.OUT_OF_SYNC));

            assertThat(quiet.before()).isEmpty();
            assertThat(last(outbox, "a1")).isEqualTo(ApplicationSyncStatus.SYNCED);
            assertThat(last(outbox, "a2")).isEqualTo(ApplicationSyncStatus.SYNCED);
        }
    }

    private static Report state(String application, ApplicationSyncStatus status) {
        return Reports.syncState(
                new ApplicationId(application),
                Reports.syncState(status, "", "", "", Instant.EPOCH));
    }

    /// As the next one who tells something hears it.
    private static ApplicationSyncStatus last(Outbox outbox, String application) {
        var told = outbox.sendState(state(application, ApplicationSyncStatus.UNKNOWN));
        return Reports.stateIn(told.before().orElseThrow()).getStatus();
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
    void aFaultOfOursIsAReasonToComeAgainForHoweverManyReports() throws Exception {
        var faults = new AtomicInteger();
        Outbox.Sender faulty =
                reports ->
                        switch (faults.incrementAndGet() % 3) {
                            case 1 -> throw new IllegalStateException("a fault");
                            case 2 -> throw new NoClassDefFoundError("a fault");
                            default -> sender.send(reports);
                        };
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, faulty, InstantSource.system())) {
            for (var lane = 0; lane < 40; lane++) outbox.send(report("lane" + lane, "call" + lane));

            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
            assertThat(sender.sent).hasSize(40).doesNotHaveDuplicates();
            assertThat(ledger.undelivered()).isEmpty();
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

    @Test
    void whatWaitsTogetherInALaneGoesTogether() throws Exception {
        sender.shut = new CountDownLatch(1);
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, InstantSource.system())) {
            outbox.record(List.of(), story("a"));
            outbox.record(List.of(), story("a"));
            outbox.send(report("b", "alone"));

            sender.shut.countDown();
            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
        }
        assertThat(sender.together).containsExactlyInAnyOrder(20, 20, 1);
    }

    @Test
    void whatIsToldSoonAfterSomethingGoesTogether() throws Exception {
        var machine = new StandingTime();
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, machine)) {
            outbox.send(report("a", "first"));
            await().atMost(Duration.ofMinutes(1)).until(() -> machine.resting.get() == 1);
            outbox.send(report("a", "second"));
            outbox.send(report("a", "third"));
            outbox.send(report("b", "of another"));
            await().atMost(Duration.ofMinutes(1)).until(() -> sender.sent.size() == 2);

            machine.passed.countDown();
            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
        }
        assertThat(sender.sent).containsExactly("first", "of another", "second", "third");
        assertThat(sender.together).containsExactly(1, 1, 2);
    }

    @Test
    void largeReportsDoNotMakeOneLargeMessage() throws Exception {
        sender.shut = new CountDownLatch(1);
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, InstantSource.system())) {
            outbox.record(
                    List.of(),
                    IntStream.range(0, 3)
                            .mapToObj(i -> new Report("a", "large" + i, new byte[600_000]))
                            .toList());

            sender.shut.countDown();
            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
            assertThat(outbox.bytes()).isZero();
        }
        assertThat(sender.together).containsExactly(1, 1, 1);
        assertThat(sender.sent).containsExactly("large0", "large1", "large2");
    }

    @Test
    void oneRefusedInTheMidstOfOthersIsParkedAndTheyArrive() throws Exception {
        sender.shut = new CountDownLatch(1);
        sender.refused = "a 7";
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, InstantSource.system())) {
            outbox.record(List.of(), story("a"));

            sender.shut.countDown();
            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
            assertThat(ledger.parked())
                    .singleElement()
                    .satisfies(p -> {
                        assertThat(p.call()).isEqualTo("a 7");
                        assertThat(p.lane()).isEqualTo("a");
                    });
            assertThat(ledger.undelivered()).isEmpty();
        }
        assertThat(sender.sent).hasSize(19).contains("a 6", "a 8").doesNotContain("a 7");
    }

    @Test
    void fromOneThatMayBeSentAgainOnAllGoAgainInOrder() throws Exception {
        sender.shut = new CountDownLatch(1);
        sender.stuck = "a 7";
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, InstantSource.system())) {
            outbox.record(List.of(), story("a"));
            sender.shut.countDown();
            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 13);

            sender.stuck = "";
            outbox.nudge();
            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
        }
        assertThat(sender.sent)
                .containsExactlyElementsOf(IntStream.range(0, 20).mapToObj(n -> "a " + n).toList());
    }

    @Test
    void whatWasTakenWithoutAWordIsSentAgainAfterARestart() throws Exception {
        sender.shut = new CountDownLatch(1);
        sender.mute = true;
        try (var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, sender, InstantSource.system())) {
            outbox.record(List.of(), story("a"));
            sender.shut.countDown();
            await().atMost(Duration.ofMinutes(1)).until(() -> sender.sent.size() == 20);
        }

        sender.sent.clear();
        sender.mute = false;
        try (var ledger = Ledger.open(directory);
                var _ = new Outbox(ledger, sender, InstantSource.system())) {
            await().atMost(Duration.ofMinutes(1)).until(() -> ledger.undelivered().isEmpty());
        }
        assertThat(sender.sent)
                .containsExactlyElementsOf(IntStream.range(0, 20).mapToObj(n -> "a " + n).toList());
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

    /// Pauses end when the test lets them.
    private static final class StandingTime implements Machine {
        private final AtomicInteger resting = new AtomicInteger();
        private final CountDownLatch passed = new CountDownLatch(1);

        @Override
        public Instant instant() {
            return Instant.EPOCH;
        }

        @Override
        public Duration uptime() {
            return Duration.ZERO;
        }

        @Override
        public Thread start(String name, Runnable work) {
            return Thread.ofVirtual().name(name).start(work);
        }

        @Override
        public Bell bell() {
            return new Bell() {
                @Override
                public void ring() {}

                @Override
                public boolean await(BooleanSupplier come, Duration atMost)
                        throws InterruptedException {
                    resting.incrementAndGet();
                    passed.await();
                    return come.getAsBoolean();
                }
            };
        }
    }

    private static final class RecordingSender implements EachInTurn {
        private final List<String> sent = new CopyOnWriteArrayList<>();
        private volatile boolean down;
        private volatile String refused = "";
        private volatile String stuck = "";

        /// Takes all, and nobody hears of it.
        private volatile boolean mute;

        private final List<Integer> together = new CopyOnWriteArrayList<>();
        private volatile CountDownLatch shut = new CountDownLatch(0);

        @Override
        public List<Outbox.Answer> send(List<Queued> reports) {
            awaitOpen(shut);
            together.add(reports.size());
            var answers = EachInTurn.super.send(reports);
            return mute ? List.of(new Outbox.Answer.ComeAgain("UNAVAILABLE")) : answers;
        }

        @Override
        public Outbox.Answer send(String call, byte[] body) {
            if (call.equals(refused)) return new Outbox.Answer.Refused("INVALID_ARGUMENT: no");
            if (down || call.equals(stuck)) return new Outbox.Answer.ComeAgain("UNAVAILABLE");
            sent.add(call);
            return new Outbox.Answer.Taken();
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
