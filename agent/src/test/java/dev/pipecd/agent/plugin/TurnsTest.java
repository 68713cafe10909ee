// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class TurnsTest {
    @Test
    void whatOnlyWaitsHoldsNoPlace() throws Exception {
        var turns = new Turns(1, Map.of("stages", 1));
        var approval = turns.pass("stages");

        assertThat(approval.waits()).isFalse();
        assertThat(approval.await()).isTrue();
        assertThat(turns.take("stages", false).waits()).isFalse();
        assertThat(turns.passing("stages")).isEqualTo(1);
        approval.close();
        assertThat(turns.passing("stages")).isZero();
        assertThat(turns.running("stages")).isEqualTo(1);
        assertThat(turns.take("stages", false).waits()).isTrue();
    }

    @Test
    void twoHundredLongRunsOfOnePluginLeaveRoomForAnother() {
        var turns = new Turns(100, Map.of("slow", 500, "quick", 500));
        for (var i = 0; i < 200; i++) turns.take("slow", false);

        var other = turns.take("quick", false);

        assertThat(other.waits()).isFalse();
        assertThat(turns.running("slow")).isEqualTo(99);
        assertThat(turns.waiting("slow")).isEqualTo(101);
    }

    @Test
    void aPluginsOwnLimitHolds() {
        var turns = new Turns(100, Map.of("script", 2));

        assertThat(turns.take("script", false).waits()).isFalse();
        assertThat(turns.take("script", false).waits()).isFalse();
        assertThat(turns.take("script", false).waits()).isTrue();
    }

    @Test
    void whoWaitsLongestComesFirstAndARollbackBeforeThem() throws InterruptedException {
        var turns = new Turns(100, Map.of("script", 1));
        var holder = turns.take("script", false);
        var early = turns.take("script", false);
        var late = turns.take("script", false);
        var rollback = turns.take("script", true);

        var order = new ArrayList<String>();
        holder.close();
        for (var i = 0; i < 3; i++) {
            if (!rollback.waits() && !order.contains("rollback")) {
                order.add("rollback");
                rollback.close();
            } else if (!early.waits() && !order.contains("early")) {
                order.add("early");
                early.close();
            } else if (!late.waits()) order.add("late");
        }

        assertThat(order).containsExactly("rollback", "early", "late");
        assertThat(late.await()).isTrue();
    }

    @Test
    void ofTwoRollbacksTheOneThatWaitsLongerComesFirst() {
        var turns = new Turns(100, Map.of("script", 1));
        var holder = turns.take("script", false);
        var early = turns.take("script", true);
        var late = turns.take("script", true);

        holder.close();

        assertThat(early.waits()).isFalse();
        assertThat(late.waits()).isTrue();
        assertThat(turns.waiting("script")).isEqualTo(1);
    }

    @Test
    void aFreePlaceGoesToThePluginThatRunsLeast() {
        var turns = new Turns(4, Map.of("a", 10, "b", 10));
        var first = turns.take("a", false);
        turns.take("a", false);
        turns.take("a", false);
        var waitsLonger = turns.take("a", false);
        turns.take("b", false);
        var another = turns.take("b", false);

        first.close();

        assertThat(another.waits()).isFalse();
        assertThat(waitsLonger.waits()).isTrue();
    }

    @Test
    void oneThatIsWithdrawnNeverComesAndHoldsUpNobody() throws InterruptedException {
        var turns = new Turns(100, Map.of("script", 1));
        var holder = turns.take("script", false);
        var stopped = turns.take("script", false);
        var next = turns.take("script", false);

        stopped.withdraw();
        stopped.close();
        holder.close();

        assertThat(stopped.await()).isFalse();
        assertThat(next.await()).isTrue();
    }

    @Test
    void whoWaitsIsWokenWhenItsTurnComesAndWhenItIsWithdrawn() throws Exception {
        var turns = new Turns(100, Map.of("script", 1));
        var holder = turns.take("script", false);
        var stopped = turns.take("script", false);
        var next = turns.take("script", false);

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var heardStopped = threads.submit(stopped::await);
            var heardNext = threads.submit(next::await);
            stopped.withdraw();
            assertThat(heardStopped.get()).isFalse();
            assertThat(heardNext.isDone()).isFalse();

            holder.close();
            assertThat(heardNext.get()).isTrue();
        }
    }
}
