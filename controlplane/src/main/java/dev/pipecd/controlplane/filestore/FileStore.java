// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import java.util.Optional;

/// Whole files by name, durable when acknowledged and never seen half written.
public interface FileStore {
    void put(FilePath path, byte[] content);

    Optional<byte[]> get(FilePath path);

    void delete(FilePath path);
}
