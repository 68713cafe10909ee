// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.config.Endpoint;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;

/// A file named `s3://bucket/key`, read before any configuration is known: endpoint, region and
/// credentials are found as AWS's own tools find them.
///
/// @param name the flag that names it, for error texts
/// @param environment of this process
public record S3Document(String name, String place, Map<String, String> environment) {
    public static final String SCHEME = "s3://";
    private static final Pattern PLACE =
            Pattern.compile(SCHEME + "([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/(.+)");
    private static final int LARGEST = 4 << 20;

    public byte[] bytes() {
        var named = PLACE.matcher(place);
        if (!named.matches())
            throw unusable(
                    "s3://bucket/key",
                    "Name bucket and object: s3://my-bucket/control-plane.yaml.");
        try (var client = client(named.group(1))) {
            return read(client, named);
        } catch (AwsServiceException e) {
            throw refused(named.group(1), e);
        } catch (SdkException | IOException e) {
            throw unusable(
                    "an S3 server that answers",
                    "Check the network, the region (AWS_REGION), the credentials this process finds"
                            + " and, for another server than AWS, AWS_ENDPOINT_URL_S3; it says: "
                            + e.getMessage());
        }
    }

    private byte[] read(S3Client client, Matcher named) throws IOException {
        try (var in = client.getObject(g -> g.bucket(named.group(1)).key(named.group(2)))) {
            var bytes = in.readNBytes(LARGEST + 1);
            if (bytes.length > LARGEST)
                throw unusable("at most " + LARGEST + " bytes", "Name the object that is meant.");
            return bytes;
        }
    }

    private S3Client client(String bucket) {
        var endpoint = given("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL").map(this::address);
        var writing = new S3Place.Writing("", "", false);
        // Other servers than AWS seldom have a name for each bucket.
        var known =
                new S3Place(
                        endpoint,
                        endpoint.isPresent(),
                        region(endpoint.isPresent()),
                        bucket,
                        "",
                        writing);
        return S3Clients.of(
                known, DefaultCredentialsProvider.builder().build(), S3Clients.Patience.USUAL);
    }

    private String region(boolean elsewhere) {
        return given("AWS_REGION", "AWS_DEFAULT_REGION")
                .orElseGet(() ->
                        elsewhere
                                ? "us-east-1"
                                : new DefaultAwsRegionProviderChain().getRegion().id());
    }

    private Endpoint address(String text) {
        return Endpoint.parsed(text)
                .orElseThrow(() ->
                        new Problem(
                                Problem.Code.SETTING_INVALID,
                                "AWS_ENDPOINT_URL_S3: \"%s\" (expected: a URL such as https://s3.example.com)"
                                        .formatted(text),
                                "Correct the environment variable, or unset it for AWS."));
    }

    private Optional<String> given(String... names) {
        return Stream.of(names)
                .map(name -> environment.getOrDefault(name, ""))
                .filter(value -> !value.isBlank())
                .findFirst();
    }

    private Problem refused(String bucket, AwsServiceException e) {
        var details = e.awsErrorDetails();
        var code = details == null ? "" : String.valueOf(details.errorCode());
        return switch (code) {
            case "NoSuchBucket" ->
                    unusable(
                            "a bucket that is there",
                            "Create bucket %s, or correct the name.".formatted(bucket));
            case "NoSuchKey" ->
                    unusable(
                            "an object that is there",
                            "Put the file there (aws s3 cp FILE %s), or correct the name."
                                    .formatted(place));
            case "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken" ->
                    unusable(
                            "an object this process may read",
                            "Allow s3:GetObject on it to the role or key this process has; the"
                                    + " server says "
                                    + code
                                    + ".");
            default ->
                    unusable(
                            "an object that can be read",
                            "The server says: %s %s"
                                    .formatted(
                                            code.isEmpty() ? e.statusCode() : code,
                                            e.getMessage()));
        };
    }

    private Problem unusable(String expected, String advice) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "%s: %s (expected: %s)".formatted(name, place, expected),
                advice);
    }
}
