// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static dev.pipecd.controlplane.Samples.line;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.pipecd.config.Filestore;
import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class S3FilesTest implements FileStoreContract {
    @TempDir private Path folder;
    private final Filestore.Minio minio = S3Server.bucket();
    private final FileStores stores = FileStores.open(minio, Path.of(""));

    @AfterEach
    void close() {
        stores.close();
    }

    @Override
    public FileStore files() {
        return stores.files();
    }

    @Test
    void aPrefixStandsBeforeEveryKeyAndIsNotSeenInside() throws Exception {
        var path = FilePath.of("insights", "milestone.json");
        try (var prefixed =
                FileStores.open(
                        s3("/team/a/", S3Server.address().toString(), "AES256", ""), folder)) {
            prefixed.files().put(path, "1".getBytes(UTF_8));

            assertThat(prefixed.files().get(path)).isPresent();
            var listed = new ArrayList<FileStore.Listed>();
            prefixed.files().list(FilePath.of("insights"), listed::add);
            assertThat(listed).extracting(FileStore.Listed::path).containsExactly(path);
        }

        assertThat(files().get(FilePath.of("team", "a", "insights", "milestone.json")))
                .hasValue("1".getBytes(UTF_8));
        assertThat(encryption("team/a/insights/milestone.json")).hasValue("AES256");
        assertThat(files().get(path)).isEmpty();
    }

    /// Whether there is such a key is the server's to say.
    @Test
    void aKeyForEncryptionIsNamedWithEveryWrite() throws Exception {
        try (var front = new S3Front(S3Server.address(), true);
                var keyed =
                        S3Server.open(
                                s3("", front.address().toString(), "aws:kms", "alias/pipecd"))) {
            var _ =
                    catchThrowable(() -> {
                        keyed.files().put(FilePath.of("a", "b"), new byte[1]);
                        keyed.logs()
                                .append(
                                        StageLogStore.path("d1", "s1", 0),
                                        List.of(line(1, "a")),
                                        true);
                    });

            assertThat(front.encryption()).isNotEmpty().containsOnly("aws:kms alias/pipecd");
        }
    }

    private Optional<String> encryption(String key) throws Exception {
        var object = S3Server.address().resolve("/%s/%s".formatted(minio.bucket(), key));
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(object).HEAD().build(),
                            HttpResponse.BodyHandlers.discarding())
                    .headers()
                    .firstValue("x-amz-server-side-encryption");
        }
    }

    /// As AWS is reached, by a credentials file and a profile, with encryption asked for.
    private Filestore.S3 s3(String prefix, String server, String encryption, String key)
            throws Exception {
        var file = folder.resolve("credentials");
        Files.writeString(
                file,
                "[mine]\naws_access_key_id = access\naws_secret_access_key = secret-secret\n");
        return new Filestore.S3(
                minio.bucket(),
                "us-east-1",
                new Filestore.AwsLogin("mine", file.toString(), "", ""),
                new Filestore.S3Options(server, true, prefix, encryption, key));
    }

    @Test
    void aBucketThatIsNotThereIsToldAtStart() {
        var other =
                new Filestore.Minio(
                        minio.endpoint(), "not-made", minio.accessKey(), minio.secretKey(), false);

        assertThatThrownBy(() -> FileStores.open(other, folder))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "file store: s3://not-made/pipecd-is-not-here is refused with NoSuchBucket")
                .extracting("advice")
                .isEqualTo("Create the bucket, or correct filestore.config.bucket.");
    }

    @Test
    void ofServersThatStartTogetherOneCreatesTheBucketAndAllGoOn() throws Exception {
        var fresh = S3Server.bucket();
        var together = new CyclicBarrier(6);

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all =
                    IntStream.range(0, 6)
                            .mapToObj(_ ->
                                    threads.submit(() -> {
                                        together.await();
                                        S3Server.open(fresh).close();
                                        return true;
                                    }))
                            .toList();

            for (var one : all) assertThat(one.get()).isTrue();
        }
    }

    @Test
    void aServerThatIsNotThereIsToldAtStart() {
        var other =
                new Filestore.Minio(
                        "http://127.0.0.1:1",
                        "bucket",
                        Secret.written("key", "access"),
                        Secret.written("key", "secret-secret"),
                        false);

        assertThatThrownBy(() -> FileStores.open(other, folder))
                .isInstanceOf(Problem.class)
                .hasMessage("file store: no answer from http://127.0.0.1:1");
    }

    @Test
    void anEndpointThatIsNoAddressIsToldAtStart() {
        var other =
                new Filestore.Minio(
                        "not an address", "b", minio.accessKey(), minio.secretKey(), false);

        assertThatThrownBy(() -> FileStores.open(other, folder))
                .hasMessage(
                        "filestore.config.endpoint: \"not an address\" (expected: a URL such as https://s3.example.com)");
    }

    @Test
    void withoutTheRightToListMissingKeysLookForbiddenAndAreMissing() throws Exception {
        try (var forbidding = new S3Front(S3Server.address(), false);
                var limited =
                        FileStores.open(
                                S3Server.bucket(forbidding.address(), minio.bucket()), folder)) {
            assertThat(limited.files().get(FilePath.of("never", "put"))).isEmpty();
            limited.files().put(FilePath.of("a", "b"), "c".getBytes(UTF_8));
            assertThat(limited.files().get(FilePath.of("a", "b"))).hasValue("c".getBytes(UTF_8));
            var log = StageLogStore.path("d1", "s1", 0);
            assertThat(limited.logs().read(log, 0)).isEmpty();
            limited.logs().append(log, List.of(line(1, "a")), true);
            assertThat(limited.logs().read(log, 0).orElseThrow().completed()).isTrue();
        }
    }
}
