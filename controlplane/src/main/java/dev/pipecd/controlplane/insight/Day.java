// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import java.time.LocalDate;

/// The sums of one day in UTC.
public record Day(LocalDate date, Sums sums) {

    /// @param completed however they ended
    public record Sums(long completed, long failed, Span lead, Span restore) {
        static final Sums NONE = new Sums(0, 0, new Span(0, 0), new Span(0, 0));

        /// Of one delivery.
        ///
        /// @param leadTime seconds, as `restoreTime`; below zero where there is nothing to tell
        public static Sums of(boolean failed, long leadTime, long restoreTime) {
            return new Sums(1, failed ? 1 : 0, Span.of(leadTime), Span.of(restoreTime));
        }

        /// Of one that restored what had failed.
        public Sums restored(long time) {
            return new Sums(completed, failed, lead, Span.of(time));
        }

        /// What takes it away again.
        public Sums negated() {
            return new Sums(-completed, -failed, lead.negated(), restore.negated());
        }

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
        private static Span of(long seconds) {
            return seconds < 0 ? new Span(0, 0) : new Span(1, seconds);
        }

        private Span negated() {
            return new Span(-count, -seconds);
        }

        Span plus(Span other) {
            return new Span(count + other.count, seconds + other.seconds);
        }

        double mean() {
            return count == 0 ? 0 : (double) seconds / count;
        }
    }
}
