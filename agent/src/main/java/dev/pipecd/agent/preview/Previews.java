// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.PlanPreviewCommandResult;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries out orders for previews, a few at a time, each with a time limit, and calls off those
/// that nobody waits for any more. One that a crash broke off is ordered still, and begun again.
public final class Previews implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Previews.class);

    private static final String TOO_LATE = "no result within the time limit of the preview";

    private final Preview preview;
    private final Outbox outbox;
    private final Semaphore workers;
    private final Duration usualLimit;
    private final Counting counting;
    private final InstantSource clock;
    private final Map<CommandId, Work> underWay = new ConcurrentHashMap<>();
    private volatile boolean closed;

    public Previews(
            Preview preview,
            Outbox outbox,
            PipedConfig.PlanPreview settings,
            Counting counting,
            InstantSource clock) {
        this.preview = preview;
        this.outbox = outbox;
        this.workers = new Semaphore(Math.max(1, settings.workers()));
        this.usualLimit = settings.commandHandleTimeout();
        this.counting = counting;
        this.clock = clock;
    }

    /// Told of each order and of how it ended.
    public interface Counting {
        void received();

        void handled(boolean well, Duration took);
    }

    /// An order that is being carried out.
    private static final class Work {
        private final Command command;
        private final Thread thread;
        private final Instant begun;
        private volatile boolean late;
        private volatile boolean calledOff;

        private Work(Command command, Instant begun, Consumer<Work> how) {
            this.command = command;
            this.begun = begun;
            this.thread = Thread.ofVirtual().name("preview").unstarted(() -> how.accept(this));
        }
    }

    public void take(Command command) {
        var work = new Work(command, clock.instant(), this::carryOut);
        if (closed || underWay.putIfAbsent(new CommandId(command.getId()), work) != null) return;
        counting.received();
        work.thread.start();
        Thread.ofVirtual().name("preview-limit").start(() -> watch(work));
    }

    /// What is being carried out now.
    public Set<CommandId> underWay() {
        return Set.copyOf(underWay.keySet());
    }

    /// Calls off those of `begun` that are not among the orders any more: whoever gave them has
    /// gone.
    public void keep(Set<CommandId> begun, List<Command> ordered) {
        var still = ordered.stream().map(c -> new CommandId(c.getId())).toList();
        for (var id : begun) {
            var work = underWay.get(id);
            if (work == null || still.contains(id)) continue;
            log.info("preview {}: called off, it is not ordered any more", id);
            work.calledOff = true;
            work.thread.interrupt();
        }
    }

    private void watch(Work work) {
        var seconds = work.command.getBuildPlanPreview().getTimeout();
        try {
            if (work.thread.join(seconds > 0 ? Duration.ofSeconds(seconds) : usualLimit)) return;
            work.late = true;
            work.thread.interrupt();
        } catch (InterruptedException stopped) {
            work.thread.interrupt();
        }
    }

    private void carryOut(Work work) {
        var command = work.command;
        try {
            workers.acquire();
            try {
                answer(work, preview.of(command.getBuildPlanPreview()));
            } finally {
                workers.release();
            }
        } catch (InterruptedException stopped) {
            if (work.late) fail(work, TOO_LATE);
        } catch (Problem problem) {
            // What was interrupted may say so in its own words; the answer is written all the same.
            var _ = Thread.interrupted();
            if (work.late) fail(work, TOO_LATE);
            else if (!work.calledOff && !closed) fail(work, problem.told());
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            log.error("preview {}: an internal fault", command.getId(), e);
            fail(work, "an internal fault of the agent; see its log");
        } finally {
            underWay.remove(new CommandId(command.getId()));
        }
    }

    private void answer(Work work, List<ApplicationPlanPreviewResult> results) {
        var command = work.command;
        log.info("preview {}: {} application(s) touched", command.getId(), results.size());
        send(work, CommandStatus.COMMAND_SUCCEEDED, begun(command).addAllResults(results).build());
    }

    private void fail(Work work, String why) {
        var command = work.command;
        log.warn("preview {}: {}", command.getId(), why);
        send(work, CommandStatus.COMMAND_FAILED, begun(command).setError(why).build());
    }

    private static PlanPreviewCommandResult.Builder begun(Command command) {
        return PlanPreviewCommandResult.newBuilder()
                .setCommandId(command.getId())
                .setPipedId(command.getPipedId());
    }

    private void send(Work work, CommandStatus status, PlanPreviewCommandResult result) {
        var written = Brevity.written(result);
        var now = clock.instant();
        outbox.send(Reports.answered(new CommandId(work.command.getId()), status, written, now));
        counting.handled(
                status == CommandStatus.COMMAND_SUCCEEDED, Duration.between(work.begun, now));
    }

    /// What is under way is begun again by the next agent: nobody was told that it is done.
    @Override
    public void close() {
        closed = true;
        underWay.values().forEach(work -> work.thread.interrupt());
    }
}
