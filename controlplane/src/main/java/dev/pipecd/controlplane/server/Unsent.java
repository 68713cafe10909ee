// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.function.LongSupplier;

/// What was answered and its callers have not taken yet, of all of them together. Given up is what
/// is not taken in time, or of which nothing is taken for a quarter of it: others may wait for its
/// place. When it is too much, what has waited longest goes, but never the last of it: a large
/// answer must be able to leave.
final class Unsent {
    /// An answer that is not gone: the call it belongs to, and all that serves it.
    static final int CALL = 8 * 1024;

    private final long most;
    private final long patienceNanos;
    private final long standstillNanos;
    private final LongSupplier nanoClock;
    private final SequencedSet<Answer> waiting = new LinkedHashSet<>();
    private long held;

    Unsent(long most, Duration patience, LongSupplier nanoClock) {
        this.most = most;
        this.patienceNanos = patience.toNanos();
        this.standstillNanos = standstill(patience).toNanos();
        this.nanoClock = nanoClock;
    }

    /// For how long nothing may be taken.
    static Duration standstill(Duration patience) {
        return patience.dividedBy(4);
    }

    /// One that leaves in parts.
    ///
    /// @param giveUp ends it; called by whoever makes it too much, on his thread
    Answer answer(Runnable giveUp) {
        return new Answer(giveUp, true);
    }

    /// One of which nothing is seen to leave before all has.
    ///
    /// @param giveUp as above
    Answer answerInOne(Runnable giveUp) {
        return new Answer(giveUp, false);
    }

    synchronized long held() {
        return held;
    }

    /// To be called now and then.
    void giveUpTheLate() {
        List<Answer> late;
        synchronized (this) {
            var now = nanoClock.getAsLong();
            late = waiting.stream().filter(answer -> answer.isLate(now)).toList();
            late.forEach(Answer::end);
        }
        late.forEach(answer -> answer.giveUp.run());
    }

    private void giveUpTooMuch() {
        var tooMuch = new ArrayList<Answer>();
        synchronized (this) {
            while (held > most && waiting.size() > 1) {
                var oldest = waiting.getFirst();
                oldest.end();
                tooMuch.add(oldest);
            }
        }
        tooMuch.forEach(answer -> answer.giveUp.run());
    }

    /// Of one call. What is long waits whenever its caller is slower than we are, each time anew.
    final class Answer {
        private final Runnable giveUp;
        private final boolean inParts;
        private long bytes;
        private long since;
        private long movedAt;
        private boolean ended;

        private Answer(Runnable giveUp, boolean inParts) {
            this.giveUp = giveUp;
            this.inParts = inParts;
        }

        private boolean isLate(long now) {
            return now - since >= patienceNanos || inParts && now - movedAt >= standstillNanos;
        }

        /// More of it waits to leave.
        void waits(long more) {
            synchronized (Unsent.this) {
                if (ended || more <= 0) return;
                if (waiting.add(this)) {
                    since = nanoClock.getAsLong();
                    movedAt = since;
                    held += CALL;
                }
                bytes += more;
                held += more;
                if (held <= most) return;
            }
            giveUpTooMuch();
        }

        /// So much of it left.
        void left(long less) {
            synchronized (Unsent.this) {
                if (ended || bytes == 0) return;
                movedAt = nanoClock.getAsLong();
                var gone = Math.min(less, bytes);
                bytes -= gone;
                held -= gone;
                if (bytes == 0 && waiting.remove(this)) held -= CALL;
            }
        }

        /// Its call is over.
        void gone() {
            synchronized (Unsent.this) {
                end();
            }
        }

        private void end() {
            if (waiting.remove(this)) held -= CALL + bytes;
            bytes = 0;
            ended = true;
        }
    }
}
