// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static dev.pipecd.agent.run.Samples.deployment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.SharedObjects;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.piped.SaveStageMetadataRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Plugins that ask and tell a lot, all at once.
final class PluginDeskTest {
    private static final DeploymentId D1 = new DeploymentId("d1");
    private static final StageId CHECK = new StageId("d1-check");

    @TempDir Path directory;

    private final ScriptedStages stages = new ScriptedStages();
    private ControlPlaneClient away;
    private Ledger ledger;
    private Outbox outbox;
    private Runs runs;
    private PluginDesk desk;

    @BeforeEach
    void start() throws Exception {
        away =
                new ControlPlaneClient(
                        "127.0.0.1:1",
                        new ControlPlaneClient.Security.Plaintext(),
                        new ProjectId("ours"),
                        new PipedId("p1"),
                        "key");
        ledger = Ledger.open(directory);
        outbox = new Outbox(ledger, away, InstantSource.system());
        runs =
                new Runs(
                        outbox,
                        Samples::plan,
                        Gate.OPEN,
                        stages,
                        InstantSource.system(),
                        Notifier.NOBODY,
                        _ -> {});
        desk = new PluginDesk(() -> runs, new SharedObjects(away));
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d1-check"));
    }

    @AfterEach
    void stop() throws Exception {
        runs.close();
        outbox.close();
        ledger.close();
        away.close();
    }

    @Test
    void aHundredMegabytesOfLogWhileTheControlPlaneIsAwayFillNeitherMemoryNorDisk()
            throws Exception {
        var line = "x".repeat(64 << 10);
        for (var call = 0; call < 100; call++) {
            var first = call * 16L;
            desk.stageLogs(
                    D1,
                    CHECK,
                    0,
                    IntStream.range(0, 16)
                            .mapToObj(i ->
                                    LogBlock.newBuilder().setIndex(first + i).setLog(line).build())
                            .toList(),
                    false);
        }
        desk.putStageMetadata(D1, CHECK, Map.of("still", "heard"));

        assertThat(outbox.bytes()).isLessThan(11 << 20);
        assertThat(Files.size(ledger.file())).isLessThan(20 << 20);
        assertThat(desk.stageMetadata(D1, CHECK, "still")).hasValue("heard");
    }

    @Test
    void notesThatNoMessageCouldCarryAreRefusedAndWhatWasNotedBeforeStays() {
        var half = "x".repeat(600_000);
        desk.putStageMetadata(D1, CHECK, Map.of("first", half));
        desk.putPluginMetadata(D1, "p", Map.of("first", half));

        assertThatThrownBy(() -> desk.putStageMetadata(D1, CHECK, Map.of("second", half)))
                .isInstanceOf(Problem.class)
                .hasMessageMatching(
                        "metadata of stage:d1-check: 1200\\d\\d\\d bytes in all \\(expected: at most 1048576\\)");
        assertThatThrownBy(() -> desk.putPluginMetadata(D1, "p", Map.of("second", half)))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith("metadata of plugin:p: 1200");
        assertThat(desk.stageMetadata(D1, CHECK, "second")).isEmpty();
        desk.putStageMetadata(D1, CHECK, Map.of("first", "less", "second", half));
        assertThat(desk.stageMetadata(D1, CHECK, "first")).hasValue("less");
    }

    @Test
    void whatManyNoteAtOnceIsAllThere() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var notes =
                    IntStream.range(0, 200)
                            .mapToObj(i ->
                                    threads.submit(() ->
                                            desk.putStageMetadata(
                                                    D1, CHECK, Map.of("k" + i, "v" + i))))
                            .toList();
            for (var note : notes) note.get();
        }

        var last =
                ledger.undelivered().stream()
                        .filter(report -> report.call().equals("SaveStageMetadata"))
                        .toList()
                        .getLast();
        assertThat(SaveStageMetadataRequest.parseFrom(last.body()).getMetadataMap())
                .containsEntry("k0", "v0")
                .hasSizeGreaterThanOrEqualTo(200);
        for (var i = 0; i < 200; i++)
            assertThat(desk.stageMetadata(D1, CHECK, "k" + i)).hasValue("v" + i);
    }

    @Test
    void whoWaitsForOrdersHearsOfOneThatWasNotSeenWhenItComes() throws Exception {
        var orders = runs.find(D1).orElseThrow().orders();
        orders.add(order("c1", "d1-check"));
        var heard =
                new FutureTask<>(() ->
                        desk.awaitStageCommands(D1, CHECK, Set.of("c1"), Duration.ofHours(1)));
        var waiting = Thread.ofVirtual().start(heard);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

        orders.add(order("c2", "d1-other"));
        orders.add(order("c3", "d1-check"));

        assertThat(heard.get(1, TimeUnit.MINUTES))
                .extracting(Command::getId)
                .containsExactly("c1", "c3");
        assertThat(desk.awaitStageCommands(D1, CHECK, Set.of("c1", "c3"), Duration.ofMillis(1)))
                .as("nothing new in time")
                .hasSize(2);
    }

    private static Command order(String id, String stage) {
        return Command.newBuilder()
                .setId(id)
                .setStageId(stage)
                .setType(Command.Type.APPROVE_STAGE)
                .build();
    }
}
