// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// What the ledger is written on: the journal on the disk, or a simulation's.
public interface Pages extends AutoCloseable {
    /// What was there when it was opened, in order.
    List<Entry> found();

    /// Returns when the entries are there to stay. All of them are there after a crash, or none.
    void append(List<Entry> entries);

    /// Does not wait: a crash may forget it, which must do no harm.
    void appendLater(Entry entry);

    /// Replaces everything by `live`, atomically.
    void compact(List<Entry> live);

    Path path();

    long size();

    /// Why nothing can be written; empty when all is well.
    String trouble();

    /// How many records are not there to stay yet.
    int waiting();

    /// The agent is about to stop: what is not taken now is not waited for.
    void stopWaiting();

    @Override
    void close() throws IOException;
}
