// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.config.Endpoint;
import dev.pipecd.config.Filestore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider;

/// The connection to an S3 server, as the configuration describes it: bounded in time and tries.
final class S3Clients {
    private static final Duration CONNECT = Duration.ofSeconds(3);

    private S3Clients() {}

    static S3Client of(S3Place place, AwsCredentialsProvider credentials, Patience patience) {
        var client =
                S3Client.builder()
                        .region(Region.of(place.region()))
                        .credentialsProvider(credentials)
                        .httpClient(http(patience))
                        .forcePathStyle(place.pathStyle())
                        // Other servers than AWS stumble over what newer clients add by themselves.
                        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                        .serviceConfiguration(s -> s.chunkedEncodingEnabled(false))
                        .overrideConfiguration(bounds(patience, place.endpoint()));
        place.endpoint().map(Endpoint::uri).ifPresent(client::endpointOverride);
        return client.build();
    }

    /// The public order: a file, a role with a token, else whatever the machine offers.
    static AwsCredentialsProvider credentials(Filestore.S3 s3) {
        var login = s3.login();
        if (!login.credentialsFile().isEmpty()) return fromFile(login);
        if (!login.roleArn().isEmpty() && !login.tokenFile().isEmpty())
            return StsWebIdentityTokenFileCredentialsProvider.builder()
                    .roleArn(login.roleArn())
                    .roleSessionName("pipecd")
                    .webIdentityTokenFile(Path.of(login.tokenFile()))
                    .stsClient(
                            StsClient.builder()
                                    .region(Region.of(s3.region()))
                                    .httpClient(http(Patience.USUAL))
                                    .overrideConfiguration(bounds(Patience.USUAL, Optional.empty()))
                                    .build())
                    .build();
        return DefaultCredentialsProvider.builder().build();
    }

    private static AwsCredentialsProvider fromFile(Filestore.AwsLogin login) {
        return ProfileCredentialsProvider.builder()
                .profileName(login.profile().isEmpty() ? "default" : login.profile())
                .profileFile(
                        ProfileFile.builder()
                                .content(Path.of(login.credentialsFile()))
                                .type(ProfileFile.Type.CREDENTIALS)
                                .build())
                .build();
    }

    static AwsCredentialsProvider credentials(Filestore.Minio minio) {
        if (!minio.accessKey().isSet()) return DefaultCredentialsProvider.builder().build();
        return StaticCredentialsProvider.create(
                AwsBasicCredentials.create(
                        minio.accessKey().stripped().reveal(),
                        minio.secretKey().stripped().reveal()));
    }

    private static SdkHttpClient http(Patience patience) {
        return UrlConnectionHttpClient.builder()
                .connectionTimeout(CONNECT)
                .socketTimeout(patience.oneTry())
                .build();
    }

    private static ClientOverrideConfiguration bounds(
            Patience patience, Optional<Endpoint> endpoint) {
        var bounds =
                ClientOverrideConfiguration.builder()
                        .apiCallAttemptTimeout(patience.oneTry())
                        .apiCallTimeout(patience.allTries())
                        .retryStrategy(RetryMode.STANDARD);
        endpoint.filter(Endpoint::isRenamed)
                .ifPresent(e -> bounds.addExecutionInterceptor(new TrueName(e)));
        return bounds.build();
    }

    /// Asks the host by its own name again, before the request is signed: the SDK takes none with
    /// an underscore as an endpoint.
    private record TrueName(Endpoint endpoint) implements ExecutionInterceptor {
        @Override
        public SdkHttpRequest modifyHttpRequest(
                Context.ModifyHttpRequest context, ExecutionAttributes attributes) {
            var request = context.httpRequest();
            var bucket = request.host().length() - endpoint.host().length(); // stands before it
            return request.toBuilder()
                    .host(request.host().substring(0, bucket) + endpoint.host())
                    .build();
        }
    }

    /// How long a server that does not answer is waited for.
    record Patience(Duration oneTry, Duration allTries) {
        static final Patience USUAL = new Patience(Duration.ofSeconds(8), Duration.ofSeconds(20));
    }
}
