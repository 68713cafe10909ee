// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

/// Where the control plane keeps logs, live state and other large things.
public sealed interface Filestore {

    /// Not written: a folder in the server's own data folder.
    record Unset() implements Filestore {}

    record Local(String path) implements Filestore {}

    record S3(
            String bucket,
            String region,
            String profile,
            String credentialsFile,
            String roleArn,
            String tokenFile)
            implements Filestore {}

    record Gcs(String bucket, String credentialsFile) implements Filestore {}

    record Minio(
            String endpoint,
            String bucket,
            String accessKeyFile,
            String secretKeyFile,
            boolean autoCreateBucket)
            implements Filestore {}
}
