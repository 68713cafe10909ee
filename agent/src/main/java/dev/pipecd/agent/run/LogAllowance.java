// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.LogSeverity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.LongSupplier;

/// How much of a stage's log is taken: a plugin that writes without end must fill neither memory
/// nor disk, and people are told what is left out.
final class LogAllowance {
    private static final int REMEMBERED = 10_000;

    private final long ofStage;
    private final long ofAll;
    private final LongSupplier waiting;

    private final SequencedMap<Log, Taken> logs = new LinkedHashMap<>();

    /// @param ofStage how many bytes one log may have
    /// @param ofAll how many may wait to be delivered, whosever they are
    /// @param waiting how many do
    LogAllowance(long ofStage, long ofAll, LongSupplier waiting) {
        this.ofStage = ofStage;
        this.ofAll = ofAll;
        this.waiting = waiting;
    }

    /// What of it is kept.
    ///
    /// @param completed nothing follows
    synchronized List<LogBlock> pass(Log log, List<LogBlock> blocks, boolean completed) {
        var taken = logs.computeIfAbsent(log, _ -> new Taken());
        if (logs.size() > REMEMBERED) logs.pollFirstEntry();
        var kept = new ArrayList<LogBlock>();
        for (var block : blocks) taken.keep(block, kept);
        if (completed) {
            logs.remove(log);
            taken.end(kept);
        }
        return kept;
    }

    /// In the place of one that is left out: each has a number of its own.
    private static LogBlock line(LogBlock block, String text) {
        return block.toBuilder().setLog(text).setSeverity(LogSeverity.ERROR).build();
    }

    record Log(DeploymentId deployment, StageId stage, int retried) {}

    /// Blocks are told by number: the public protocol sends the same ones twice.
    private final class Taken {
        private long bytes;
        private long again;
        private long upTo = Long.MIN_VALUE;
        private long leftOut;
        private LogBlock cut = LogBlock.getDefaultInstance();
        private LogBlock last = LogBlock.getDefaultInstance();

        void keep(LogBlock block, List<LogBlock> kept) {
            if (block.getIndex() <= upTo) {
                // One that gives every line the same number must not get round the limit.
                again += block.getSerializedSize();
                // What was taken before is delivered: it need not wait there twice, and nothing is
                // missing without it.
                if (again <= 2 * ofStage && waiting.getAsLong() <= ofAll) kept.add(block);
            } else if (leftOut > 0) {
                // Once something is missing, nothing that follows may look as if it were not.
                if (block.getIndex() == cut.getIndex()) kept.add(cut);
                if (block.getIndex() > last.getIndex()) leaveOut(block);
            } else if (bytes + block.getSerializedSize() > ofStage || waiting.getAsLong() > ofAll) {
                cut = line(block, told());
                kept.add(cut);
                leaveOut(block);
            } else {
                bytes += block.getSerializedSize();
                upTo = block.getIndex();
                kept.add(block);
            }
        }

        private void leaveOut(LogBlock block) {
            last = block;
            leftOut++;
        }

        void end(List<LogBlock> kept) {
            if (leftOut > 1) kept.add(line(last, "… %d lines were left out.".formatted(leftOut)));
        }

        private String told() {
            return waiting.getAsLong() <= ofAll
                    ? "The log of this stage is longer than %d MB: the agent leaves out what follows."
                            .formatted(ofStage >> 20)
                    : "More than %d MB of logs wait for the control plane: the agent leaves out what follows."
                            .formatted(ofAll >> 20);
        }
    }
}
