// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Files on their way to a bucket, durable here when their writer is told. Only the newest content
/// of a file waits. Its number grows with every write and stays when the content is gone, so that
/// nobody takes older content for newer.
public interface FileJournal {
    /// Instead of whatever waits.
    void put(FilePath file, byte[] content);

    /// The same, unless somebody else was first; without content nothing waits any more.
    boolean replace(FilePath file, long known, Optional<byte[]> content);

    Waiting find(FilePath file);

    /// Those that have waited for so long.
    List<FilePath> waiting(Duration age);

    /// @param number 0 when nothing was ever written
    record Waiting(long number, Optional<byte[]> content) {}
}
