// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

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

    /// In a store that only this process writes.
    final class InFiles implements Snapshots {
        private static final int STRIPES = 64;

        private final FileStore files;
        private final List<Object> locks = Stream.generate(Object::new).limit(STRIPES).toList();

        InFiles(FileStore files) {
            this.files = files;
        }

        @Override
        public void put(FilePath path, byte[] content) {
            synchronized (lock(path)) {
                files.put(path, content);
            }
        }

        @Override
        public Optional<byte[]> get(FilePath path) {
            return files.get(path);
        }

        @Override
        public boolean change(FilePath path, UnaryOperator<byte[]> change) {
            synchronized (lock(path)) {
                var stored = files.get(path);
                stored.ifPresent(content -> {
                    var changed = change.apply(content);
                    if (!Arrays.equals(changed, content)) files.put(path, changed);
                });
                return stored.isPresent();
            }
        }

        private Object lock(FilePath path) {
            return locks.get(Math.floorMod(path.hashCode(), STRIPES));
        }
    }
}
