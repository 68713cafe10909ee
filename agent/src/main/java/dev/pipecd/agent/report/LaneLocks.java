// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/// Keeps the order within each lane; lanes may share a lock.
final class LaneLocks {
    private final Object[] locks = Stream.generate(Object::new).limit(64).toArray();

    /// One at a time on each of the lanes.
    void during(List<String> lanes, Runnable work) {
        // Always in the same order, or two would wait for each other.
        during(lanes.stream().map(this::place).distinct().sorted().iterator(), work);
    }

    private void during(Iterator<Integer> places, Runnable work) {
        if (!places.hasNext()) {
            work.run();
            return;
        }
        synchronized (locks[places.next()]) {
            during(places, work);
        }
    }

    Object of(String lane) {
        return locks[place(lane)];
    }

    private int place(String lane) {
        return Math.floorMod(lane.hashCode(), locks.length);
    }
}
