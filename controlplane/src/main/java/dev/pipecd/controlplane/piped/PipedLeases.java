// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.ops.LeaseStore;
import dev.pipecd.controlplane.ops.LeaseStore.Hold;
import dev.pipecd.domain.Problem;
import java.util.Optional;

/// Which of several agents started with one id acts. Kept in the store alone, so that every server
/// answers the same, also after a restart.
public final class PipedLeases {
    private static final int LONGEST_HOLDER = 200;

    private final LeaseStore store;

    public PipedLeases(LeaseStore store) {
        this.store = store;
    }

    /// Answers who holds it, after having put `next` there if `seen` still stood.
    ///
    /// @param next who shall hold it; empty text gives it back
    public Hold ask(Agent agent, Hold seen, Optional<String> next) {
        var name = "agent " + agent.piped();
        if (next.isPresent()) {
            var wanted = new Hold(fitting(next.get()), seen.term() + 1);
            if (store.replace(name, seen, wanted)) return wanted;
        }
        return store.find(name);
    }

    private static String fitting(String holder) {
        if (holder.length() <= LONGEST_HOLDER) return holder;
        throw new Problem(
                Problem.Code.REQUEST_INVALID,
                "next: %d characters (expected: at most %d)"
                        .formatted(holder.length(), LONGEST_HOLDER),
                "");
    }
}
