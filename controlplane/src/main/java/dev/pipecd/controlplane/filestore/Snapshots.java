// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/// Files that are written again and again, each time as a whole; durable when acknowledged.
public interface Snapshots extends AutoCloseable {
    void put(FilePath path, byte[] content);

    Optional<byte[]> get(FilePath path);

    /// Makes of what stands what `change` says, whoever else writes at the same time; `change` may
    /// be asked more than once. False when nothing stands.
    boolean change(FilePath path, UnaryOperator<byte[]> change);

    /// Brings to its place what others left on the way.
    default void tidy(BooleanSupplier goesOn) {}

    @Override
    default void close() {}
}
