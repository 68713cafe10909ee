// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.LogSeverity;
import java.util.stream.Stream;

/// What a stage wrote, with the time before each line.
public final class LogLines {
    private LogLines() {}

    public static Stream<String> of(LogBlock block) {
        var mark = block.getSeverity() == LogSeverity.ERROR ? " ERROR " : " ";
        var before = Printable.time(block.getCreatedAt()) + mark;
        return block.getLog().lines().map(line -> before + Printable.logLine(line));
    }
}
