// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StageRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// Follows one script to its end, whether this host began it or an earlier one did.
record Script(String text, Map<String, String> environment, Path directory) {
    private static final Duration LOOK = Duration.ofMillis(50);

    Script {
        environment = Map.copyOf(environment);
    }

    StageOutcome follow(StageRun<?> run) throws InterruptedException {
        var state = new RunDirectory(run.stateDirectory());
        var output = ScriptOutput.of(state);
        run.continueAtLine(output.lines());
        try {
            return follow(run, state, output);
        } catch (IOException e) {
            throw ended(run, state, new UncheckedIOException(e));
        } catch (RuntimeException e) {
            throw ended(run, state, e);
        } catch (InterruptedException e) {
            // Otherwise the host leaves and the script lives on for the next one.
            if (run.stopOrdered()) {
                state.stop();
                output.forwardLast(run);
            }
            throw e;
        }
    }

    /// What follows a failure, a rollback first of all, must not meet the script.
    private static RuntimeException ended(
            StageRun<?> run, RunDirectory state, RuntimeException cause)
            throws InterruptedException {
        if (Thread.interrupted() && !run.stopOrdered()) throw new InterruptedException();
        try {
            state.stop();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
        return cause;
    }

    private StageOutcome follow(StageRun<?> run, RunDirectory state, ScriptOutput output)
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
                    output.forwardAll(run);
                    return ended(run, code);
                }
                case Sight.Stopped() -> {
                    output.forwardAll(run);
                    return new StageOutcome.Failed("the script was stopped");
                }
                case Sight.Lost() -> {
                    output.forwardAll(run);
                    return new StageOutcome.Failed(
                            "the outcome of the script cannot be known: it was begun, is gone and left no exit code"
                                    + " (was the machine restarted?). It is not run a second time");
                }
            }
            run.sleepUntil(run.now().plus(LOOK));
        }
    }

    private static StageOutcome ended(StageRun<?> run, int code) {
        if (code != 0) return new StageOutcome.Failed("the script ended with exit code " + code);
        run.success("The script ended with exit code 0");
        return new StageOutcome.Succeeded();
    }
}
