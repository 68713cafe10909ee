// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.domain.Problem;
import java.util.Optional;

/// Keeps one lease as the control plane does; each agent has a wire to it that can be cut.
public final class FakeOffice {
    private LeaseOffice.Hold stands = LeaseOffice.Hold.NOBODYS;

    public Wire wire() {
        return new Wire();
    }

    /// How one agent reaches it.
    public final class Wire implements LeaseOffice {
        public volatile boolean cut;
        public volatile boolean offered = true;

        /// What happens on the way there and on the way back.
        Runnable delay = () -> {};

        @Override
        public Optional<Hold> stands() {
            travel();
            return offered ? Optional.of(read()) : Optional.empty();
        }

        @Override
        public Hold take(Hold seen, String holder) {
            travel();
            var after = replace(seen, holder);
            travel();
            return after;
        }

        private void travel() {
            delay.run();
            if (cut)
                throw new Problem(
                        Problem.Code.CONTROL_PLANE_UNREACHABLE, "control plane: away", "");
        }
    }

    private synchronized LeaseOffice.Hold read() {
        return stands;
    }

    private synchronized LeaseOffice.Hold replace(LeaseOffice.Hold seen, String holder) {
        if (stands.equals(seen)) stands = new LeaseOffice.Hold(holder, seen.term() + 1);
        return stands;
    }
}
