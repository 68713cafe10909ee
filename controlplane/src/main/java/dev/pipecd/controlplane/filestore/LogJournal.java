// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.wire.model.LogBlock;
import java.time.Duration;
import java.util.List;

/// Where lines of stage logs are durable until the bucket has them. Servers share it: each sees
/// what all have added.
public interface LogJournal {
    /// False when the log has ended, or is about to, at any server, or its name is too long to be
    /// kept; then the lines count as not taken.
    boolean add(FilePath log, List<LogBlock> blocks);

    /// From now on nothing is taken for this log: what anybody was told is taken, `first` shows.
    void end(FilePath log);

    /// The oldest of what was taken for the log, a megabyte of it or a little more.
    Entries first(FilePath log);

    /// The bucket has them.
    void remove(FilePath log, List<Entry> entries);

    /// Logs with something in the journal that is at least that old.
    List<FilePath> left(Duration age);

    /// Ends this old are in the bucket, and everybody has looked there since.
    void forgetEnds(Duration age);

    /// @param more whether there may be further ones behind them
    record Entries(List<Entry> entries, boolean more) {
        public Entries {
            entries = List.copyOf(entries);
        }
    }

    /// What one call has brought.
    record Entry(long number, List<LogBlock> blocks) {
        public Entry {
            blocks = List.copyOf(blocks);
        }
    }
}
