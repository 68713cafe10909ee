// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static dev.pipecd.agent.run.Samples.cancel;
import static dev.pipecd.agent.run.Samples.deployment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Entry.Sheet;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.notify.EventKind;
import dev.pipecd.agent.report.Marks;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.engine.Observation.GateAnswer;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentMetadata;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who waits for whom: for the deployment before, for the chain, or no longer.
final class TurnsOfDeploymentsTest {
    private static final Duration SOON = Duration.ofMinutes(1);

    @TempDir Path directory;

    private final RecordingControlPlane controlPlane = new RecordingControlPlane();
    private final ScriptedStages stages = new ScriptedStages();
    private final ScriptedGate gate = new ScriptedGate();
    private final List<Event> notified = new CopyOnWriteArrayList<>();
    private volatile Duration ahead = Duration.ZERO;
    private Ledger ledger;
    private Outbox outbox;
    private Runs runs;

    @BeforeEach
    void start() throws Exception {
        InstantSource clock = () -> InstantSource.system().instant().plus(ahead);
        ledger = Ledger.open(directory);
        outbox = new Outbox(ledger, controlPlane, InstantSource.system());
        runs = new Runs(outbox, Samples::planning, gate, stages, clock, notified::add, _ -> {});
        runs.takeUp(ledger.stories());
    }

    @AfterEach
    void stop() throws Exception {
        runs.close();
        outbox.close();
        ledger.close();
    }

    @Test
    void aNewerDeploymentGivesUpThoseThatStillWait() {
        runs.open(newestOnly("d1"), List.of());
        await().atMost(SOON).until(() -> stages.running("d1-check"));
        runs.open(newestOnly("d2"), List.of());
        runs.open(newestOnly("d3"), List.of());

        await().atMost(SOON).until(() -> controlPlane.completed("d2").isPresent());
        assertThat(controlPlane.completed("d2").orElseThrow().getStatus())
                .isEqualTo(DeploymentStatus.DEPLOYMENT_CANCELLED);
        assertThat(controlPlane.completed("d2").orElseThrow().getStatusReason())
                .isEqualTo("superseded by deployment d3 of commit 01234567");
        succeed("d1");
        await().atMost(SOON).until(() -> stages.running("d3-check"));
        assertThat(stages.running("d2-check")).isFalse();
    }

    @Test
    void whatIsSupersededSaysNothingOfTheApplication() {
        runs.open(newestOnly("d1"), List.of());
        await().atMost(SOON).until(() -> stages.running("d1-check"));
        runs.open(newestOnly("d2"), List.of());
        runs.open(newestOnly("d3"), List.of());
        await().atMost(SOON).until(() -> controlPlane.completed("d2").isPresent());
        await().atMost(SOON).until(() -> outbox.waiting() == 0);

        assertThat(controlPlane.states)
                .extracting(state -> state.getStatus())
                .containsOnly(ApplicationSyncStatus.DEPLOYING);
    }

    @Test
    void whatIsCancelledBeforeItsTurnSaysNothingOfTheApplication() {
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(SOON).until(() -> stages.running("d1-check"));
        runs.open(deployment("d2", "app"), List.of());

        orders().take(cancel("c1", "d2"));

        await().atMost(SOON).until(() -> controlPlane.completed("d2").isPresent());
        await().atMost(SOON).until(() -> outbox.waiting() == 0);
        assertThat(ofTheApplication()).containsExactly("deploying: true", "DEPLOYING");
        assertThat(kinds())
                .contains(EventKind.DEPLOYMENT_CANCELLED)
                .doesNotContain(EventKind.APPLICATION_OUT_OF_SYNC);
    }

    @Test
    void whatItsChainWithdrawsSaysNothingOfTheApplicationWhileAnotherIsUnderWay() {
        runs.open(deployment("d1", "app"), List.of());
        await().atMost(SOON).until(() -> stages.running("d1-check"));
        gate.say("d2", new Gate.Turn.Never("Block 0 of the deployment chain has ended as FAILURE"));

        runs.open(chained("d2", 1), List.of());

        await().atMost(SOON).until(() -> controlPlane.completed("d2").isPresent());
        await().atMost(SOON).until(() -> outbox.waiting() == 0);
        assertThat(ofTheApplication()).containsExactly("deploying: true", "DEPLOYING");
        assertThat(kinds()).doesNotContain(EventKind.APPLICATION_OUT_OF_SYNC);
    }

    @Test
    void whatItsChainWithdrawsLeavesTheApplicationOutOfSyncWhenNothingElseIsUnderWay() {
        gate.say("d1", new Gate.Turn.Never("Block 0 of the deployment chain has ended as FAILURE"));

        runs.open(chained("d1", 1), List.of());

        await().atMost(SOON).until(() -> controlPlane.states.size() == 1);
        assertThat(ofTheApplication()).containsExactly("deploying: false", "OUT_OF_SYNC");
        await().atMost(SOON).until(() -> kinds().contains(EventKind.APPLICATION_OUT_OF_SYNC));
    }

    @Test
    void whatCannotBePlannedSaysSoAlsoWhileOthersWaitBehindIt() {
        runs.open(deployment("endless", "app"), List.of());
        runs.open(deployment("d2", "app"), List.of());

        orders().take(cancel("c1", "endless"));

        await().atMost(SOON).until(() -> stages.running("d2-check"));
        await().atMost(SOON).until(() -> outbox.waiting() == 0);
        assertThat(ofTheApplication())
                .containsExactly("deploying: false", "OUT_OF_SYNC", "deploying: true", "DEPLOYING");
    }

    private Orders orders() {
        return new Orders(runs, outbox, List.of(), _ -> {}, InstantSource.system());
    }

    private List<String> ofTheApplication() {
        return controlPlane.ofApplications;
    }

    private List<EventKind> kinds() {
        return notified.stream().map(Event::kind).toList();
    }

    @Test
    void withoutTheWishEachDeploymentHasItsTurn() {
        runs.open(deployment("d1", "app"), List.of());
        runs.open(deployment("d2", "app"), List.of());
        runs.open(deployment("d3", "app"), List.of());
        succeed("d1");

        await().atMost(SOON).until(() -> stages.running("d2-check"));
        assertThat(controlPlane.completed("d2")).isEmpty();
    }

    @Test
    void afterARestartOnlyTheNewestIsLeftToo() throws Exception {
        runs.open(newestOnly("d1"), List.of());
        runs.open(deployment("d2", "app"), List.of());
        await().atMost(SOON).until(() -> stages.running("d1-check"));
        runs.close();
        // Recorded, and the agent dies before it looks at those that wait.
        var d3 = new Sheet(new DeploymentId("d3"), newestOnly("d3").toByteArray());
        outbox.record(List.of(d3), List.of());
        stop();
        stages.forgetThreads();

        start();

        await().atMost(SOON).until(() -> controlPlane.completed("d2").isPresent());
        assertThat(controlPlane.completed("d2").orElseThrow().getStatusReason())
                .startsWith("superseded by deployment d3");
    }

    @Test
    void aDeploymentOfALaterBlockWaitsUntilItsBlockHasCome() {
        gate.say("d1", new Gate.Turn.Later(Duration.ofMillis(1)));
        runs.open(chained("d1", 1), List.of());
        runs.open(deployment("d2", "app"), List.of());

        // It holds up no other deployment of its application.
        await().atMost(SOON).until(() -> stages.running("d2-check") && gate.asked("d1") > 3);
        assertThat(stages.running("d1-check")).isFalse();
        gate.say("d1", new Gate.Turn.Now());
        succeed("d2");

        await().atMost(SOON).until(() -> stages.running("d1-check"));
    }

    @Test
    void aDeploymentWhoseChainFailedIsCancelledWithTheReason() {
        gate.say("d1", new Gate.Turn.Never("Block 0 of the deployment chain has ended as FAILURE"));
        runs.open(chained("d1", 1), List.of());

        await().atMost(SOON).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatus())
                .isEqualTo(DeploymentStatus.DEPLOYMENT_CANCELLED);
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo(
                        "cancelled by its deployment chain: Block 0 of the deployment chain has ended as FAILURE");
        assertThat(stages.runs).isEmpty();
    }

    @Test
    void aPersonCancelsADeploymentThatWaitsForItsChain() {
        gate.say("d1", new Gate.Turn.Later(Duration.ofMillis(1)));
        runs.open(chained("d1", 1), List.of());

        orders().take(cancel("c1", "d1"));

        await().atMost(SOON).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo("cancelled by ann");
    }

    @Test
    void aDeploymentThatWaitsForItsChainStillDoesAfterARestart() throws Exception {
        gate.say("d1", new Gate.Turn.Later(Duration.ofMillis(1)));
        runs.open(chained("d1", 1), List.of());
        await().atMost(SOON).until(() -> gate.asked("d1") > 1);
        stop();

        start();

        var before = gate.asked("d1");
        await().atMost(SOON).until(() -> gate.asked("d1") > before + 1);
        assertThat(stages.runs).isEmpty();
        gate.say("d1", new Gate.Turn.Now());
        await().atMost(SOON).until(() -> stages.running("d1-check"));
    }

    @Test
    void aChainThatNeverComesEndsTheWaiting() {
        gate.say("d1", new Gate.Turn.Later(Duration.ofMillis(1)));
        runs.open(chained("d1", 2), List.of());
        ahead = Duration.ofHours(47);
        var before = gate.asked("d1");
        await().atMost(SOON).until(() -> gate.asked("d1") > before + 1);
        assertThat(controlPlane.completed("d1")).isEmpty();

        ahead = Duration.ofHours(48);

        await().atMost(SOON).until(() -> controlPlane.completed("d1").isPresent());
        assertThat(controlPlane.completed("d1").orElseThrow().getStatusReason())
                .isEqualTo("block 2 of the deployment chain did not come within 48 hours");
    }

    @Test
    void aGateThatBreaksDoesNotEndTheWaiting() {
        runs.open(chained("d1", 1), List.of());
        await().atMost(SOON).until(() -> gate.asked("d1") == 1);

        assertThat(stages.runs).isEmpty();
        assertThat(controlPlane.completed("d1")).isEmpty();
    }

    @Test
    void warningsAboutTheFileAreShownOnTheApplicationThatIsInSync() {
        runs.open(marked("d1", Marks.WARNINGS, "app.pipecd.yaml:3:3: spec.x: ignored"), List.of());
        succeed("d1");

        await().atMost(SOON).until(() -> controlPlane.states.size() == 2);
        assertThat(controlPlane.states.getLast().getStatus())
                .isEqualTo(ApplicationSyncStatus.SYNCED);
        assertThat(controlPlane.states.getLast().getReason())
                .isEqualTo("app.pipecd.yaml:3:3: spec.x: ignored");
    }

    @Test
    void anUnreadableFileLeavesTheApplicationInvalid() {
        runs.open(marked("unplannable", Marks.UNREADABLE, "true"), List.of());

        await().atMost(SOON).until(() -> controlPlane.states.size() == 1);
        assertThat(controlPlane.states.getLast().getStatus())
                .isEqualTo(ApplicationSyncStatus.INVALID_CONFIG);
        await().atMost(SOON).until(() -> kinds().contains(EventKind.DEPLOYMENT_FAILED));
        assertThat(kinds()).doesNotContain(EventKind.APPLICATION_OUT_OF_SYNC);
    }

    private void succeed(String id) {
        stages.finish(id + "-check", new StageResult.Succeeded());
        stages.finish(id + "-publish", new StageResult.Succeeded());
    }

    private static Deployment newestOnly(String id) {
        return marked(id, Marks.NEWEST_ONLY, "true");
    }

    private static Deployment marked(String id, String mark, String value) {
        return deployment(id, "app").toBuilder()
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setCommit(Commit.newBuilder().setHash("0123456789")))
                .setMetadataV2(
                        DeploymentMetadata.newBuilder()
                                .setShared(
                                        DeploymentMetadata.KeyValues.newBuilder()
                                                .putKeyValues(mark, value)))
                .build();
    }

    private static Deployment chained(String id, int block) {
        return deployment(id, "app").toBuilder()
                .setDeploymentChainId("chain")
                .setDeploymentChainBlockIndex(block)
                .setCreatedAt(InstantSource.system().instant().getEpochSecond())
                .build();
    }

    /// Breaks for those of whom nothing was said.
    private static final class ScriptedGate implements Gate {
        private final Map<String, Turn> turns = new ConcurrentHashMap<>();
        private final Map<String, Integer> asked = new ConcurrentHashMap<>();

        void say(String deployment, Turn turn) {
            turns.put(deployment, turn);
        }

        int asked(String deployment) {
            return asked.getOrDefault(deployment, 0);
        }

        @Override
        public GateAnswer ask(Deployment deployment, StageId stage) {
            return new GateAnswer.Allow();
        }

        @Override
        public Turn turn(Deployment chained) {
            asked.merge(chained.getId(), 1, Integer::sum);
            var turn = turns.get(chained.getId());
            if (turn == null) throw new IllegalStateException("nothing said of it");
            return turn;
        }
    }
}
