// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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
    private final InstantSource clock;
    private final BooleanSupplier linked;
    private volatile boolean hinted = true;
    private volatile Asked last = new Asked(Instant.EPOCH, Instant.EPOCH);

    /// @param linked whether the control plane would hint now
    public Listing(
            Supplier<List<byte[]>> controlPlane,
            Applications applications,
            InstantSource clock,
            BooleanSupplier linked) {
        this.controlPlane = controlPlane;
        this.applications = applications;
        this.clock = clock;
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
        return (hinted || !clock.instant().isBefore(last.next(share))) && refresh();
    }

    public boolean refresh() {
        var began = clock.instant();
        hinted = false;
        try {
            var news = applications.refreshWith(controlPlane.get());
            last = new Asked(began, clock.instant());
            return news;
        } catch (RuntimeException e) {
            // Unanswered, the hint still stands.
            hinted = true;
            throw e;
        }
    }

    private record Asked(Instant began, Instant ended) {
        /// Where 500 applications take some milliseconds, the usual minute; where 50,000 take
        /// seconds, some minutes.
        private Instant next(int share) {
            var pause = Duration.between(began, ended).multipliedBy(share);
            return ended.plus(pause.compareTo(LONGEST) > 0 ? LONGEST : pause);
        }
    }
}
