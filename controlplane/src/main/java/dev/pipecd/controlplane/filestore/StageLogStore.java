// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.wire.model.LogBlock;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// Stage logs: appended and durable before the caller is told; a block that is already there is not
/// written again. A log that has ended is one file in the public form: one block a line, `EOL`
/// behind the last. Every implementation passes `StageLogContract`.
public interface StageLogStore extends AutoCloseable {
    static FilePath path(String deployment, String stage, int retried) {
        return FilePath.of("log", deployment, stage, retried + ".txt");
    }

    /// Whether the blocks (and the end) stand in the log now; false when it had ended without them.
    boolean append(FilePath path, List<LogBlock> blocks, boolean completed);

    /// Blocks of index `from` and above, in order; empty when there is no such log. At most a few
    /// megabytes: what was cut says it is not completed, and its reader asks again behind the last
    /// index.
    Optional<Part> read(FilePath path, long from);

    /// Puts in its place what servers that died have left elsewhere, one log after the other for as
    /// long as it goes on.
    default void tidy(BooleanSupplier goesOn) {}

    @Override
    void close();

    /// What was read.
    record Part(List<LogBlock> blocks, boolean completed) {
        public Part {
            blocks = List.copyOf(blocks);
        }
    }
}
