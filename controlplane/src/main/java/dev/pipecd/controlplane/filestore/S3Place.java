// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.config.Endpoint;
import dev.pipecd.config.Filestore;
import dev.pipecd.domain.Problem;
import java.util.Optional;

/// Which bucket, on which server, and how it wants to be written to.
///
/// @param endpoint empty for AWS itself
/// @param prefix what every key begins with: empty, or ends with a slash
record S3Place(
        Optional<Endpoint> endpoint,
        boolean pathStyle,
        String region,
        String bucket,
        String prefix,
        Writing writing) {

    static S3Place of(Filestore.S3 s3) {
        var options = s3.options();
        return new S3Place(
                Optional.of(options.endpoint()).filter(e -> !e.isEmpty()).map(S3Place::endpoint),
                options.pathStyle(),
                s3.region(),
                s3.bucket(),
                prefix(options.prefix()),
                new Writing(options.encryption(), options.kmsKey(), false));
    }

    static S3Place of(Filestore.Minio minio) {
        return new S3Place(
                Optional.of(endpoint(minio.endpoint())),
                true,
                "us-east-1",
                minio.bucket(),
                "",
                new Writing("", "", minio.autoCreateBucket()));
    }

    private static Endpoint endpoint(String text) {
        return Endpoint.parsed(text.contains("://") ? text : "http://" + text)
                .orElseThrow(() ->
                        new Problem(
                                Problem.Code.SETTING_INVALID,
                                "filestore.config.endpoint: \"%s\" (expected: a URL such as https://s3.example.com)"
                                        .formatted(text),
                                "Correct the address of the file store."));
    }

    private static String prefix(String text) {
        var inner = text.replaceAll("^/+|/+$", "");
        return inner.isEmpty() ? "" : inner + "/";
    }

    String encryption() {
        return writing.encryption();
    }

    String kmsKey() {
        return writing.kmsKey();
    }

    boolean createBucket() {
        return writing.createBucket();
    }

    String server() {
        return endpoint.map(Endpoint::told).orElse("S3 in " + region);
    }

    /// @param encryption the server's: `AES256`, `aws:kms`, or empty for the bucket's own
    record Writing(String encryption, String kmsKey, boolean createBucket) {}
}
