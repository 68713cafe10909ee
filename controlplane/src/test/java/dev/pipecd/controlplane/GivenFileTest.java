// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.S3Server;
import dev.pipecd.domain.Problem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
final class GivenFileTest {
    private static final String TEXT =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: ControlPlane
            spec: {address: "https://cd.example.com/a/long/line/so/that/base64/has/several"}
            """;

    @TempDir private Path folder;

    @Test
    void aDocumentIsReadFromAFile() throws Exception {
        var file = Files.writeString(folder.resolve("a.yaml"), TEXT);

        assertThat(given(file.toString()).document()).asString(UTF_8).isEqualTo(TEXT);
    }

    @Test
    void aDocumentMayStandInAVariableAsItIs() {
        assertThat(given("env:CONFIG", "CONFIG", TEXT).document()).asString(UTF_8).isEqualTo(TEXT);
    }

    /// As `base64 FILE` prints it: in lines, with an end.
    @Test
    void aDocumentMayStandInAVariableAsBase64() {
        var lines = Base64.getMimeEncoder().encodeToString(TEXT.getBytes(UTF_8)) + "\n";
        assertThat(lines.lines().count()).isGreaterThan(1);

        assertThat(given("env:CONFIG", "CONFIG", lines).document()).asString(UTF_8).isEqualTo(TEXT);
    }

    /// The public server takes the file's bytes, whatever they are.
    @Test
    void aKeyThatLooksLikeBase64IsTakenAsItIs() {
        assertThat(given("env:KEY", "KEY", "a2V5").bytes()).asString(UTF_8).isEqualTo("a2V5");
    }

    @Test
    void aDocumentMayStandInABucket() {
        var bucket = S3Server.bucket();
        try (var store = S3Server.open(bucket)) {
            store.files().put(FilePath.of("config", "cp.yaml"), TEXT.getBytes(UTF_8));
        }
        System.setProperty("aws.accessKeyId", "access");
        System.setProperty("aws.secretAccessKey", "hidden");
        try {
            var place = "s3://%s/config/cp.yaml".formatted(bucket.bucket());
            var there = given(place, "AWS_ENDPOINT_URL_S3", S3Server.address().toString());

            assertThat(there.document()).asString(UTF_8).isEqualTo(TEXT);
            assertThat(there.bytes()).asString(UTF_8).isEqualTo(TEXT);
        } finally {
            System.clearProperty("aws.accessKeyId");
            System.clearProperty("aws.secretAccessKey");
        }
    }

    @Test
    void whatIsNotThereIsToldWithItsFlag() {
        assertThatThrownBy(() -> given("env:CONFIG", "CONFIG", " ").document())
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "--config-file: env:CONFIG (expected: an environment variable that is set)");
        assertThatThrownBy(() -> given("no-such-file").document())
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "--config-file: no-such-file (expected: a file this process may read, env:NAME or s3://bucket/key)");
    }

    private static GivenFile given(String place) {
        return new GivenFile("--config-file", place, Map.of());
    }

    private static GivenFile given(String place, String name, String value) {
        return new GivenFile("--config-file", place, Map.of(name, value));
    }
}
