// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pipecd.config.Filestore;
import dev.pipecd.domain.Problem;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// The file store that was configured, and what has ways of its own on it.
public record FileStores(
        FileStore files, StageLogStore logs, Snapshots snapshots, Connection connection)
        implements AutoCloseable {

    /// @param usual the folder when nothing else is said
    public static FileStores open(Filestore configured, Path usual) {
        return open(configured, usual, S3Clients.Patience.USUAL);
    }

    static FileStores open(Filestore configured, Path usual, S3Clients.Patience patience) {
        return switch (configured) {
            case Filestore.Unset() -> local(usual);
            case Filestore.Local(var path) -> local(path.isEmpty() ? usual : Path.of(path));
            case Filestore.S3 s3 -> {
                var place = S3Place.of(s3);
                var credentials = S3Clients.credentials(s3);
                yield on(S3Bucket.open(S3Clients.of(place, credentials, patience), place));
            }
            case Filestore.Minio minio -> {
                var place = S3Place.of(minio);
                var credentials = S3Clients.credentials(minio);
                yield on(S3Bucket.open(S3Clients.of(place, credentials, patience), place));
            }
        };
    }

    /// Whether the place can be understood; asks nobody.
    public static void check(Filestore configured) {
        switch (configured) {
            case Filestore.Unset(), Filestore.Local _ -> {}
            case Filestore.S3 s3 -> {
                var _ = S3Place.of(s3);
            }
            case Filestore.Minio minio -> {
                var _ = S3Place.of(minio);
            }
        }
    }

    private static FileStores local(Path folder) {
        var files = new LocalFiles(folder);
        return new FileStores(
                files, new StageLogFiles(files), new Snapshots.InFiles(files), new OwnDisk());
    }

    private static FileStores on(S3Bucket bucket) {
        var files = new S3Files(bucket);
        return new FileStores(files, new S3StageLogs(bucket), new Snapshots.InFiles(files), bucket);
    }

    /// Writes a file of its own into a bucket, reads and deletes it: who may only look, or only
    /// write, is told at the start, and not with the first log.
    ///
    /// @param probe the name of that file
    public FileStores tried(String probe) {
        if (!(connection instanceof S3Bucket)) return this;
        var path = FilePath.of("pipecd-start", probe);
        try {
            files.put(path, "written by pipecd server, safe to delete\n".getBytes(UTF_8));
            var readable = files.get(path).isPresent();
            files.delete(path);
            if (!readable) throw unreadable(path);
            return this;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /// What may not be read looks as if it were missing to one who may not list.
    private static Problem unreadable(FilePath path) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "file store: %s is written and cannot be read".formatted(path),
                "Allow s3:GetObject beside s3:PutObject, s3:DeleteObject and s3:ListBucket to the"
                        + " credentials of the file store.");
    }

    /// Whether a file that is there stays as it is when it is made once more: servers that share a
    /// bucket rely on it.
    public boolean keepsTheFirst(FilePath there) {
        return !(connection instanceof S3Bucket bucket)
                || bucket.create(there.toString(), "a second time".getBytes(UTF_8)).isEmpty();
    }

    /// With journals for what is on its way to a bucket; a folder needs none.
    public FileStores behind(LogJournal lines, FileJournal contents) {
        return logs instanceof S3StageLogs log && connection instanceof S3Bucket bucket
                ? new FileStores(
                        files,
                        JournaledLogs.start(log, lines),
                        JournaledSnapshots.start(bucket, contents),
                        connection)
                : this;
    }

    /// What servers that died left on its way.
    public void tidy(BooleanSupplier goesOn) {
        logs.tidy(goesOn);
        snapshots.tidy(goesOn);
    }

    @Override
    public void close() {
        snapshots.close();
        logs.close();
        connection.close();
    }

    /// By the clock of the store's server, in whole seconds; empty when it is this machine.
    public Optional<Instant> now() {
        return connection.now();
    }

    /// Which store, and the folder when none is said.
    public record Place(Filestore configured, Path usual) {}

    /// To the server of a store.
    interface Connection {
        Optional<Instant> now();

        void close();
    }

    private record OwnDisk() implements Connection {
        @Override
        public Optional<Instant> now() {
            return Optional.empty();
        }

        @Override
        public void close() {}
    }
}
