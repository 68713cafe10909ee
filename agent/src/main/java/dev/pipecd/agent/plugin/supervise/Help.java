// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import java.util.HashSet;
import java.util.Set;

/// What the agent does for a process that waits for it meanwhile, such as installing a tool: that
/// time is not the process's own. Times are nanoseconds of one clock.
final class Help {
    private final Set<Object> underWay = new HashSet<>();
    private long over;

    /// A new process: what was done for the one before is not for it.
    synchronized void restart(long now) {
        underWay.clear();
        over = now;
    }

    /// Answers what tells one from another.
    synchronized Object begin() {
        var help = new Object();
        underWay.add(help);
        return help;
    }

    /// False when it was for a process that is gone.
    synchronized boolean end(Object help, long now) {
        if (!underWay.remove(help)) return false;
        over = now;
        return true;
    }

    /// For how long the process is on its own.
    synchronized long alone(long now) {
        return underWay.isEmpty() ? now - over : 0;
    }
}
