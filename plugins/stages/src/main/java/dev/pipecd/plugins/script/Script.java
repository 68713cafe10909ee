// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StageRun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows one script to its end, whether this host began it or an earlier one did.
record Script(String text, Map<String, String> environment, Path directory) {
    private static final Logger log = LoggerFactory.getLogger(Script.class);
    private static final Duration LOOK = Duration.ofMillis(50);

    Script {
        environment = Map.copyOf(environment);
    }

    StageOutcome follow(StageRun<?> run) throws InterruptedException {
        var state = new RunDirectory(run.stateDirectory());
        try {
            return follow(run, state);
        } catch (CannotStart e) {
            return new StageOutcome.Failed(ended(run, state, e).told());
        } catch (IOException e) {
            return new StageOutcome.Failed(unusable(state, ended(run, state, e)));
        } catch (RuntimeException e) {
            throw ended(run, state, e);
        }
    }

    private static String unusable(RunDirectory state, IOException e) {
        return "state directory: %s: %s (expected: a folder the plugin can read and write, on a disk with room)."
                        .formatted(state.path(), e)
                + " Make room or mend its rights, then deploy again.";
    }

    /// What follows a failure, a rollback first of all, must not meet the script.
    private static <E extends Exception> E ended(StageRun<?> run, RunDirectory state, E cause)
            throws InterruptedException {
        if (Thread.interrupted() && !run.stopOrdered()) throw new InterruptedException();
        try {
            state.stop();
        } catch (IOException | RuntimeException e) {
            log.warn("The script of {} may still run; end it by hand", state.path(), e);
        }
        return cause;
    }

    private StageOutcome follow(StageRun<?> run, RunDirectory state)
            throws IOException, InterruptedException {
        var output = ScriptOutput.of(state);
        run.continueAtLine(output.lines());
        try {
            return watch(run, state, output);
        } catch (InterruptedException e) {
            // Otherwise the host leaves and the script lives on for the next one.
            if (run.stopOrdered()) {
                state.stop();
                output.forwardLast(run);
            }
            throw e;
        }
    }

    private StageOutcome watch(StageRun<?> run, RunDirectory state, ScriptOutput output)
            throws IOException, InterruptedException {
        Optional<Process> begun = Optional.empty();
        while (true) {
            switch (state.look()) {
                case Sight.NotBegun() -> {
                    if (begun.isPresent()
                            && !begun.get().isAlive()
                            && state.look() instanceof Sight.NotBegun)
                        return new StageOutcome.Failed(
                                "script: exit code %d before it began (expected: /bin/sh and a writable %s)"
                                        .formatted(begun.get().exitValue(), run.stateDirectory()));
                    if (begun.isEmpty()) begun = Optional.of(state.begin(this));
                }
                case Sight.Going() -> output.forward(run);
                case Sight.Ended(var code) -> {
                    state.keepEnd();
                    output.forwardAll(run);
                    return ended(run, code);
                }
                case Sight.Stopped() -> {
                    // The host that began the stop may have died over it.
                    state.stop();
                    output.forwardAll(run);
                    return new StageOutcome.Failed("the script was stopped");
                }
                case Sight.Lost() -> {
                    // Only its wrapper may be gone: a rollback must not meet the rest.
                    var left = state.endAll();
                    output.forwardAll(run);
                    return new StageOutcome.Failed(lost(left));
                }
            }
            pause(run, begun);
        }
    }

    /// Until there may be more to see. One that this host began tells its end by itself.
    private static void pause(StageRun<?> run, Optional<Process> begun)
            throws InterruptedException {
        if (begun.isPresent() && begun.get().isAlive())
            begun.get().waitFor(LOOK.toMillis(), TimeUnit.MILLISECONDS);
        else run.sleepUntil(run.now().plus(LOOK));
    }

    private static String lost(boolean left) {
        return "the outcome of the script cannot be known: it was begun, is gone and left no exit code"
                + " (was the machine restarted?). It is not run a second time"
                + (left ? "; what it had started still ran and was ended" : "");
    }

    private static StageOutcome ended(StageRun<?> run, int code) {
        if (code != 0) return new StageOutcome.Failed("the script ended with exit code " + code);
        run.success("The script ended with exit code 0");
        return new StageOutcome.Succeeded();
    }
}
