// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/// Whose stage may run now. A plugin has a limit of its own and shares one with all; whoever runs
/// least comes first, and the last free places are kept for plugins that run nothing.
final class Turns {
    private final Map<String, Lane> lanes = new LinkedHashMap<>();
    private final int total;
    private int running;

    /// @param total how many stages run at once; never fewer than there are plugins
    Turns(int total, Map<String, Integer> limits) {
        this.total = Math.max(total, limits.size());
        limits.forEach((plugin, limit) -> lanes.put(plugin, new Lane(limit)));
    }

    private static final class Lane {
        private final int limit;

        /// They come first, each in its turn: one that waits must not wait behind those to come.
        private final ArrayDeque<Turn> rollbacks = new ArrayDeque<>();

        private final ArrayDeque<Turn> waiting = new ArrayDeque<>();
        private int running;
        private int passing;

        private Lane(int limit) {
            this.limit = limit;
        }

        private ArrayDeque<Turn> next() {
            return rollbacks.isEmpty() ? waiting : rollbacks;
        }

        private void remove(Turn turn) {
            if (!rollbacks.remove(turn)) waiting.remove(turn);
        }
    }

    /// A place for one stage: waited for, then held until it is closed.
    final class Turn implements AutoCloseable {
        private final Lane lane;

        /// Of its own: to wake all that wait at each change would cost more than the stages.
        private final CountDownLatch settled = new CountDownLatch(1);

        private boolean granted;
        private boolean counted;
        private boolean passes;
        private boolean withdrawn;

        private Turn(Lane lane) {
            this.lane = lane;
        }

        boolean waits() {
            synchronized (Turns.this) {
                return !granted && !withdrawn;
            }
        }

        /// Whether it came; not when it was withdrawn before.
        boolean await() throws InterruptedException {
            settled.await();
            synchronized (Turns.this) {
                return granted;
            }
        }

        /// Whoever still waits waits no longer.
        void withdraw() {
            synchronized (Turns.this) {
                if (granted) return;
                withdrawn = true;
                lane.remove(this);
                settled.countDown();
            }
        }

        @Override
        public void close() {
            synchronized (Turns.this) {
                lane.remove(this);
                if (counted) {
                    lane.running--;
                    running--;
                }
                if (passes) lane.passing--;
                granted = false;
                counted = false;
                passes = false;
                grant();
            }
        }
    }

    /// @param first before those that wait already: a rollback ends harm
    synchronized Turn take(String plugin, boolean first) {
        var lane = lane(plugin);
        var turn = new Turn(lane);
        (first ? lane.rollbacks : lane.waiting).addLast(turn);
        grant();
        return turn;
    }

    /// For one that does nothing but wait, perhaps for somebody who forgot it: it has its turn at
    /// once, and takes no place.
    synchronized Turn pass(String plugin) {
        var turn = new Turn(lane(plugin));
        turn.granted = true;
        turn.passes = true;
        turn.lane.passing++;
        turn.settled.countDown();
        return turn;
    }

    private void grant() {
        for (var next = next(); next.isPresent(); next = next()) {
            var lane = next.get();
            var turn = lane.next().removeFirst();
            turn.granted = true;
            turn.counted = true;
            turn.settled.countDown();
            lane.running++;
            running++;
        }
    }

    private Optional<Lane> next() {
        return lanes.values().stream()
                .filter(lane -> !lane.next().isEmpty() && lane.running < lane.limit)
                .filter(lane -> running + keptFor(lane) < total)
                .min(Comparator.comparingInt(lane -> lane.running));
    }

    /// Places that other plugins, which run nothing now, must find free.
    private int keptFor(Lane lane) {
        return (int) lanes.values().stream().filter(l -> l != lane && l.running == 0).count();
    }

    synchronized int running(String plugin) {
        return lane(plugin).running;
    }

    /// Those that do nothing but wait, which take no place.
    synchronized int passing(String plugin) {
        return lane(plugin).passing;
    }

    synchronized int waiting(String plugin) {
        var lane = lane(plugin);
        return lane.rollbacks.size() + lane.waiting.size();
    }

    private Lane lane(String plugin) {
        return lanes.computeIfAbsent(plugin, _ -> new Lane(total));
    }
}
