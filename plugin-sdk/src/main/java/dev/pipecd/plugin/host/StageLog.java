// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.plugin.stage.Severity;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.LogSeverity;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The lines of one stage on their way to the agent: in order, numbered from the recorded start so
/// that a line told again after a restart is the same line, kept until the agent has them.
final class StageLog {
    private static final Logger log = LoggerFactory.getLogger(StageLog.class);
    static final int LONGEST_LINE = 32 * 1024;
    private static final int BATCH_BYTES = 512 * 1024;

    /// What may wait for the agent; a stage that tells more waits with it.
    private static final int WAITING_BYTES = 4 * 1024 * 1024;

    private static final long PACE_MILLIS = 50;
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final long LONGEST_PAUSE_MILLIS = 1000;

    private static final String CUT =
            "The rest is left out: the stage is stopped, and the agent takes no lines";

    private final StageKey key;
    private final Instant startedAt;
    private final AgentClient agent;
    private final InstantSource clock;
    private final BooleanSupplier stopOrdered;
    private final Deque<LogBlock> waiting = new ArrayDeque<>();
    private final Thread sender;
    private long bytes;
    private long lines;
    private boolean cut;
    private End end = End.NOT_YET;

    private enum End {
        NOT_YET,
        LEFT_OPEN,
        COMPLETED,
        GIVEN_UP
    }

    StageLog(
            StageKey key,
            Instant startedAt,
            AgentClient agent,
            InstantSource clock,
            BooleanSupplier stopOrdered) {
        this.key = key;
        this.startedAt = startedAt;
        this.agent = agent;
        this.clock = clock;
        this.stopOrdered = stopOrdered;
        this.sender = Thread.ofVirtual().name("log-" + key.stage()).unstarted(this::send);
    }

    StageLog open() {
        sender.start();
        return this;
    }

    /// Waits while the agent has too much of it before it, though not once the stage is stopped.
    synchronized void add(Severity severity, String text) {
        add(severity, text, true);
    }

    /// What is told when the work is over: it must not wait for an agent that takes nothing.
    synchronized void addLast(Severity severity, String text) {
        add(severity, text, false);
    }

    private synchronized void add(Severity severity, String text, boolean patient) {
        // An empty block would be refused, and with it every line of its batch.
        var parts = text.isEmpty() ? List.of(" ") : text.lines().toList();
        for (var line : parts) {
            for (var piece : pieces(line.isEmpty() ? " " : line)) {
                if (patient && !roomCame()) return;
                append(severity, piece);
            }
        }
        notifyAll();
    }

    private synchronized void append(Severity severity, String piece) {
        var block =
                LogBlock.newBuilder()
                        .setIndex(startedAt.getEpochSecond() + lines++)
                        .setLog(piece)
                        .setSeverity(wire(severity))
                        .setCreatedAt(clock.instant().getEpochSecond())
                        .build();
        bytes += block.getSerializedSize();
        waiting.add(block);
    }

    /// An interrupt is the stop button here too, though authors need not declare it. False once the
    /// stop is known to the stage: what it still tells must not hold it up.
    private synchronized boolean roomCame() {
        try {
            while (!cut && bytes > WAITING_BYTES && end == End.NOT_YET) {
                notifyAll();
                if (stopOrdered.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
                    append(Severity.ERROR, CUT);
                    cut = true;
                } else wait(LOOK.toMillis());
            }
            return !cut;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("stopped while the agent took no lines", e);
        }
    }

    private static List<String> pieces(String line) {
        if (line.length() <= LONGEST_LINE / 3) return List.of(line);
        var pieces = new ArrayList<String>();
        int from = 0;
        int bytes = 0;
        for (int at = 0; at < line.length(); ) {
            int point = line.codePointAt(at);
            int width = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (bytes + width > LONGEST_LINE) {
                pieces.add(line.substring(from, at));
                from = at;
                bytes = 0;
            }
            bytes += width;
            at += Character.charCount(point);
        }
        pieces.add(line.substring(from));
        return pieces;
    }

    private static LogSeverity wire(Severity severity) {
        return switch (severity) {
            case INFO -> LogSeverity.INFO;
            case SUCCESS -> LogSeverity.SUCCESS;
            case ERROR -> LogSeverity.ERROR;
        };
    }

    synchronized long lines() {
        return lines;
    }

    synchronized void continueAt(long number) {
        lines = number;
    }

    synchronized void awaitTaken() throws InterruptedException {
        while (!waiting.isEmpty() && end != End.GIVEN_UP) wait();
    }

    /// Sends all and closes the log, for as long as the agent goes on taking lines; gives up when
    /// it has taken none for `silence`.
    void complete(Duration silence) throws InterruptedException {
        ending(End.COMPLETED);
        var progress = new Progress(silence, takenSoFar(), System.nanoTime());
        while (!sender.join(LOOK)) {
            if (progress.stalled(takenSoFar(), System.nanoTime())) {
                giveUp();
                return;
            }
        }
    }

    /// Sends the rest and, when `completed`, closes the log. Waits no longer than `bound`.
    void end(boolean completed, Duration bound) throws InterruptedException {
        ending(completed ? End.COMPLETED : End.LEFT_OPEN);
        if (!sender.join(bound)) giveUp();
    }

    private synchronized void ending(End how) {
        end = how;
        notifyAll();
    }

    private synchronized void giveUp() {
        log.warn(
                "Giving up on {} log lines of stage {}: the agent does not take them",
                waiting.size(),
                key.stage());
        ending(End.GIVEN_UP);
    }

    private synchronized long takenSoFar() {
        return lines - waiting.size();
    }

    private void send() {
        try {
            long pause = PACE_MILLIS;
            for (var batch = next(); !batch.over(); batch = next()) {
                if (!deliver(batch)) {
                    pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
                    rest(pause, false);
                    continue;
                }
                pause = PACE_MILLIS;
                if (taken(batch)) return;
            }
        } catch (InterruptedException e) {
            log.debug("The sender of stage {} was interrupted", key.stage());
        } finally {
            // Whatever ended it: nobody may wait for it any longer.
            ending(End.GIVEN_UP);
        }
    }

    /// `closing`: the last lines go with the word that there will be no more.
    private record Batch(List<LogBlock> blocks, boolean closing, boolean over) {}

    private synchronized Batch next() throws InterruptedException {
        while (waiting.isEmpty() && end == End.NOT_YET) wait();
        var blocks = new ArrayList<LogBlock>();
        int bytes = 0;
        for (var block : waiting) {
            bytes += block.getSerializedSize();
            if (bytes > BATCH_BYTES && !blocks.isEmpty()) break;
            blocks.add(block);
        }
        var closing = end == End.COMPLETED && blocks.size() == waiting.size();
        return new Batch(blocks, closing, end == End.GIVEN_UP || (blocks.isEmpty() && !closing));
    }

    private boolean deliver(Batch batch) {
        try {
            if (batch.closing()) agent.completeLogs(key, batch.blocks());
            else agent.reportLogs(key, batch.blocks());
            return true;
        } catch (StatusRuntimeException e) {
            return refusedForGood(e);
        }
    }

    /// What is refused for good must not hold up the lines behind it.
    private boolean refusedForGood(StatusRuntimeException e) {
        return switch (e.getStatus().getCode()) {
            case INVALID_ARGUMENT,
                    FAILED_PRECONDITION,
                    NOT_FOUND,
                    UNIMPLEMENTED,
                    PERMISSION_DENIED -> {
                log.warn("The agent refuses log lines of stage {}: {}", key.stage(), e.getStatus());
                yield true;
            }
            default -> false;
        };
    }

    private synchronized boolean taken(Batch batch) throws InterruptedException {
        for (var block : batch.blocks()) bytes -= block.getSerializedSize();
        for (var _ : batch.blocks()) waiting.remove();
        notifyAll();
        if (batch.closing()) return true;
        // Lines that come thick and fast travel together.
        if (waiting.isEmpty() && end == End.NOT_YET) rest(PACE_MILLIS, true);
        return false;
    }

    /// Ends early when there is no use in waiting: always when given up, otherwise when the stage
    /// ends.
    private synchronized void rest(long millis, boolean untilEnd) throws InterruptedException {
        var until = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        for (long left = millis; left > 0; left = (until - System.nanoTime()) / 1_000_000) {
            if (end == End.GIVEN_UP || (untilEnd && end != End.NOT_YET)) return;
            wait(left);
        }
    }
}
