// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.Filestore;
import dev.pipecd.domain.Problem;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
final class S3DocumentTest {
    private static final Filestore.Minio BUCKET = S3Server.bucket();
    private static final Map<String, String> HERE =
            Map.of("AWS_ENDPOINT_URL_S3", S3Server.address().toString());

    @BeforeAll
    static void write() {
        System.setProperty("aws.accessKeyId", "access");
        System.setProperty("aws.secretAccessKey", "hidden");
        try (var files = S3Server.open(BUCKET)) {
            files.files().put(FilePath.of("config", "control-plane.yaml"), "kind".getBytes(UTF_8));
        }
    }

    @AfterAll
    static void forget() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    @Test
    void aFileIsReadFromABucketWithWhatTheMachineOffers() {
        assertThat(document("s3://%s/config/control-plane.yaml".formatted(BUCKET.bucket()), HERE))
                .asString(UTF_8)
                .isEqualTo("kind");
    }

    @Test
    void aKeyThatIsMissingIsNamed() {
        var place = "s3://%s/config/other.yaml".formatted(BUCKET.bucket());

        assertRefused(place, HERE)
                .hasMessage("--config-file: " + place + " (expected: an object that is there)")
                .extracting(e -> ((Problem) e).advice())
                .isEqualTo(
                        "Put the file there (aws s3 cp FILE %s), or correct the name."
                                .formatted(place));
    }

    @Test
    void aBucketThatIsMissingIsNamed() {
        assertRefused("s3://no-such-bucket/key", HERE)
                .hasMessage(
                        "--config-file: s3://no-such-bucket/key (expected: a bucket that is there)");
    }

    @Test
    void aPlaceWithoutAKeyIsNone() {
        assertRefused("s3://bucket", HERE)
                .hasMessage("--config-file: s3://bucket (expected: s3://bucket/key)");
    }

    @Test
    void aServerThatDoesNotAnswerIsToldWithoutSecrets() {
        assertRefused("s3://bucket/key", Map.of("AWS_ENDPOINT_URL", "http://127.0.0.1:1"))
                .hasMessage("--config-file: s3://bucket/key (expected: an S3 server that answers)")
                .extracting(e -> ((Problem) e).told())
                .asString()
                .contains("AWS_REGION", "AWS_ENDPOINT_URL_S3")
                .doesNotContain("hidden");
    }

    private static byte[] document(String place, Map<String, String> environment) {
        return new S3Document("--config-file", place, environment).bytes();
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
            String place, Map<String, String> environment) {
        return assertThatThrownBy(() -> document(place, environment)).isInstanceOf(Problem.class);
    }
}
