// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

/// Where the control plane keeps logs, live state and other large things.
public sealed interface Filestore {

    /// Not written: a folder in the server's own data folder.
    record Unset() implements Filestore {}

    record Local(String path) implements Filestore {}

    record S3(String bucket, String region, AwsLogin login, S3Options options)
            implements Filestore {}

    record Minio(
            String endpoint,
            String bucket,
            Secret accessKey,
            Secret secretKey,
            boolean autoCreateBucket)
            implements Filestore {}

    /// Who we are to AWS: by a file, by a role with a token, else by what the machine offers.
    record AwsLogin(String profile, String credentialsFile, String roleArn, String tokenFile) {}

    /// What the public system cannot do. The endpoint is empty for AWS itself; the prefix stands
    /// before every key; encryption is the server's: `AES256`, `aws:kms`, or empty for the bucket's
    /// own.
    record S3Options(
            String endpoint, boolean pathStyle, String prefix, String encryption, String kmsKey) {
        public static S3Options none() {
            return new S3Options("", false, "", "", "");
        }
    }
}
