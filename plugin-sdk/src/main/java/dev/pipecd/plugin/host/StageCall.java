// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.host.options.OptionsReader;
import dev.pipecd.plugin.host.role.Readable;
import dev.pipecd.plugin.stage.Severity;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.TargetResult;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.plugin.deployment.ExecutePluginInput;
import dev.pipecd.wire.plugin.deployment.ExecuteStageResponse;
import io.grpc.Status;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One stage at work on a thread of its own, and the call that waits for its end.
final class StageCall {
    private static final Logger log = LoggerFactory.getLogger(StageCall.class);

    /// Without a single line taken.
    private static final Duration LAST_LINES = Duration.ofSeconds(30);

    private static final Duration LAST_LINES_WHEN_STOPPED = Duration.ofSeconds(5);
    private static final Duration LAST_LINES_WHEN_LEAVING = Duration.ofSeconds(2);

    private static final StageOutcome NONE =
            new StageOutcome.Failed(
                    "outcome: none (expected: succeeded, failed, skipped or exited). This is a fault of the plugin: tell its author.");

    private final Stage<?> stage;
    private final ExecutePluginInput input;
    private final StageEdge edge;
    private final StageKey key;
    private final Thread thread;
    private final CountDownLatch ended = new CountDownLatch(1);
    private Caller caller;
    private Stop stop = new Stop.Not();
    private boolean working = true;

    /// Why the work is to end before its time.
    private sealed interface Stop {
        record Not() implements Stop {}

        record Left() implements Stop {}

        record Ordered(String reason) implements Stop {}
    }

    StageCall(
            Stage<?> stage,
            ExecutePluginInput input,
            StageEdge edge,
            Caller caller,
            Consumer<StageCall> whenOver) {
        this.stage = stage;
        this.input = input;
        this.edge = edge;
        this.caller = caller;
        this.key = new StageKey(input.getDeployment().getId(), input.getStage().getId());
        this.thread =
                Thread.ofVirtual().name("stage-" + key.stage()).unstarted(() -> run(whenOver));
    }

    void start() {
        thread.start();
        caller.servedBy(this);
    }

    StageKey key() {
        return key;
    }

    /// A newer call takes the older one's place; false when the stage is about to end.
    boolean attach(Caller newer) {
        Caller older;
        synchronized (this) {
            if (!working || !(stop instanceof Stop.Not)) return false;
            older = caller;
            caller = newer;
        }
        older.refuse(Status.ABORTED.withDescription("a newer call for this stage took over"));
        newer.servedBy(this);
        return true;
    }

    void callerGone(Caller gone) {
        synchronized (this) {
            if (caller != gone) return;
        }
        if (gone.stopsExplicitly()) leave();
        else order("the agent cancelled the call");
    }

    void leave() {
        interrupt(new Stop.Left());
    }

    void order(String reason) {
        interrupt(new Stop.Ordered(reason));
    }

    private synchronized void interrupt(Stop why) {
        // Leaving may still become a stop, never the other way round.
        if (stop instanceof Stop.Ordered || !working) return;
        stop = why;
        thread.interrupt();
    }

    boolean awaitEnd(Duration bound) throws InterruptedException {
        return ended.await(bound.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized boolean stopOrdered() {
        return stop instanceof Stop.Ordered;
    }

    private synchronized Stop workOver() {
        working = false;
        // A stop that came too late must not cut off the last lines.
        var _ = Thread.interrupted();
        return stop;
    }

    private void run(Consumer<StageCall> whenOver) {
        Optional<ExecuteStageResponse> answer = Optional.empty();
        try {
            answer = performed();
        } finally {
            try {
                over(answer);
            } finally {
                whenOver.accept(this);
                ended.countDown();
            }
        }
    }

    private Optional<ExecuteStageResponse> performed() {
        try {
            return perform(stage);
        } catch (InterruptedException e) {
            log.debug("Stage {} was interrupted before it began", key.stage());
            return Optional.empty();
        } catch (Problem e) {
            if (stoppedBy(e)) return Optional.empty();
            log.warn("Stage {} cannot run: {}", key.stage(), e.told());
            return Optional.of(Outcomes.answer(StageStatus.STAGE_FAILURE, e.told()));
        } catch (Throwable e) {
            return stoppedBy(e)
                    ? Optional.empty()
                    : Optional.of(Outcomes.answer(StageStatus.STAGE_FAILURE, broken(e)));
        }
    }

    private void over(Optional<ExecuteStageResponse> answer) {
        var why = workOver();
        if (answer.isPresent() || why instanceof Stop.Ordered)
            edge.state().ended(key, edge.clock().instant());
        Caller waiting;
        synchronized (this) {
            waiting = caller;
        }
        if (answer.isPresent()) waiting.answer(answer.get());
        else if (why instanceof Stop.Ordered(var reason))
            waiting.answer(Outcomes.answer(StageStatus.STAGE_CANCELLED, reason));
        else
            waiting.refuse(
                    Status.UNAVAILABLE.withDescription(
                            "the plugin host leaves; call again to carry on"));
    }

    private String broken(Throwable e) {
        log.error("Stage {} of deployment {} broke", key.stage(), key.deployment(), e);
        return "the plugin broke: " + name(e) + ". See the plugin host's log.";
    }

    /// A full disk or a file that cannot be read is told in words; an address may hold a secret.
    private static String name(Throwable e) {
        for (var cause = e; cause != null; cause = cause.getCause())
            if (cause instanceof IOException && !cause.toString().contains("://"))
                return cause.toString();
        return e.getClass().getSimpleName();
    }

    private <O> Optional<ExecuteStageResponse> perform(Stage<O> typed) throws InterruptedException {
        var first = edge.state().create(key);
        var start = StageStart.of(input.getStage(), key, edge, !first);
        var lines =
                new StageLog(key, start.at(), edge.agent(), edge.clock(), this::stopOrdered).open();
        start.checkpoint().ifPresent(point -> lines.continueAt(point.line()));
        try {
            var outcome = outcome(typed, start, lines);
            workOver();
            keep(outcome.targets());
            Outcomes.reason(outcome)
                    .ifPresent(reason -> lines.addLast(Outcomes.severity(outcome), reason));
            lines.complete(LAST_LINES);
            return Optional.of(Outcomes.answer(outcome));
        } catch (InterruptedException e) {
            switch (workOver()) {
                case Stop.Ordered(var reason) -> {
                    lines.addLast(Severity.ERROR, "stopped: " + reason);
                    lines.end(true, LAST_LINES_WHEN_STOPPED);
                }
                case Stop.Left(), Stop.Not() -> lines.end(false, LAST_LINES_WHEN_LEAVING);
            }
            return Optional.empty();
        } catch (RuntimeException | Error e) {
            // An outcome with a hole in it breaks when it is told; its log must not stay open.
            var reason = broken(e);
            lines.addLast(Severity.ERROR, reason);
            lines.end(true, LAST_LINES_WHEN_STOPPED);
            return Optional.of(Outcomes.answer(StageStatus.STAGE_FAILURE, reason));
        }
    }

    private <O> StageOutcome outcome(Stage<O> typed, StageStart start, StageLog lines)
            throws InterruptedException {
        try {
            edge.served().requireTargets(input.getDeployment());
            var options = OptionsReader.read(input.getStageConfig().toByteArray(), typed.options());
            var run =
                    new HostedRun<>(
                            options,
                            Readable.of(typed),
                            input,
                            edge,
                            start,
                            lines,
                            this::stopOrdered);
            return Optional.ofNullable(typed.work().run(run)).orElse(NONE);
        } catch (Problem e) {
            if (stoppedBy(e)) throw new InterruptedException();
            log.warn("Stage {} failed: {}", key.stage(), e.told());
            return new StageOutcome.Failed(e.told());
        } catch (Throwable e) {
            // Also an Error, as of a class left out of the pack: a stage without an end would
            // stand as running until its time-out.
            if (stoppedBy(e)) throw new InterruptedException();
            return new StageOutcome.Failed(broken(e));
        }
    }

    /// File channels answer an interrupt in their own way, and people wrap it. One that nobody here
    /// ordered, as of their own threads, is a failure like any other.
    private synchronized boolean stoppedBy(Throwable e) {
        if (stop instanceof Stop.Not) return false;
        for (var cause = e; cause != null; cause = cause.getCause())
            if (cause instanceof ClosedByInterruptException
                    || cause instanceof InterruptedException) return true;
        return false;
    }

    /// The results are also in the answer: an agent that does not keep them does not fail the
    /// stage.
    private void keep(List<TargetResult> targets) throws InterruptedException {
        if (targets.isEmpty()) return;
        try {
            edge.agent().putStageMetadata(key, Map.of(Outcomes.TARGETS, Outcomes.json(targets)));
        } catch (Problem e) {
            log.warn("Results of targets of stage {} are not kept: {}", key.stage(), e.told());
        }
    }
}
