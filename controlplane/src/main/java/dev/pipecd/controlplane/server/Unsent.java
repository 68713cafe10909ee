// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// What was answered and its callers have not taken yet, of all of them together. Given up is what
/// is not taken in time; and when it is too much, what has waited longest, but never the last of
/// it: a large answer must be able to leave.
final class Unsent {
    /// An answer that is not gone: the call it belongs to, and all that serves it.
    static final int CALL = 8 * 1024;

    private final long most;
    private final long patienceNanos;
    private final LongSupplier nanoClock;
    private final SequencedSet<Answer> waiting = new LinkedHashSet<>();
    private long held;

    Unsent(long most, Duration patience, LongSupplier nanoClock) {
        this.most = most;
        this.patienceNanos = patience.toNanos();
        this.nanoClock = nanoClock;
    }

    /// @param giveUp ends it; called by whoever makes it too much, on his thread
    Answer answer(Runnable giveUp) {
        return new Answer(giveUp);
    }

    synchronized long held() {
        return held;
    }

    /// To be called now and then.
    void giveUpTheLate() {
        ended(() ->
                        !waiting.isEmpty()
                                && nanoClock.getAsLong() - waiting.getFirst().since
                                        >= patienceNanos)
                .forEach(late -> late.giveUp.run());
    }

    private void giveUpTooMuch() {
        ended(() -> held > most && waiting.size() > 1).forEach(late -> late.giveUp.run());
    }

    private synchronized List<Answer> ended(BooleanSupplier more) {
        var ended = new ArrayList<Answer>();
        while (more.getAsBoolean()) {
            var oldest = waiting.getFirst();
            oldest.end();
            ended.add(oldest);
        }
        return ended;
    }

    /// Of one call. What is long waits whenever its caller is slower than we are, each time anew.
    final class Answer {
        private final Runnable giveUp;
        private long bytes;
        private long since;
        private boolean ended;

        private Answer(Runnable giveUp) {
            this.giveUp = giveUp;
        }

        /// More of it waits to leave.
        void waits(long more) {
            synchronized (Unsent.this) {
                if (ended || more <= 0) return;
                if (waiting.add(this)) {
                    since = nanoClock.getAsLong();
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
                if (ended) return;
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
