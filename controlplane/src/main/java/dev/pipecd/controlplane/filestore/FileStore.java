// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/// Whole files by name, durable when acknowledged and never seen half written. Every implementation
/// passes `FileStoreContract`.
public interface FileStore {
    void put(FilePath path, byte[] content);

    Optional<byte[]> get(FilePath path);

    void delete(FilePath path);

    /// Tells of every file below the folder, in the order of their names.
    void list(FilePath folder, Consumer<Listed> each);

    /// A file that is there, and when it was last put.
    record Listed(FilePath path, Instant at) {}
}
