// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import java.util.HashSet;
import java.util.Set;

/// What the agent does for a process that waits for it meanwhile, such as installing a tool: that
/// time is not the process's own. Times are nanoseconds of one clock.
final class Help {
    private final long most;
    private final Set<Object> underWay = new HashSet<>();
    private long since;
    private long sum;
    private long began;
    private long before;

    /// @param most so much of it is granted to one process
    Help(long most) {
        this.most = most;
    }

    /// A new process: what was done for the one before is not for it.
    synchronized void restart(long now) {
        sum = helped(now);
        underWay.clear();
        began = now;
        before = sum;
    }

    /// Answers what tells one from another.
    synchronized Object begin(long now) {
        if (underWay.isEmpty()) since = now;
        var help = new Object();
        underWay.add(help);
        return help;
    }

    /// False when it was for a process that is gone.
    synchronized boolean end(Object help, long now) {
        var helped = helped(now);
        if (!underWay.remove(help)) return false;
        if (underWay.isEmpty()) sum = helped;
        return true;
    }

    /// For how long something was done, for this process and those before.
    synchronized long helped(long now) {
        return underWay.isEmpty() ? sum : sum + now - since;
    }

    /// How much of its life the process was on its own.
    synchronized long alone(long now) {
        return now - began - Math.min(most, helped(now) - before);
    }
}
