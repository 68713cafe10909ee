// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.wait;

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
        return Stage.of("WAIT", Options.class, WaitStage::run);
    }

    static StageOutcome run(StageRun<Options> run) throws InterruptedException {
        var start = run.startedAt(); // the recorded start: a restarted agent does not wait twice
        var end = start.plus(run.options().duration());
        run.log("Waiting for " + told(run.options().duration()) + ", until " + end);
        // Lines stand at fixed times from the start: told again after a restart they are the same
        // lines.
        for (var next = start.plus(BETWEEN_LINES);
                next.isBefore(end);
                next = next.plus(BETWEEN_LINES)) {
            run.sleepUntil(next);
            run.log(
                    told(Duration.between(start, next))
                            + " of "
                            + told(run.options().duration())
                            + " elapsed");
        }
        run.sleepUntil(end);
        run.success("Waited for " + told(run.options().duration()));
        return new StageOutcome.Succeeded();
    }

    /// As people write it: 1h30m, 5s, 200ms.
    private static String told(Duration length) {
        return length.toString().substring(2).toLowerCase(Locale.ROOT);
    }
}
