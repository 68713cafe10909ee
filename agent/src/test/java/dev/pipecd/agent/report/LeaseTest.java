// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two agents with one id, on a clock that the test turns.
final class LeaseTest {
    private static final Duration LIFE = Duration.ofMinutes(2);

    @TempDir Path directory;

    private final FakeOffice office = new FakeOffice();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 7); // such clocks may overflow
    private final AtomicInteger starts = new AtomicInteger();
    private Instant told = Instant.EPOCH;

    @Test
    void theFirstActsAndTheSecondWaits() {
        var one = new Agent("one");
        var other = new Agent("other");

        one.look();
        other.look();

        assertThat(one.tenant.told).containsExactly("begin");
        assertThat(one.lease.told()).isEqualTo("this agent acts under its id");
        assertThat(other.tenant.told).isEmpty();
        assertThat(other.lease.told())
                .isEqualTo("waits: another agent acts under this id: on machine-of-one");
    }

    @Test
    void theSecondTakesOverWhenTheFirstIsGoneForAWholeLifeAndNotBefore() {
        var one = new Agent("one");
        var other = new Agent("other");
        one.look();
        other.look();
        pass(LIFE.minusSeconds(1));
        other.look();
        assertThat(other.tenant.told).isEmpty();

        pass(Duration.ofSeconds(1));
        other.look();

        assertThat(other.tenant.told).containsExactly("forget", "begin");
        assertThat(other.lease.forward()).isTrue();
    }

    @Test
    void theSecondBeginsAtOnceWhenTheFirstStopsInOrderAndLeavesNothing() {
        var one = new Agent("one");
        var other = new Agent("other");
        one.look();
        other.look();

        one.stop();
        other.look();

        assertThat(other.lease.forward()).isTrue();
    }

    @Test
    void aFirstThatStopsWithWorkInHandKeepsItForItsNextStart() {
        var one = new Agent("one");
        var other = new Agent("other");
        one.look();
        one.tenant.idle = false;
        one.stop();
        other.look();
        assertThat(other.tenant.told).isEmpty();

        var again = new Agent("one");
        again.look();

        assertThat(again.tenant.told).containsExactly("begin");
        assertThat(again.lease.forward()).isTrue();
    }

    @Test
    void whoGaveItBackAndFindsItUntouchedBelievesItsJournal() {
        var one = new Agent("one");
        one.look();
        one.stop();

        var again = new Agent("one");
        again.look();

        assertThat(again.tenant.told).containsExactly("begin");
    }

    @Test
    void whoComesBackAfterAnotherActedForgetsWhatItsJournalTells() {
        var one = new Agent("one");
        var other = new Agent("other");
        one.look();
        one.stop();
        other.look();
        other.stop();

        var again = new Agent("one");
        again.look();

        assertThat(again.tenant.told).containsExactly("forget", "begin");
    }

    @Test
    void withoutRenewalForHalfItsLifeTheHolderStartsNothingForward() {
        var one = new Agent("one");
        one.look();
        one.wire.cut = true;
        pass(LIFE.dividedBy(2).minusSeconds(1));
        one.look();
        assertThat(one.lease.forward()).isTrue();

        pass(Duration.ofSeconds(1));
        one.look();

        assertThat(one.lease.forward()).isFalse();
        assertThat(one.tenant.told).containsExactly("begin");
        one.wire.cut = false;
        one.look();
        assertThat(one.lease.forward()).isTrue();
    }

    @Test
    void aHolderWhoseMachineSleptTrustsTheClockThatWentOn() {
        var one = new Agent("one");
        one.look();

        told = told.plus(LIFE);

        assertThat(one.lease.forward()).isFalse();
    }

    @Test
    void aHolderThatStoodStillIsNotAwakeByLooksThatFailBeforeTheyDidForAWholeLife() {
        var one = new Agent("one");
        one.look();
        one.wire.cut = true;
        pass(LIFE);
        one.look();
        assertThat(one.lease.isAwake()).isFalse();

        failFor(one, LIFE.minusSeconds(10));
        assertThat(one.lease.isAwake()).isFalse();
        failFor(one, Duration.ofSeconds(10));

        assertThat(one.lease.isAwake()).isTrue();
        pass(LIFE);
        one.look();
        assertThat(one.lease.isAwake()).isFalse();
        one.wire.cut = false;
        one.look();
        assertThat(one.lease.isAwake()).isTrue();
    }

    @Test
    void aHolderThatStoodStillTwiceBeginsToWakeAnew() {
        var one = new Agent("one");
        one.look();
        one.wire.cut = true;
        pass(LIFE);
        one.look();

        pass(LIFE);
        one.look();

        assertThat(one.lease.isAwake()).isFalse();
    }

    @Test
    void aHolderThatIsCutOffStaysAwakeHoweverLong() {
        var one = new Agent("one");
        one.look();
        one.wire.cut = true;

        for (var i = 0; i < 10; i++) {
            failFor(one, LIFE);
            assertThat(one.lease.isAwake()).isTrue();
        }
    }

    private void failFor(Agent one, Duration time) {
        for (var i = 0; i < time.toSeconds(); i += 10) {
            pass(Duration.ofSeconds(10));
            one.look();
        }
    }

    @Test
    void aFaultOfOursDoesNotEndTheLooks() {
        var one = new Agent("one");
        one.wire.delay =
                () -> {
                    throw new NoClassDefFoundError("Problem");
                };
        one.look();
        assertThat(one.tenant.told).isEmpty();

        one.wire.delay = () -> {};
        one.look();

        assertThat(one.tenant.told).containsExactly("begin");
    }

    @Test
    void aHolderThatWasCutOffLearnsThatAnotherTookOver() {
        var one = new Agent("one");
        var other = new Agent("other");
        one.look();
        other.look();
        one.wire.cut = true;
        pass(LIFE);
        other.look();

        one.wire.cut = false;
        one.look();

        assertThat(one.tenant.told).containsExactly("begin", "lost");
        assertThat(one.lease.forward()).isFalse();
    }

    @Test
    void anAgentStartedWhileTheControlPlaneIsAwayGoesOnButNotForward() {
        var one = new Agent("one");
        one.look();
        one.tenant.idle = false;
        one.stop();

        var again = new Agent("one");
        again.wire.cut = true;
        again.look();

        assertThat(again.tenant.told).containsExactly("begin");
        assertThat(again.lease.forward()).isFalse();
        again.wire.cut = false;
        again.look();
        assertThat(again.lease.forward()).isTrue();
    }

    @Test
    void whoKnowsThatAnotherActsDoesNotBeginWhenTheControlPlaneGoesAway() {
        var one = new Agent("one");
        var other = new Agent("other");
        one.look();
        one.wire.cut = true;
        other.look();
        pass(LIFE);
        other.look();
        var again = new Agent("one");
        again.look();

        again.wire.cut = true;
        again.look();

        assertThat(again.tenant.told).isEmpty();
    }

    @Test
    void aNewAgentWaitsForTheControlPlane() {
        var one = new Agent("one");
        one.wire.cut = true;

        one.look();

        assertThat(one.tenant.told).isEmpty();
        assertThat(one.lease.forward()).isFalse();
    }

    @Test
    void whereLeasesAreNotOfferedTheAgentActsAlsoAfterARestartWithoutControlPlane() {
        var one = new Agent("one");
        one.wire.offered = false;
        one.look();
        assertThat(one.lease.forward()).isTrue();

        var again = new Agent("one");
        again.wire.cut = true;
        again.look();

        assertThat(again.tenant.told).containsExactly("begin");
        assertThat(again.lease.forward()).isTrue();
    }

    @Test
    void aHolderWaitsAsLongAsTheOtherSaidItLives() {
        var patient = new Agent("patient", Duration.ofHours(1));
        var hasty = new Agent("hasty");
        patient.look();
        hasty.look();

        pass(LIFE.multipliedBy(2));
        hasty.look();

        assertThat(hasty.tenant.told).isEmpty();
    }

    @Test
    void whateverHappensOnTheWayNeverDoBothGoForward() {
        for (var seed = 0; seed < 300; seed++) wander(new Random(seed), seed);
    }

    /// Wires are cut, answers are late or lost, agents are killed and started again.
    private void wander(Random chance, int seed) {
        var fresh = new FakeOffice();
        var agents = new Agent[2];
        for (var i = 0; i < 2; i++) agents[i] = new Agent(seed + "-" + i, LIFE, fresh);
        for (var step = 0; step < 200; step++) {
            var i = chance.nextInt(2);
            var one = agents[i];
            switch (chance.nextInt(12)) {
                case 0 -> one.wire.cut = !one.wire.cut;
                case 1 -> agents[i] = new Agent(one.name, LIFE, fresh); // killed
                case 2 -> {
                    if (one.tenant.told.contains("lost"))
                        agents[i] = new Agent(one.name, LIFE, fresh);
                }
                case 3 -> pass(Duration.ofSeconds(chance.nextInt(90)));
                default -> {
                    one.wire.delay = () -> late(one, chance);
                    one.look();
                    pass(Duration.ofSeconds(chance.nextInt(10)));
                }
            }
            assertThat(List.of(agents[0].lease.forward(), agents[1].lease.forward()))
                    .as("seed %d step %d", seed, step)
                    .containsAnyOf(false);
        }
    }

    private void late(Agent agent, Random chance) {
        pass(Duration.ofSeconds(chance.nextInt(10)));
        if (chance.nextInt(8) == 0) agent.wire.cut = true;
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        told = told.plus(time);
    }

    private final class Agent {
        final String name;
        final FakeOffice.Wire wire;
        final RecordingTenant tenant = new RecordingTenant();
        final Lease lease;

        Agent(String name) {
            this(name, LIFE);
        }

        Agent(String name, Duration life) {
            this(name, life, office);
        }

        Agent(String name, Duration life, FakeOffice at) {
            this.name = name;
            this.wire = at.wire();
            this.lease =
                    new Lease(
                            wire,
                            new LeaseNote(directory.resolve(name)),
                            new LeaseHolder(
                                    life, "machine of " + name, "" + starts.incrementAndGet()),
                            nanos::get,
                            () -> told);
        }

        void look() {
            lease.look(tenant);
        }

        void stop() {
            lease.stop(tenant);
        }
    }
}
