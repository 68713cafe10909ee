// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pipecd.config.Filestore;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStores;
import dev.pipecd.domain.Problem;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;

/// Does with a file of its own what a server does with all: write, read, list, delete.
///
/// @param probe the name of that file
public record FilesLook(FileStores.Place place, String probe, InstantSource clock)
        implements Check.Look {
    private static final String FOLDER = "pipecd-doctor";

    @Override
    public Finding now() {
        if (place.configured() instanceof Filestore.Minio minio && minio.autoCreateBucket())
            return withoutMaking(minio);
        return tried(place.configured());
    }

    /// Who only looks makes no bucket.
    private Finding withoutMaking(Filestore.Minio minio) {
        try {
            return tried(as(minio));
        } catch (Problem problem) {
            if (!problem.message().contains("NoSuchBucket")) throw problem;
            return Finding.ok(
                    "bucket %s is not there; the next start makes it".formatted(minio.bucket()));
        }
    }

    private static Filestore as(Filestore.Minio minio) {
        return new Filestore.Minio(
                minio.endpoint(), minio.bucket(), minio.accessKey(), minio.secretKey(), false);
    }

    private Finding tried(Filestore store) {
        try (var opened = FileStores.open(store, place.usual())) {
            use(opened);
            return Finding.ok(named(store) + ": written, read, listed and deleted");
        } catch (UncheckedIOException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "%s (expected: a folder this process may write)".formatted(named(store)),
                    "Create it and give it to the user the server runs as; it says: "
                            + e.getCause(),
                    e);
        }
    }

    private void use(FileStores stores) {
        var files = stores.files();
        var path = FilePath.of(FOLDER, probe);
        var content = "written by pipecd doctor, safe to delete\n".getBytes(UTF_8);
        files.put(path, content);
        try {
            if (!files.get(path).filter(c -> Arrays.equals(c, content)).isPresent())
                throw strange("what was written is not what is read");
            var seen = new HashSet<FilePath>();
            files.list(FilePath.of(FOLDER), listed -> seen.add(listed.path()));
            if (!seen.contains(path)) throw strange("what was written is not listed");
            if (!stores.keepsTheFirst(path)) throw unconditional();
        } finally {
            files.delete(path);
        }
        if (files.get(path).isPresent()) throw strange("what was deleted is still there");
    }

    private static Problem unconditional() {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "file store: If-None-Match is not heeded (expected: a second write is refused)",
                "Servers that share it would write over each other's files. Choose a store that"
                        + " decides conditional writes, as S3 and MinIO do, or a newer version of it.");
    }

    private static Problem strange(String what) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "file store: " + what,
                "Choose a store that shows what was written at once (read after write).");
    }

    private String named(Filestore store) {
        return switch (store) {
            case Filestore.Unset _ -> "folder " + place.usual();
            case Filestore.Local(var path) -> "folder " + (path.isEmpty() ? place.usual() : path);
            case Filestore.S3 s3 -> "bucket " + s3.bucket();
            case Filestore.Minio minio -> "bucket " + minio.bucket();
        };
    }

    /// By the date of its answers, which tell whole seconds.
    public Optional<Duration> ahead() {
        var store =
                place.configured() instanceof Filestore.Minio minio
                        ? as(minio)
                        : place.configured();
        try (var opened = FileStores.open(store, place.usual())) {
            return opened.now()
                    .map(theirs -> Duration.between(clock.instant(), theirs.plusMillis(500)));
        }
    }
}
