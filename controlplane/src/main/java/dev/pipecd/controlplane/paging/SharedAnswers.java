// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.paging;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Answers that fill the memory and are the same for many. Only few exist at once, each until the
/// last who shares it is done; those who ask meanwhile wait and share the next, which therefore
/// holds all that was there when they asked.
///
/// @param <Q> what was asked, and by whom as far as it makes a difference
public final class SharedAnswers<Q, A> {
    private static final int MOST_AT_ONCE = 2;

    private final Map<Q, Round<A>> open = new HashMap<>();
    private final Semaphore room = new Semaphore(MOST_AT_ONCE, true);

    /// Returns when `use` is done.
    public void with(Q question, Supplier<A> make, Consumer<A> use) {
        var round = join(question);
        try {
            use.accept(answer(question, round, make));
        } finally {
            leave(question, round);
        }
    }

    private Round<A> join(Q question) {
        synchronized (open) {
            var round = open.computeIfAbsent(question, _ -> new Round<>());
            round.sharers++;
            return round;
        }
    }

    /// How many share the answer that is not begun yet.
    int waiting(Q question) {
        synchronized (open) {
            var round = open.get(question);
            return round == null ? 0 : round.sharers;
        }
    }

    /// The first of a round makes it, the others wait here.
    private A answer(Q question, Round<A> round, Supplier<A> make) {
        synchronized (round) {
            if (round.answer == null) {
                if (!round.begun) begin(question, round);
                round.answer = make.get();
            }
            return Objects.requireNonNull(round.answer);
        }
    }

    /// Whoever asks from now on might miss what this round has read already.
    private void begin(Q question, Round<A> round) {
        room.acquireUninterruptibly();
        synchronized (open) {
            round.begun = true;
            open.remove(question, round);
        }
    }

    private void leave(Q question, Round<A> round) {
        synchronized (open) {
            if (--round.sharers > 0) return;
            open.remove(question, round);
            if (round.begun) room.release();
        }
    }

    private static final class Round<A> {
        private int sharers;
        private boolean begun;
        private @Nullable A answer;
    }
}
