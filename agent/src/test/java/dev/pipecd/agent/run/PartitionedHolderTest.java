// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static dev.pipecd.agent.run.Samples.deployment;
import static dev.pipecd.agent.run.Samples.lost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.report.FakeOffice;
import dev.pipecd.agent.report.Lease;
import dev.pipecd.agent.report.LeaseHolder;
import dev.pipecd.agent.report.LeaseNote;
import dev.pipecd.agent.report.Marks;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.StageStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The agent that holds the lease loses the control plane while a deployment runs, and another one
/// with the same id is there.
final class PartitionedHolderTest {
    private static final Duration LIFE = Duration.ofMinutes(2);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir Path directory;

    private final FakeOffice office = new FakeOffice();
    private volatile Instant now = Instant.parse("2026-11-16T12:00:00Z");
    private Agent holder;
    private Agent second;

    @BeforeEach
    void start() throws Exception {
        holder = new Agent("holder");
        second = new Agent("second");
        holder.look();
        second.look();
        holder.hears();
        holder.runs.open(deployment("d1", "app"), List.of());
        await().atMost(PATIENCE).until(() -> holder.stages.running("d1-check"));
        holder.wire.cut = true;
    }

    @AfterEach
    void stop() throws Exception {
        holder.close();
        second.close();
    }

    @Test
    void theHolderHoldsBackItsNextStageAfterHalfALife() {
        now = now.plus(LIFE.dividedBy(2));
        holder.look();
        holder.stages.finish("d1-check", new StageResult.Succeeded());

        await().atMost(PATIENCE)
                .until(() ->
                        !holder.controlPlane
                                .stageReports("d1-publish", StageStatus.STAGE_NOT_STARTED_YET)
                                .isEmpty());
        assertThat(
                        holder.controlPlane
                                .stageReports("d1-publish", StageStatus.STAGE_NOT_STARTED_YET)
                                .getFirst()
                                .getStatusReason())
                .isEqualTo(
                        "waiting: the control plane has not confirmed that this agent still acts until 2026-11-16T12:01:10Z");
        assertThat(holder.stages.runs).containsExactly("d1-check");
    }

    /// To lay out what a stage reads may take longer than half a life.
    @Test
    void theHolderHoldsBackAStageThatWasLetPassBeforeThat() {
        holder.stages.layingOut =
                () -> {
                    now = now.plus(LIFE.dividedBy(2));
                    holder.look();
                };
        holder.stages.finish("d1-check", new StageResult.Succeeded());

        await().atMost(PATIENCE)
                .until(() ->
                        !holder.controlPlane
                                .stageReports("d1-publish", StageStatus.STAGE_RUNNING)
                                .isEmpty());
        await().during(Duration.ofMillis(300))
                .atMost(PATIENCE)
                .until(() -> !holder.stages.running("d1-publish"));
    }

    @Test
    void theHolderOpensNothingAfterHalfALife() {
        now = now.plus(LIFE.dividedBy(2));

        assertThat(holder.runs.open(deployment("d2", "other"), List.of())).isFalse();
        assertThat(holder.ledger.stories()).containsOnlyKeys(new DeploymentId("d1"));
        assertThat(holder.runs.active()).isEqualTo(1);
    }

    /// It may have been about to when it learned of the other.
    @Test
    void theHolderOpensNothingOnceItHasLeft() {
        holder.runs.leave();

        assertThat(holder.lease.forward()).isTrue();
        assertThat(holder.runs.open(deployment("d2", "other"), List.of())).isFalse();
        assertThat(holder.ledger.stories()).containsOnlyKeys(new DeploymentId("d1"));
    }

    /// The other would open it once more.
    @Test
    void theHolderBeginsNothingOfADeploymentThatNobodyHasHeardOf() {
        holder.unheard = true;
        var d2 = deployment("d2", "other");
        assertThat(holder.runs.open(d2, List.of(Reports.created(d2)))).isTrue();
        await().during(Duration.ofMillis(300))
                .atMost(PATIENCE)
                .until(() -> !holder.stages.running("d2-check"));

        holder.unheard = false;
        holder.outbox.nudge();

        await().atMost(PATIENCE).until(() -> holder.stages.running("d2-check"));
    }

    @Test
    void theHolderBeginsNothingOfADeploymentThatTheControlPlaneRefuses() {
        holder.controlPlane.refused = "CreateDeployment";
        var d2 = deployment("d2", "other");

        holder.runs.open(d2, List.of(Reports.created(d2)));

        await().atMost(PATIENCE).until(() -> holder.controlPlane.completed("d2").isPresent());
        assertThat(holder.controlPlane.completed("d2").orElseThrow().getStatusReason())
                .contains(
                        "the control plane refused to take this deployment: INVALID_ARGUMENT: no");
        assertThat(holder.stages.runs).doesNotContain("d2-check", "d2-publish");
    }

    @Test
    void whatNobodyHasHeardOfIsNeverToldOnceAnotherActs() throws Exception {
        holder.unheard = true;
        var d2 = deployment("d2", "other");
        holder.runs.open(d2, List.of(Reports.created(d2), handled("c1", d2)));
        now = now.plus(LIFE);
        second.look();
        holder.wire.cut = false;
        holder.unheard = false;
        holder.outbox.nudge();
        holder.look();
        holder.close();
        second.close();

        var again = new Agent("holder");
        again.look();
        now = now.plus(LIFE);
        again.look();

        assertThat(again.lease.forward()).isTrue();
        assertThat(again.ledger.stories()).isEmpty();
        assertThat(again.ledger.undelivered()).isEmpty();
        assertThat(holder.controlPlane.calls).doesNotContain("CreateDeployment");
        assertThat(again.controlPlane.calls).doesNotContain("CreateDeployment");
        again.close();
    }

    private static Report handled(String order, Deployment by) {
        return Reports.opened(by, new CommandId(order), Instant.EPOCH);
    }

    /// What the one before had opened may not be known to it yet.
    @Test
    void whoTookOverOpensNothingBeforeItHasHeardWhatGoesOn() {
        now = now.plus(LIFE);
        second.look();
        assertThat(second.lease.forward()).isTrue();
        assertThat(second.runs.open(deployment("d2", "other"), List.of())).isFalse();

        second.runs.reconcile(List.of(marked("d3", "other", "c1")), _ -> Optional.empty(), _ -> {});

        assertThat(second.openedBefore).containsExactly("d3");
        assertThat(second.runs.open(marked("d4", "other", "c1"), List.of())).isFalse();
        assertThat(second.runs.open(marked("d5", "other", "c2"), List.of())).isTrue();
        await().atMost(PATIENCE)
                .until(() ->
                        second.controlPlane.handled.stream()
                                .anyMatch(told ->
                                        told.getCommandId().equals("c1")
                                                && told.getStatus()
                                                        == CommandStatus.COMMAND_SUCCEEDED));
    }

    private static Deployment marked(String id, String application, String order) {
        var marked = deployment(id, application).toBuilder();
        marked.getMetadataV2Builder().getSharedBuilder().putKeyValues(Marks.ORDERS, order);
        return marked.build();
    }

    @Test
    void theHolderRollsBackAllTheSame() {
        now = now.plus(LIFE.dividedBy(2));
        holder.look();

        holder.stages.finish("d1-check", new StageResult.Failed("it is broken"));

        await().atMost(PATIENCE).until(() -> holder.controlPlane.completed("d1").isPresent());
        assertThat(holder.stages.runs).containsExactly("d1-check", "d1-undo");
    }

    @Test
    void theHolderRollsBackHoweverLongItIsCutOff() {
        for (var i = 0; i < 8; i++) {
            now = now.plus(LIFE.dividedBy(4));
            holder.look();
        }

        holder.stages.finish("d1-check", new StageResult.Failed("it is broken"));

        await().atMost(PATIENCE).until(() -> holder.controlPlane.completed("d1").isPresent());
        assertThat(holder.stages.runs).containsExactly("d1-check", "d1-undo");
    }

    /// It does not know yet how long it stood still, and the other has deployed something new.
    @Test
    void aHolderThatWasFrozenDoesAndSaysNothingBeforeItHasLooked() {
        holder.wire.cut = false;
        now = now.plus(LIFE);
        second.look();

        holder.stages.finish("d1-check", new StageResult.Failed("it was stopped"));
        await().during(Duration.ofMillis(300))
                .atMost(PATIENCE)
                .until(() -> !holder.stages.running("d1-undo"));
        holder.look();

        await().during(Duration.ofMillis(300))
                .atMost(PATIENCE)
                .until(() -> !holder.stages.running("d1-undo"));
        assertThat(holder.controlPlane.stageReports("d1-check", StageStatus.STAGE_FAILURE))
                .isEmpty();
    }

    /// Its connection did not outlive the standstill.
    @Test
    void aHolderThatWasFrozenDoesNothingWhileItsLooksFail() {
        now = now.plus(LIFE);
        second.look();

        holder.look();
        holder.stages.finish("d1-check", new StageResult.Failed("it was stopped"));

        await().during(Duration.ofMillis(300))
                .atMost(PATIENCE)
                .until(() -> !holder.stages.running("d1-undo"));
        holder.wire.cut = false;
        holder.look();
        assertThat(holder.stages.runs).containsExactly("d1-check");
    }

    @Test
    void aHolderThatWasFrozenRollsBackWhenNobodyTookOver() {
        holder.wire.cut = false;
        now = now.plus(LIFE);
        holder.stages.finish("d1-check", new StageResult.Failed("it was stopped"));

        holder.look();

        await().atMost(PATIENCE).until(() -> holder.controlPlane.completed("d1").isPresent());
        assertThat(holder.stages.runs).containsExactly("d1-check", "d1-undo");
    }

    @Test
    void whenTheSecondTakesOverOnlyItGoesOnAndItDoesNotRepeatWhatItCannotKnow() {
        now = now.plus(LIFE);
        holder.look();
        second.look();
        second.runs.reconcile(List.of(lost("d1")), _ -> Optional.empty(), _ -> {});
        holder.stages.finish("d1-check", new StageResult.Succeeded());

        await().atMost(PATIENCE).until(() -> second.controlPlane.completed("d1").isPresent());
        assertThat(second.stages.runs).containsExactly("d1-undo");
        assertThat(holder.stages.runs).containsExactly("d1-check");
    }

    @Test
    void whenItLearnsOfTheOtherTheHolderStopsWhatGoesForward() {
        now = now.plus(LIFE);
        second.look();
        holder.wire.cut = false;

        holder.look();

        assertThat(holder.stages.stopped).containsExactly("d1-check");
        assertThat(holder.controlPlane.completed("d1")).isEmpty();
    }

    @Test
    void aHolderThatIsStartedAgainDoesNotTakeUpItsStageBeforeItIsSure() throws Exception {
        holder.close();
        var again = new Agent("holder");
        again.wire.cut = true;
        again.look();
        again.stages.finish("d1-check", new StageResult.Succeeded());
        assertThat(again.runs.active()).isEqualTo(1);
        assertThat(again.stages.runs).isEmpty();

        again.wire.cut = false;
        again.look();

        await().atMost(PATIENCE).until(() -> again.stages.running("d1-check"));
        again.close();
    }

    @Test
    void anAgentThatComesBackAfterAnotherActedTakesUpNothingOfItsOwnJournal() throws Exception {
        holder.close();
        now = now.plus(LIFE);
        second.look();
        second.close();
        now = now.plus(LIFE);

        var again = new Agent("holder");
        again.look();
        now = now.plus(LIFE);
        again.look();

        assertThat(again.lease.forward()).isTrue();
        assertThat(again.runs.active()).isZero();
        assertThat(again.ledger.stories()).isEmpty();
        again.close();
    }

    @Test
    void whatTheHolderHadToTellOfApplicationsIsNotToldOnceAnotherActs() throws Exception {
        unheard(holder, "d2", "other");
        now = now.plus(LIFE);
        second.look();
        holder.wire.cut = false;
        holder.unheard = false;
        holder.outbox.nudge();

        await().atMost(PATIENCE)
                .until(() ->
                        !holder.controlPlane
                                .stageReports("d2-check", StageStatus.STAGE_RUNNING)
                                .isEmpty());
        await().during(Duration.ofMillis(500))
                .atMost(PATIENCE)
                .until(() -> holder.controlPlane.ofApplications.size() == 2); // of d1
        holder.look();
        holder.close();
        second.close();
        var again = new Agent("holder");
        again.look();
        now = now.plus(LIFE);
        again.look();

        assertThat(again.lease.forward()).isTrue();
        assertThat(again.outbox.waiting()).isZero();
        assertThat(again.ledger.undelivered()).isEmpty();
        assertThat(again.controlPlane.ofApplications).isEmpty();
        again.close();
    }

    @Test
    void whatTheHolderHadToTellOfApplicationsIsToldWhenNobodyElseActed() throws Exception {
        unheard(holder, "d2", "other");
        holder.close();
        var again = new Agent("holder");

        again.look();

        await().atMost(PATIENCE)
                .until(() ->
                        again.controlPlane.ofApplications.equals(
                                List.of("deploying: true", "DEPLOYING")));
        again.close();
    }

    /// Nothing of it reaches the control plane.
    private static void unheard(Agent agent, String deployment, String application) {
        await().atMost(PATIENCE).until(() -> agent.controlPlane.ofApplications.size() == 2);
        agent.unheard = true;
        agent.runs.open(deployment(deployment, application), List.of());
        await().atMost(PATIENCE).until(() -> agent.stages.running(deployment + "-check"));
    }

    private final class Agent implements Lease.Tenant, AutoCloseable {
        final RecordingControlPlane controlPlane = new RecordingControlPlane();
        final ScriptedStages stages = new ScriptedStages();
        final FakeOffice.Wire wire = office.wire();
        final List<String> openedBefore = new CopyOnWriteArrayList<>();
        volatile boolean unheard;
        final Ledger ledger;
        final Outbox outbox;
        final Lease lease;
        final Runs runs;

        Agent(String name) throws IOException {
            var home = directory.resolve(name);
            ledger = Ledger.open(home);
            lease =
                    new Lease(
                            wire,
                            new LeaseNote(home.resolve("lease")),
                            new LeaseHolder(LIFE, name, name + now),
                            () -> now.getEpochSecond() * 1_000_000_000L,
                            () -> now);
            outbox = new Outbox(ledger, this::send, () -> now, lease::forward);
            var gate = new LeaseGate(lease, outbox::awaitHeard, () -> now, Gate.OPEN);
            runs = new Runs(outbox, Samples::plan, gate, stages, () -> now, _ -> {}, ends());
        }

        private Runs.Ends ends() {
            return new Runs.Ends() {
                @Override
                public void succeeded(Deployment deployment) {}

                @Override
                public void openedBefore(Deployment deployment) {
                    openedBefore.add(deployment.getId());
                }
            };
        }

        /// The control plane has nothing going on.
        void hears() {
            runs.reconcile(List.of(), _ -> Optional.empty(), _ -> {});
        }

        private List<Outbox.Answer> send(List<Queued> reports) {
            return unheard
                    ? List.of(new Outbox.Answer.ComeAgain("cut off"))
                    : controlPlane.send(reports);
        }

        void look() {
            lease.look(this);
        }

        @Override
        public void forget() {
            ledger.forgetUnfinished();
        }

        @Override
        public void begin() {
            outbox.begin();
            runs.takeUp(ledger.stories());
        }

        @Override
        public void lost() {
            runs.leave();
        }

        @Override
        public boolean idle() {
            return runs.active() == 0;
        }

        @Override
        public void close() throws Exception {
            runs.close();
            outbox.close();
            ledger.close();
        }
    }
}
