// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import java.util.Optional;
import java.util.function.Consumer;

/// Files in a bucket.
public final class S3Files implements FileStore {
    private final S3Bucket bucket;

    S3Files(S3Bucket bucket) {
        this.bucket = bucket;
    }

    @Override
    public void put(FilePath path, byte[] content) {
        bucket.put(path.toString(), content);
    }

    @Override
    public Optional<byte[]> get(FilePath path) {
        return bucket.get(path.toString()).map(S3Bucket.Held::content);
    }

    @Override
    public void delete(FilePath path) {
        bucket.delete(path.toString());
    }

    @Override
    public void list(FilePath folder, Consumer<Listed> each) {
        bucket.list(
                folder.toString(),
                object ->
                        FilePath.parsed(bucket.own(object.key()))
                                .ifPresent(path ->
                                        each.accept(new Listed(path, object.lastModified()))));
    }
}
