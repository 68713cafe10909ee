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
        for (var block : blocks) {
            var size = block.getSerializedSize();
            if (taken.full(size) || waiting.getAsLong() > ofAll) {
                if (taken.leftOut++ == 0) kept.add(line(block, taken.told()));
                taken.last = block;
            } else {
                taken.bytes += size;
                kept.add(block);
            }
        }
        if (completed) {
            logs.remove(log);
            if (taken.leftOut > 1)
                kept.add(line(taken.last, "… %d lines were left out.".formatted(taken.leftOut)));
        }
        return kept;
    }

    /// In the place of one that is left out: each has a number of its own.
    private static LogBlock line(LogBlock block, String text) {
        return block.toBuilder().setLog(text).setSeverity(LogSeverity.ERROR).build();
    }

    record Log(DeploymentId deployment, StageId stage, int retried) {}

    private final class Taken {
        private long bytes;
        private long leftOut;
        private LogBlock last = LogBlock.getDefaultInstance();

        /// Once something is missing, nothing that follows may look as if it were not.
        boolean full(int more) {
            return leftOut > 0 || bytes + more > ofStage;
        }

        String told() {
            return bytes >= ofStage || waiting.getAsLong() <= ofAll
                    ? "The log of this stage is longer than %d MB: the agent leaves out what follows."
                            .formatted(ofStage >> 20)
                    : "More than %d MB of logs wait for the control plane: the agent leaves out what follows."
                            .formatted(ofAll >> 20);
        }
    }
}
