// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.ops.Lease;
import dev.pipecd.controlplane.ops.LeaseStore.Hold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// One turn and several processes that want it, on every engine.
@ParameterizedClass
@EnumSource(TestEngine.class)
class LeaseContractTest {
    private static final Duration LIFE = Duration.ofSeconds(30);

    private final TestEngine engine;
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 7); // such clocks may overflow
    private Replicas replicas;
    private Lease one;
    private Lease other;

    LeaseContractTest(TestEngine engine) {
        this.engine = engine;
    }

    @BeforeEach
    void open() {
        replicas = engine.replicas();
        one = lease(replicas.here(), "one");
        other = lease(replicas.there(), "other");
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    private Lease lease(Database database, String holder) {
        return new Lease(new LeaseTable(database), "chores", holder, LIFE, nanos::get);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void whoComesFirstHasTheTurnAndKeepsItByLookingIn() {
        one.look();
        for (var i = 0; i < 10; i++) {
            pass(Duration.ofSeconds(20));
            other.look();
            one.look();
        }

        assertThat(one.mine()).isTrue();
        assertThat(other.mine()).isFalse();
    }

    @Test
    void aDeadHoldersTurnIsTakenOverAfterItsLifeAndNotBefore() {
        one.look();
        other.look();
        pass(LIFE.minusSeconds(1));
        other.look();
        assertThat(other.mine()).isFalse();

        pass(Duration.ofSeconds(1));
        other.look();

        assertThat(other.mine()).isTrue();
    }

    @Test
    void aHolderThatCouldNotLookInStopsBeforeAnotherMayBegin() {
        one.look();
        pass(LIFE);
        assertThat(one.mine()).isFalse();
        other.look(); // sees the term for the first time: it may have grown a moment ago
        assertThat(other.mine()).isFalse();

        one.look();

        assertThat(one.mine()).isTrue();
    }

    @Test
    void aHolderThatSleptTooLongSeesThatTheTurnIsAnothers() {
        one.look();
        other.look();
        pass(LIFE);
        other.look();

        one.look();

        assertThat(one.mine()).isFalse();
        assertThat(other.mine()).isTrue();
    }

    @Test
    void aTurnThatIsGivenBackIsTakenAtOnce() {
        one.look();
        other.look();
        one.close();

        other.look();

        assertThat(one.mine()).isFalse();
        assertThat(other.mine()).isTrue();
    }

    @Test
    void ofManyWhoReachForItAtOnceOneGetsIt() throws Exception {
        var all = new ArrayList<Lease>();
        for (var i = 0; i < 16; i++)
            all.add(lease(i % 2 == 0 ? replicas.here() : replicas.there(), "holder " + i));

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var looks =
                    all.stream()
                            .map(lease -> threads.submit((Callable<?>) looking(lease)))
                            .toList();
            for (var look : looks) look.get();
        }

        assertThat(all.stream().filter(Lease::mine)).hasSize(1);
    }

    private static Callable<Boolean> looking(Lease lease) {
        return () -> {
            lease.look();
            return true;
        };
    }

    @Test
    void whatAnotherHasReplacedIsNotReplacedAgain() {
        var table = new LeaseTable(replicas.here());
        assertThat(table.replace("chores", Hold.NOBODYS, new Hold("one", 1))).isTrue();

        assertThat(
                        new LeaseTable(replicas.there())
                                .replace("chores", Hold.NOBODYS, new Hold("other", 1)))
                .isFalse();
        assertThat(new LeaseTable(replicas.there()).find("chores")).isEqualTo(new Hold("one", 1));
    }
}
