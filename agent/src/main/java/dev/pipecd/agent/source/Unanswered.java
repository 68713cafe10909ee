// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// What a server was asked in vain: whoever asks soon after is told the same at once, and need not
/// wait for as long as the first did. For one thread at a time.
final class Unanswered {
    private final InstantSource clock;
    private @Nullable Problem problem;
    private Instant at = Instant.EPOCH;

    Unanswered(InstantSource clock) {
        this.clock = clock;
    }

    /// @param again after how long the server is asked again
    boolean asking(Duration again, BooleanSupplier question) {
        if (problem != null && !isOver(at, again, clock.instant())) throw problem;
        try {
            var answer = question.getAsBoolean();
            forget();
            return answer;
        } catch (Problem e) {
            // Whom the close interrupted has not heard what the server says, and our own disk may
            // have room again by the next question.
            if (Health.isAway(e) && !Thread.currentThread().isInterrupted()) {
                problem = e;
                at = clock.instant();
            }
            throw e;
        }
    }

    void forget() {
        problem = null;
    }

    /// Whether so long has passed since then. Of a clock that was set back nobody can tell.
    static boolean isOver(Instant since, Duration wait, Instant now) {
        return now.isBefore(since) || !now.isBefore(since.plus(wait));
    }
}
