// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// Asks the control plane for the applications: at once when it hints that they changed, otherwise
/// as seldom as they are many, so that asking stays a small part of what both sides do.
public final class Listing {
    private static final int SHARE = 200;
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final ControlPlaneClient controlPlane;
    private final Applications applications;
    private final InstantSource clock;
    private volatile boolean hinted = true;
    private volatile Instant next = Instant.EPOCH;

    public Listing(
            ControlPlaneClient controlPlane, Applications applications, InstantSource clock) {
        this.controlPlane = controlPlane;
        this.applications = applications;
        this.clock = clock;
    }

    /// They may have changed.
    public void hint() {
        hinted = true;
    }

    /// Answers whether there is one that was not known before, or is at another place now.
    public boolean refreshIfDue() {
        return (hinted || !clock.instant().isBefore(next)) && refresh();
    }

    public boolean refresh() {
        var began = clock.instant();
        hinted = false;
        try {
            var news = applications.refreshWith(controlPlane.applications());
            next = next(began, clock.instant());
            return news;
        } catch (RuntimeException e) {
            // Unanswered, the hint still stands.
            hinted = true;
            throw e;
        }
    }

    /// Where 500 applications take some milliseconds, the usual minute; where 50,000 take seconds,
    /// some minutes.
    static Instant next(Instant began, Instant ended) {
        var pause = Duration.between(began, ended).multipliedBy(SHARE);
        return ended.plus(pause.compareTo(LONGEST) > 0 ? LONGEST : pause);
    }
}
