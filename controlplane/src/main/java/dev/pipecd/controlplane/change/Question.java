// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// One question of a caller, bound by its door until it is answered. Who it is, what is theirs and
/// what they want to know are looked up one after the other; how things stand now is asked once for
/// all of them. The answer is still not older than the question.
public final class Question {
    private static final ScopedValue<Question> CURRENT = ScopedValue.newInstance();

    /// One whose body arrives slowly asks again.
    private static final Duration GOOD_FOR = Duration.ofMillis(100);

    /// Nobody's: whoever looks in it looks anew each time.
    private static final Question NOBODYS = new Question(() -> 0, false);

    private final LongSupplier nanos;
    private final boolean tells;
    private volatile @Nullable Long lookedAt;

    /// @param nanos a clock that only runs forward
    /// @param tells whether its caller wants to tell something and not to know
    public Question(LongSupplier nanos, boolean tells) {
        this.nanos = nanos;
        this.tells = tells;
    }

    /// Whether the one under way only tells something: what comes of it is decided upon what stands
    /// when it is written, so who tells it may be looked up as of a moment ago.
    public static boolean isTelling() {
        return CURRENT.isBound() && CURRENT.get().tells;
    }

    /// For what is decided in a commit: it must not stand upon what was seen when the question
    /// came.
    public static void apart(Runnable step) {
        NOBODYS.during(step);
    }

    public void during(Runnable step) {
        ScopedValue.where(CURRENT, this).run(step);
    }

    public <R, X extends Throwable> R during(ScopedValue.CallableOp<R, X> step) throws X {
        return ScopedValue.where(CURRENT, this).call(step);
    }

    /// Looks, unless that was done for the question under way.
    public static void once(Runnable look) {
        if (!CURRENT.isBound() || CURRENT.get() == NOBODYS) look.run();
        else CURRENT.get().looked(look);
    }

    private void looked(Runnable look) {
        var last = lookedAt;
        var now = nanos.getAsLong();
        if (last != null && now - last < GOOD_FOR.toNanos()) return;
        look.run();
        lookedAt = now; // of its beginning, and only if it succeeded
    }
}
