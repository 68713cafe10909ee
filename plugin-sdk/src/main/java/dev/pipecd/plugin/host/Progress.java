// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import java.time.Duration;

/// Tells work that is slow from work that has come to a halt. Times are nanoseconds of one clock.
final class Progress {
    private final Duration silence;
    private long done;
    private long since;

    Progress(Duration silence, long done, long now) {
        this.silence = silence;
        this.done = done;
        this.since = now;
    }

    /// Nothing more has been done for longer than the silence that is allowed.
    boolean stalled(long doneNow, long now) {
        if (doneNow != done) {
            done = doneNow;
            since = now;
        }
        return now - since > silence.toNanos();
    }
}
