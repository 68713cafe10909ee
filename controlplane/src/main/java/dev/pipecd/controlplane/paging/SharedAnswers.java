// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.paging;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Answers that are costly to make and the same for many: those who ask while one is being made
/// wait and share the next, which therefore holds all that was there when they asked.
///
/// @param <Q> what was asked, and by whom as far as it makes a difference
public final class SharedAnswers<Q, A> {
    private static final int MOST_AT_ONCE = 2;

    private final Map<Q, Round<A>> open = new HashMap<>();
    private final Semaphore making = new Semaphore(MOST_AT_ONCE, true);

    public A get(Q question, Supplier<A> make) {
        Round<A> round;
        synchronized (open) {
            round = open.computeIfAbsent(question, _ -> new Round<>());
        }
        making.acquireUninterruptibly();
        try {
            // Whoever asks from now on might miss what this one has read already.
            synchronized (open) {
                open.remove(question, round);
            }
            return round.made(make);
        } finally {
            making.release();
        }
    }

    private static final class Round<A> {
        private @Nullable A answer;

        synchronized A made(Supplier<A> make) {
            if (answer == null) answer = make.get();
            return Objects.requireNonNull(answer);
        }
    }
}
