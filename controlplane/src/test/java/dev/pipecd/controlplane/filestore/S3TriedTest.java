// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.Filestore;
import dev.pipecd.controlplane.doctor.FilesLook;
import dev.pipecd.controlplane.doctor.Finding;
import dev.pipecd.domain.Problem;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/// What a bucket must let a server do, found before anybody relies on it.
final class S3TriedTest {
    @Test
    void aBucketThatTakesNothingIsToldAtTheStart() throws Exception {
        var bucket = S3Server.bucket();
        S3Server.make(bucket.bucket());
        try (var front = new S3Front(S3Server.address(), true, S3Front.Fault.FORBIDS_WRITING)) {
            var read = S3Server.open(S3Server.bucket(front.address(), bucket.bucket()));

            assertThatThrownBy(() -> read.tried("probe"))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "file store: s3://%s/pipecd-start/probe is refused with AccessDenied"
                                    .formatted(bucket.bucket()))
                    .extracting("advice")
                    .isEqualTo(
                            "Allow s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket to the"
                                    + " credentials of the file store.");
        }
    }

    @Test
    void aBucketThatMayNotBeReadIsToldAtTheStart() throws Exception {
        var bucket = S3Server.bucket();
        S3Server.make(bucket.bucket());
        try (var front = new S3Front(S3Server.address(), true, S3Front.Fault.FORBIDS_READING)) {
            var written = S3Server.open(S3Server.bucket(front.address(), bucket.bucket()));

            assertThatThrownBy(() -> written.tried("probe"))
                    .isInstanceOf(Problem.class)
                    .hasMessage("file store: pipecd-start/probe is written and cannot be read")
                    .extracting("advice")
                    .asString()
                    .startsWith("Allow s3:GetObject ");
        }
    }

    @Test
    void whatIsWrittenAtTheStartIsGoneAfterwards() {
        try (var stores = S3Server.open(S3Server.bucket()).tried("probe")) {
            var left = new ArrayList<FileStore.Listed>();
            stores.files().list(FilePath.of("pipecd-start"), left::add);

            assertThat(left).isEmpty();
        }
    }

    @Test
    void aStoreThatDoesNotHeedConditionsIsFound() throws Exception {
        var bucket = S3Server.bucket();
        S3Server.make(bucket.bucket());
        try (var front = new S3Front(S3Server.address(), true, S3Front.Fault.IGNORES_CONDITIONS)) {
            var faulty = S3Server.bucket(front.address(), bucket.bucket());

            assertThatThrownBy(() -> look(faulty))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "file store: If-None-Match is not heeded (expected: a second write is"
                                    + " refused)");
        }

        assertThat(look(bucket))
                .isEqualTo(
                        Finding.ok(
                                "bucket %s: written, read, listed and deleted"
                                        .formatted(bucket.bucket())));
    }

    private static Finding look(Filestore.Minio bucket) {
        return new FilesLook(
                        new FileStores.Place(bucket, Path.of("unused")),
                        "probe",
                        InstantSource.system())
                .now();
    }
}
