// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Entry.Delivered;
import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.agent.journal.Entry.Noted;
import dev.pipecd.agent.journal.Entry.Parked;
import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.journal.Entry.Sheet;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JournalTest {
    private static final DeploymentId D1 = new DeploymentId("d1");
    private static final Instant T = Instant.parse("2026-01-01T00:00:00.123456789Z");

    @TempDir Path directory;

    @Test
    void everyKindOfEntryComesBackAsItWasWritten() throws Exception {
        var stage = new StageId("s1");
        var cause = new Cause.CancelledBy("ann");
        var entries =
                List.<Entry>of(
                        new Moved(
                                D1,
                                new DeploymentEvent.PlanMade(
                                        new Plan(
                                                List.of(
                                                        new PlannedStage(
                                                                stage,
                                                                "WAIT",
                                                                false,
                                                                Duration.ofMinutes(90))),
                                                Duration.ofHours(6),
                                                true)),
                                T),
                        new Moved(D1, new DeploymentEvent.Began(T, T.plusSeconds(1)), T),
                        new Moved(
                                D1,
                                new DeploymentEvent.StageMoved(
                                        stage, new StageEvent.Started(T, T.plusSeconds(60))),
                                T),
                        new Moved(
                                D1,
                                new DeploymentEvent.StageMoved(
                                        stage, new StageEvent.HeldBack("frozen", T)),
                                T),
                        new Moved(
                                D1,
                                new DeploymentEvent.StageMoved(
                                        stage, new StageEvent.StopOrdered(cause, T)),
                                T),
                        new Moved(
                                D1,
                                new DeploymentEvent.StageMoved(
                                        stage,
                                        new StageEvent.Ended(
                                                new StageResult.Failed("exit 1\nwith \"quotes\""))),
                                T),
                        new Moved(D1, new DeploymentEvent.HaltOrdered(cause, true), T),
                        new Moved(D1, new DeploymentEvent.RollbackBegan(cause, T), T),
                        new Moved(
                                D1,
                                new DeploymentEvent.AbortOrdered(new Cause.CancelledBy("bob")),
                                T),
                        new Moved(D1, new DeploymentEvent.ClockMoved(Duration.ofHours(-1)), T),
                        new Moved(
                                D1,
                                new DeploymentEvent.Ended(
                                        new Outcome.PartlyRolledBack(cause, List.of("UNDO"))),
                                T),
                        new Noted(D1, "stage:s1", Map.of("k", "v")),
                        new Delivered(7),
                        new Parked(8, "deployment:d1", "CreateDeployment", "INVALID_ARGUMENT", T));
        try (var journal = Journal.open(directory)) {
            journal.append(entries);
        }

        try (var journal = Journal.open(directory)) {
            assertThat(journal.found()).isEqualTo(entries);
        }
    }

    @Test
    void bytesOfSheetsAndReportsComeBackAsTheyWereWritten() throws Exception {
        try (var journal = Journal.open(directory)) {
            journal.append(
                    new Sheet(D1, new byte[] {0, 1, -1}),
                    new Queued(1, "lane", "ReportStageLogs", new byte[] {9}));
        }

        try (var journal = Journal.open(directory)) {
            assertThat(((Sheet) journal.found().get(0)).document()).containsExactly(0, 1, -1);
            assertThat(((Queued) journal.found().get(1)).body()).containsExactly(9);
        }
    }

    @Test
    void aTornTailIsCutOffAndWhatCameBeforeIsThere() throws Exception {
        try (var journal = Journal.open(directory)) {
            journal.append(new Delivered(1));
            journal.append(new Delivered(2));
        }
        var file = directory.resolve("journal");
        var whole = Files.readAllBytes(file);

        for (var cut = whole.length - 1; cut > whole.length / 2; cut--) {
            Files.write(file, java.util.Arrays.copyOf(whole, cut));
            try (var journal = Journal.open(directory)) {
                assertThat(journal.found()).as("cut at %d", cut).containsExactly(new Delivered(1));
                journal.append(new Delivered(3));
            }
            try (var journal = Journal.open(directory)) {
                assertThat(journal.found()).containsExactly(new Delivered(1), new Delivered(3));
            }
        }
    }

    @Test
    void aRecordWhoseBytesChangedIsNotBelieved() throws Exception {
        try (var journal = Journal.open(directory)) {
            journal.append(new Delivered(1));
            journal.append(new Delivered(2));
        }
        var file = directory.resolve("journal");
        var bytes = Files.readAllBytes(file);
        bytes[bytes.length - 3] ^= 1;
        Files.write(file, bytes);

        try (var journal = Journal.open(directory)) {
            assertThat(journal.found()).containsExactly(new Delivered(1));
        }
    }

    /// What was on the disk before others were begun was acknowledged: to go on before it would do
    /// again what is done.
    @Test
    void aJournalThatWasChangedInTheMiddleIsPutAwayWhole() throws Exception {
        try (var journal = Journal.open(directory)) {
            for (var number = 1; number <= 3; number++) journal.append(new Delivered(number));
        }
        var file = directory.resolve("journal");
        var whole = Files.readAllBytes(file);
        var record = whole.length / 3;

        for (var at = record; at < 2 * record; at++) {
            var damaged = whole.clone();
            damaged[at] ^= 1;
            Files.write(file, damaged);
            try (var journal = Journal.open(directory)) {
                assertThat(journal.found()).as("changed at %d", at).isEmpty();
                journal.append(new Delivered(4));
            }
            assertThat(directory.resolve("journal.damaged")).hasBinaryContent(damaged);
            try (var journal = Journal.open(directory)) {
                assertThat(journal.found()).containsExactly(new Delivered(4));
            }
        }
    }

    @Test
    void aJournalThatWasWrittenAnewAndChangedSinceIsPutAwayToo() throws Exception {
        var live =
                IntStream.range(0, 30)
                        .<Entry>mapToObj(n -> new Queued(n, "lane", "Call", new byte[100_000]))
                        .toList();
        try (var journal = Journal.open(directory)) {
            journal.compact(live);
        }
        var file = directory.resolve("journal");
        var bytes = Files.readAllBytes(file);
        bytes[100] ^= 1;
        Files.write(file, bytes);

        try (var journal = Journal.open(directory)) {
            assertThat(journal.found()).isEmpty();
        }
        assertThat(directory.resolve("journal.damaged")).hasSize(bytes.length);
    }

    /// The system may write the second part of it to the disk before the first.
    @Test
    void whatWasWrittenTogetherAndIsTornInItsFirstPartIsATornTail() throws Exception {
        var path = directory.resolve("journal");
        var first = new byte[] {'1', '1', '1'};
        try (var file = JournalFile.open(path, new ArrayList<>())) {
            file.append(List.of(first));
            file.append(List.of(new byte[] {'2', '2', '2'}, new byte[] {'3', '3', '3'}));
        }
        var bytes = Files.readAllBytes(path);
        bytes[22] ^= 1;
        Files.write(path, bytes);

        var found = new ArrayList<byte[]>();
        JournalFile.open(path, found).close();
        assertThat(found).containsExactly(first);
    }

    @Test
    void zeroesThatAFileSystemLeftBehindAreATornTail() throws Exception {
        try (var journal = Journal.open(directory)) {
            journal.append(new Delivered(1));
        }
        Files.write(directory.resolve("journal"), new byte[4096], StandardOpenOption.APPEND);

        try (var journal = Journal.open(directory)) {
            assertThat(journal.found()).containsExactly(new Delivered(1));
        }
    }

    @Test
    void manyWritersAtOnceLoseNothing() throws Exception {
        try (var journal = Journal.open(directory);
                var writers = Executors.newVirtualThreadPerTaskExecutor()) {
            var all =
                    IntStream.range(0, 500)
                            .<Future<?>>mapToObj(
                                    i -> writers.submit(() -> journal.append(new Delivered(i))))
                            .toList();
            for (var one : all) one.get();
        }

        try (var journal = Journal.open(directory)) {
            assertThat(journal.found()).hasSize(500).doesNotHaveDuplicates();
        }
    }

    @Test
    void compactingReplacesEverythingAndLaterEntriesFollow() throws Exception {
        try (var journal = Journal.open(directory)) {
            journal.append(new Delivered(1));
            journal.compact(List.of(new Delivered(10)));
            journal.append(new Delivered(11));
        }

        try (var journal = Journal.open(directory)) {
            assertThat(journal.found()).containsExactly(new Delivered(10), new Delivered(11));
        }
    }

    @Test
    void aSecondAgentInTheSameDirectoryIsRefused() throws Exception {
        try (var _ = Journal.open(directory)) {
            assertThatThrownBy(() -> Journal.open(directory))
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                            "data directory: %s is in use by another agent (expected: one agent per directory)"
                                    .formatted(directory));
        }
    }

    @Test
    void everythingAcknowledgedBeforeAKillIsThere() throws Exception {
        var said = directory.resolve("said");
        var writer = endless(said);
        await().atMost(Duration.ofMinutes(5)).until(() -> Files.readAllLines(said).size() > 200);
        writer.destroyForcibly().waitFor();
        var acknowledged =
                Files.readString(said).lines().count() - 1; // the last line may be half written

        try (var journal = Journal.open(directory)) {
            assertThat(journal.found()).hasSizeGreaterThanOrEqualTo((int) acknowledged);
            assertThat(journal.found().getLast()).isEqualTo(new Delivered(journal.found().size()));
        }
    }

    @Test
    void whileTheDiskTakesNothingNothingIsAcknowledgedAndThenAllGoesOn() throws Exception {
        var said = directory.resolve("said");
        var writer = endless(said);
        await().atMost(Duration.ofMinutes(5)).until(() -> numbers(said).size() > 500);

        // Room for half a record: what is torn by it must not stay.
        limit(writer, Files.size(directory.resolve("journal")) + 10 + ":unlimited");
        await().atMost(Duration.ofMinutes(5))
                .until(() -> Files.readString(said).contains("trouble: File too large\n"));
        var stuckAt = numbers(said);
        limit(writer, "unlimited");
        await().atMost(Duration.ofMinutes(5))
                .until(() -> Files.readString(said).contains("trouble: none\n"));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> numbers(said).size() > stuckAt.size() + 200);
        writer.destroyForcibly().waitFor();

        try (var journal = Journal.open(directory)) {
            assertThat(journal.found())
                    .isEqualTo(
                            LongStream.rangeClosed(1, journal.found().size())
                                    .<Entry>mapToObj(Delivered::new)
                                    .toList())
                    .hasSizeGreaterThanOrEqualTo(numbers(said).size());
        }
    }

    @Test
    void aTornTailThatCannotBeKeptAsideDoesNotKeepTheJournalFromOpening() throws Exception {
        try (var journal = Journal.open(directory)) {
            journal.append(new Delivered(1));
        }
        var file = directory.resolve("journal");
        var whole = Files.size(file);
        Files.write(file, new byte[] {0, 0, 0, 9, 1}, StandardOpenOption.APPEND);
        Files.createDirectory(directory.resolve("journal.torn"));

        try (var journal = Journal.open(directory)) {
            assertThat(journal.found()).containsExactly(new Delivered(1));
            assertThat(file).hasSize(whole);
        }
    }

    @Test
    void aJournalThatIsClosedWhileTheDiskTakesNothingReleasesWhoWaits() throws Exception {
        var said = directory.resolve("said");
        var writer = endless(said);
        await().atMost(Duration.ofMinutes(5)).until(() -> numbers(said).size() > 500);
        limit(writer, Files.size(directory.resolve("journal")) + 10 + ":unlimited");
        await().atMost(Duration.ofMinutes(5))
                .until(() -> Files.readString(said).contains("trouble: File too large\n"));

        writer.destroy();

        assertThat(writer.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(said).content().contains("the journal is closed: the agent stops\n");
        try (var journal = Journal.open(directory)) {
            assertThat(journal.found()).hasSize(numbers(said).size());
        }
    }

    private Process endless(Path said) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Endless.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(said.toFile())
                .start();
    }

    /// The largest file the process may write from now on, as a full disk would have it.
    private static void limit(Process process, String size) throws Exception {
        var prlimit =
                new ProcessBuilder("prlimit", "--pid=" + process.pid(), "--fsize=" + size)
                        .inheritIO()
                        .start();
        assertThat(prlimit.waitFor()).isZero();
    }

    private static List<Long> numbers(Path said) throws IOException {
        var whole = Files.readString(said);
        return whole.substring(0, whole.lastIndexOf('\n') + 1)
                .lines()
                .filter(line -> line.matches("[0-9]+"))
                .map(Long::parseLong)
                .toList();
    }

    /// Appends for ever and says each number once it is on the disk, and what is wrong with the
    /// disk; closes the journal when it is told to end.
    static final class Endless {
        static void main(String... args) throws IOException {
            var journal = Journal.open(Path.of(args[0]));
            Thread.ofPlatform().daemon().start(() -> tellTrouble(journal));
            // A killed test run must leave nothing behind that appends for ever.
            ProcessHandle.current()
                    .parent()
                    .ifPresent(test -> test.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
            var appending = Thread.currentThread();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(journal, appending)));
            try {
                appendForEver(journal);
            } catch (JournalClosed closed) {
                System.out.println(closed.getMessage());
            }
        }

        private static void tellTrouble(Journal journal) {
            for (var told = ""; ; ) {
                var trouble = journal.trouble();
                if (!trouble.equals(told))
                    System.out.println("trouble: " + (trouble.isEmpty() ? "none" : trouble));
                told = trouble;
                LockSupport.parkNanos(1_000_000);
            }
        }

        private static void close(Journal journal, Thread appending) {
            try {
                journal.close();
                appending.join();
            } catch (IOException | InterruptedException e) {
                System.out.println(e);
            }
        }

        private static void appendForEver(Journal journal) {
            for (var number = 1L; ; number++) {
                journal.append(new Delivered(number));
                System.out.println(number);
                System.out.flush();
            }
        }
    }
}
