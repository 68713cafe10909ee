// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.LongSupplier;

/// What was answered and its callers have not taken yet, of all of them together. Given up is what
/// is taken too slowly, or of which nothing is taken for a quarter of the patience: others may wait
/// for its place. When it is too much, the connection that holds most gives up what waits longest
/// on it, but never what came last: a large answer must be able to leave.
final class Unsent {
    /// An answer that is not gone: the call it belongs to, and all that serves it.
    static final int CALL = 8 * 1024;

    /// Who takes so much in a second is given all the time he needs.
    static final int PACE = 32 * 1024;

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final long most;
    private final long patienceNanos;
    private final long standstillNanos;
    private final LongSupplier nanoClock;
    private final Set<Connection> holding = new LinkedHashSet<>();
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

    Connection connection() {
        return new Connection();
    }

    synchronized long held() {
        return held;
    }

    /// To be called now and then.
    void giveUpTheLate() {
        List<Answer> late;
        synchronized (this) {
            var now = nanoClock.getAsLong();
            late =
                    holding.stream()
                            .flatMap(connection -> connection.waiting.stream())
                            .filter(answer -> answer.isLate(now))
                            .toList();
            late.forEach(Answer::end);
        }
        late.forEach(answer -> answer.giveUp.run());
    }

    private void giveUpTooMuch(Answer last) {
        var tooMuch = new ArrayList<Answer>();
        synchronized (this) {
            while (held > most) {
                var next = oldestOfWhoHoldsMost(last);
                if (next.isEmpty()) break;
                next.get().end();
                tooMuch.add(next.get());
            }
        }
        tooMuch.forEach(answer -> answer.giveUp.run());
    }

    private Optional<Answer> oldestOfWhoHoldsMost(Answer spared) {
        return holding.stream()
                .filter(c -> c.waiting.size() > 1 || c.waiting.getFirst() != spared)
                .max(Comparator.comparingLong(c -> c.holds))
                .flatMap(c -> c.waiting.stream().filter(a -> a != spared).findFirst());
    }

    /// Whoever is behind it: what one heaps up must not cost another his answers.
    final class Connection {
        private final SequencedSet<Answer> waiting = new LinkedHashSet<>();
        private long holds;

        /// @param giveUp ends it; called by whoever makes it too much, on his thread
        Answer answer(Runnable giveUp) {
            return new Answer(this, giveUp);
        }

        private void counts(long more) {
            holds += more;
            held += more;
        }

        private boolean begins(Answer answer) {
            if (!waiting.add(answer)) return false;
            holding.add(this);
            counts(CALL);
            return true;
        }

        private void ends(Answer answer) {
            if (!waiting.remove(answer)) return;
            counts(-CALL);
            if (waiting.isEmpty()) holding.remove(this);
        }
    }

    /// Of one call. What is long waits whenever its caller is slower than we are, each time anew.
    final class Answer {
        private final Connection connection;
        private final Runnable giveUp;
        private long bytes;
        private long taken;
        private long since;
        private long movedAt;
        private boolean ended;

        private Answer(Connection connection, Runnable giveUp) {
            this.connection = connection;
            this.giveUp = giveUp;
        }

        private boolean isLate(long now) {
            var waited = now - since;
            return now - movedAt >= standstillNanos
                    || waited >= patienceNanos && taken < PACE * (waited / SECOND);
        }

        /// More of it waits to leave.
        void waits(long more) {
            synchronized (Unsent.this) {
                if (ended || more <= 0) return;
                if (connection.begins(this)) {
                    since = nanoClock.getAsLong();
                    movedAt = since;
                    taken = 0;
                }
                bytes += more;
                connection.counts(more);
                if (held <= most) return;
            }
            giveUpTooMuch(this);
        }

        /// So much of it left.
        void left(long less) {
            synchronized (Unsent.this) {
                if (ended || bytes == 0) return;
                movedAt = nanoClock.getAsLong();
                var gone = Math.min(less, bytes);
                taken += gone;
                bytes -= gone;
                connection.counts(-gone);
                if (bytes == 0) connection.ends(this);
            }
        }

        /// Its call is over.
        void gone() {
            synchronized (Unsent.this) {
                end();
            }
        }

        private void end() {
            connection.counts(-bytes);
            connection.ends(this);
            bytes = 0;
            ended = true;
        }
    }
}
