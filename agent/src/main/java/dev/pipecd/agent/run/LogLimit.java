// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.LogSeverity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How much each stage may tell: a plugin that writes without end must fill neither the disk nor
/// the way to the control plane.
final class LogLimit {
    /// Above what our own scripts are cut at.
    static final long BYTES = 16L << 20;

    private static final String CUT =
            "The log is cut here: %d MiB are kept, the stage goes on".formatted(BYTES >> 20);

    private final Map<StageId, Long> told = new HashMap<>();

    /// What of it is kept; the first block that is not is replaced by a line that says so.
    synchronized List<LogBlock> keep(StageId stage, List<LogBlock> blocks) {
        var bytes = told.getOrDefault(stage, 0L);
        var kept = new ArrayList<LogBlock>();
        for (var block : blocks) {
            if (bytes > BYTES) break;
            bytes += block.getSerializedSize();
            kept.add(
                    bytes <= BYTES
                            ? block
                            : block.toBuilder().setLog(CUT).setSeverity(LogSeverity.ERROR).build());
        }
        told.put(stage, bytes);
        return kept;
    }
}
