// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.agent.journal.Entry.Queued;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Reports that arrive in order. Only `Outbox` changes it, with its lock.
final class Lane {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    /// Reports of a lane that go together: more would make the others wait for longer, and a large
    /// message might not be taken at all.
    private static final int MOST = 20;

    private static final long MOST_BYTES = 1 << 20;

    final String name;
    final Deque<Queued> reports = new ArrayDeque<>();

    /// It stands in line, is being carried, or rests.
    boolean served;

    private volatile Duration pause = FIRST_PAUSE;

    Lane(String name) {
        this.name = name;
    }

    /// The first, and what may go with it.
    List<Queued> together() {
        var together = new ArrayList<Queued>();
        var size = 0L;
        for (var report : reports) {
            size += report.body().length;
            if (!together.isEmpty() && (together.size() == MOST || size > MOST_BYTES)) break;
            together.add(report);
        }
        return together;
    }

    /// Until it is tried again.
    Duration pause() {
        return pause;
    }

    void pausesLonger() {
        var twice = pause.multipliedBy(2);
        pause = twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
    }

    void getsThrough() {
        pause = FIRST_PAUSE;
    }
}
