// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.wait;

import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.plugin.stage.StageRun;
import java.time.Duration;
import java.util.Locale;

/// WAIT: gives metrics time to settle before the next stage.
public final class WaitStage {
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(10);

    private WaitStage() {}

    public record Options(Duration duration) {
        public Options {
            if (!duration.isPositive())
                throw new IllegalArgumentException(
                        "duration: " + told(duration) + " (expected: > 0)");
        }
    }

    public static StagePlugin plugin() {
        return StagePlugin.named("wait", stage());
    }

    public static Stage<Options> stage() {
        return Stage.of("WAIT", Options.class, WaitStage::run).reading(Reads.NOTHING);
    }

    static StageOutcome run(StageRun<Options> run) throws InterruptedException {
        var whole = run.options().duration();
        run.log("Waiting for " + told(whole) + ", until " + run.startedAt().plus(whole));
        // Counted from the recorded start, so that a restarted agent does not wait twice; then in
        // short steps, so that a clock that is set neither ends the wait nor makes it longer.
        var passed = atMost(whole, Duration.between(run.startedAt(), run.now()));
        // Told at fixed times: told again after a restart they are the same lines.
        for (var next = BETWEEN_LINES; next.compareTo(whole) < 0; next = next.plus(BETWEEN_LINES)) {
            passed = sleep(run, passed, next);
            run.log(told(next) + " of " + told(whole) + " elapsed");
        }
        var _ = sleep(run, passed, whole);
        run.success("Waited for " + told(whole));
        return new StageOutcome.Succeeded();
    }

    private static Duration sleep(StageRun<Options> run, Duration passed, Duration until)
            throws InterruptedException {
        if (passed.compareTo(until) >= 0) return passed;
        run.sleepUntil(run.now().plus(until.minus(passed)));
        return until;
    }

    /// A clock that was set back since must not count against us.
    private static Duration atMost(Duration whole, Duration passed) {
        if (passed.isNegative()) return Duration.ZERO;
        return passed.compareTo(whole) > 0 ? whole : passed;
    }

    /// As people write it: 1h30m, 5s, 200ms.
    private static String told(Duration length) {
        return length.toString().substring(2).toLowerCase(Locale.ROOT);
    }
}
