// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import java.time.LocalDate;

/// The sums of one day in UTC.
public record Day(LocalDate date, Sums sums) {

    /// @param completed however they ended
    public record Sums(long completed, long failed, Span lead, Span restore) {
        static final Sums NONE = new Sums(0, 0, new Span(0, 0), new Span(0, 0));

        public Sums plus(Sums other) {
            return new Sums(
                    completed + other.completed,
                    failed + other.failed,
                    lead.plus(other.lead),
                    restore.plus(other.restore));
        }
    }

    /// Lengths of time, to make a mean of.
    public record Span(long count, long seconds) {
        Span plus(Span other) {
            return new Span(count + other.count, seconds + other.seconds);
        }

        double mean() {
            return count == 0 ? 0 : (double) seconds / count;
        }
    }
}
