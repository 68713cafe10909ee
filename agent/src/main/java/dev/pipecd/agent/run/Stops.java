// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.JournalClosed;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Progress;
import dev.pipecd.domain.deployment.StageState;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stops the stages of one deployment, each until that is confirmed: what is left of a stage must
/// not meet what comes next.
final class Stops {
    private static final Logger log = LoggerFactory.getLogger(Stops.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private static final Duration LONG = Duration.ofDays(1);

    private final Set<StageId> begun = ConcurrentHashMap.newKeySet();

    private final Set<StageId> confirmed = ConcurrentHashMap.newKeySet();

    /// Stages that ended by themselves, seen by this very agent.
    private final Set<StageId> answered = ConcurrentHashMap.newKeySet();

    private final Asking asking;
    private final Hands hands;
    private final Machine.Bell bell;

    Stops(Asking asking, Hands hands, Machine.Bell bell) {
        this.asking = asking;
        this.hands = hands;
        this.bell = bell;
    }

    void begin(StageId stage, String reason) {
        if (begun.add(stage)) hands.start("stop", () -> untilConfirmed(stage, reason), _ -> {});
    }

    /// Asks once and does not insist.
    void once(StageId stage, String reason) throws InterruptedException {
        try {
            asking.stop(stage, reason);
        } catch (Problem notConfirmed) {
            log.warn("stage {} is not stopped: {}", stage, notConfirmed.told());
        }
    }

    void answered(StageId stage) {
        answered.add(stage);
    }

    /// Comes back when nothing is left of stages that ended before: also of those whose stop nobody
    /// confirmed, or whose outcome nobody knows, before or after a restart.
    void awaitQuiet(Progress progress) throws InterruptedException {
        while (!quiet(progress, LONG)) log.debug("still not quiet");
    }

    /// False when something may be left after this time.
    boolean quiet(Progress progress, Duration within) throws InterruptedException {
        progress.stages()
                .forEach((stage, state) -> {
                    if (state instanceof StageState.Done(var result)
                            && !result.accomplished()
                            && !answered.contains(stage))
                        begin(stage, "it must not meet what comes next");
                });
        return bell.await(() -> confirmed.containsAll(begun), within);
    }

    /// The plugin may be gone for long; who waits for this has a deadline of its own.
    private void untilConfirmed(StageId stage, String reason) throws InterruptedException {
        var told = "";
        for (var pause = FIRST_PAUSE; ; pause = longer(pause)) {
            try {
                asking.stop(stage, reason);
                confirmed.add(stage);
                bell.ring();
                return;
            } catch (InterruptedException | JournalClosed stopped) {
                throw stopped;
            } catch (Throwable notConfirmed) {
                var why = String.valueOf(notConfirmed.getMessage());
                if (!told.equals(why)) log.warn("stage {} is not stopped yet: {}", stage, why);
                told = why;
            }
            var _ = bell.await(() -> false, pause);
        }
    }

    private static Duration longer(Duration pause) {
        var twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
    }

    /// Asks once; throws a `Problem` when the stop is not confirmed.
    interface Asking {
        void stop(StageId stage, String reason) throws InterruptedException;
    }
}
