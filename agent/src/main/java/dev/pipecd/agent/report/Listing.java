// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Asks the control plane for the applications: at once when it hints that they changed, otherwise
/// as seldom as they are many, so that asking stays a small part of what both sides do. While
/// somebody would hint, asking only finds what a hint was lost of, and is done less often still.
public final class Listing {
    private static final int SHARE = 200;
    private static final int SHARE_WHILE_LINKED = 1_000;
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final Supplier<List<byte[]>> controlPlane;
    private final Applications applications;
    private final Supplier<Duration> uptime;
    private final BooleanSupplier linked;
    private volatile boolean hinted = true;
    private volatile Asked last = new Asked(Duration.ZERO, Duration.ZERO);

    /// @param uptime time that nobody can set
    /// @param linked whether the control plane would hint now
    public Listing(
            Supplier<List<byte[]>> controlPlane,
            Applications applications,
            Supplier<Duration> uptime,
            BooleanSupplier linked) {
        this.controlPlane = controlPlane;
        this.applications = applications;
        this.uptime = uptime;
        this.linked = linked;
    }

    /// They may have changed.
    public void hint() {
        hinted = true;
    }

    /// Answers whether there is one that was not known before, or is at another place now.
    public boolean refreshIfDue() {
        // Of the link as it is now: one that is gone since hints no more.
        var share = linked.getAsBoolean() ? SHARE_WHILE_LINKED : SHARE;
        return (hinted || uptime.get().compareTo(last.next(share)) >= 0) && refresh();
    }

    public boolean refresh() {
        var began = uptime.get();
        hinted = false;
        try {
            var news = applications.refreshWith(controlPlane.get());
            last = new Asked(began, uptime.get());
            return news;
        } catch (RuntimeException e) {
            // Unanswered, the hint still stands.
            hinted = true;
            throw e;
        }
    }

    private record Asked(Duration began, Duration ended) {
        /// Where 500 applications take some milliseconds, the usual minute; where 50,000 take
        /// seconds, some minutes.
        private Duration next(int share) {
            var pause = ended.minus(began).multipliedBy(share);
            return ended.plus(pause.compareTo(LONGEST) > 0 ? LONGEST : pause);
        }
    }
}
