// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.domain.Problem;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.regions.PartitionMetadata;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;

/// What is kept in AWS Secrets Manager and AWS Systems Manager. Two calls, signed by the SDK and
/// sent by the JDK: a client of the SDK for each would be megabytes for nothing.
final class AwsSecrets {
    private static final String JSON = "application/x-amz-json-1.1";

    private final Asking asking;
    private final AwsCredentialsProvider credentials;
    private final Map<String, String> environment;

    /// @param environment may name other servers, as AWS has it: `AWS_ENDPOINT_URL`
    AwsSecrets(Asking asking, AwsCredentialsProvider credentials, Map<String, String> environment) {
        this.asking = asking;
        this.credentials = credentials;
        this.environment = Map.copyOf(environment);
    }

    String secret(String id) throws InterruptedException {
        var service =
                new Service("secretsmanager", "SECRETS_MANAGER", "secretsmanager.GetSecretValue");
        var asked = JsonNodeFactory.instance.objectNode().put("SecretId", id);
        return text(id, ask(service, id, asked).at("/SecretString"));
    }

    String parameter(String name) throws InterruptedException {
        var service = new Service("ssm", "SSM", "AmazonSSM.GetParameter");
        var asked =
                JsonNodeFactory.instance.objectNode().put("Name", name).put("WithDecryption", true);
        return text(name, ask(service, name, asked).at("/Parameter/Value"));
    }

    /// @param variable how the service is called in names of environment variables
    private record Service(String name, String variable, String action) {}

    private JsonNode ask(Service service, String id, ObjectNode asked) throws InterruptedException {
        try {
            var region = region(id);
            var address = address(service, region);
            var body = asked.toString();
            var request =
                    SdkHttpRequest.builder()
                            .method(SdkHttpMethod.POST)
                            .uri(address)
                            .putHeader("Content-Type", JSON)
                            .putHeader("X-Amz-Target", service.action())
                            .build();
            var signed =
                    AwsV4HttpSigner.create()
                            .sign(order ->
                                    order.identity(credentials.resolveCredentials())
                                            .request(request)
                                            .payload(ContentStreamProvider.fromUtf8String(body))
                                            .putProperty(
                                                    AwsV4HttpSigner.SERVICE_SIGNING_NAME,
                                                    service.name())
                                            .putProperty(AwsV4HttpSigner.REGION_NAME, region.id()));
            var question = HttpRequest.newBuilder(address).POST(BodyPublishers.ofString(body));
            signed.request()
                    .forEachHeader((name, values) -> {
                        // The JDK sets it by itself, and lets nobody else.
                        if (!name.equalsIgnoreCase("Host")
                                && !name.equalsIgnoreCase("Content-Length"))
                            values.forEach(value -> question.header(name, value));
                    });
            return asking.ask(question);
        } catch (SdkException | IllegalArgumentException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "%s: AWS is not asked: %s (expected: credentials and a region)"
                            .formatted(id, e.getMessage()),
                    "Give the agent a role or keys, and set AWS_REGION.",
                    e);
        }
    }

    /// A full name tells its region: arn:PARTITION:SERVICE:REGION:…
    private Region region(String id) {
        var parts = id.split(":", -1);
        return parts.length > 5 && parts[0].equals("arn") && !parts[3].isEmpty()
                ? Region.of(parts[3])
                : new DefaultAwsRegionProviderChain().getRegion();
    }

    private URI address(Service service, Region region) {
        var other =
                Optional.ofNullable(environment.get("AWS_ENDPOINT_URL_" + service.variable()))
                        .or(() -> Optional.ofNullable(environment.get("AWS_ENDPOINT_URL")));
        return URI.create(
                other.orElseGet(() ->
                                "https://%s.%s.%s"
                                        .formatted(
                                                service.name(),
                                                region.id(),
                                                PartitionMetadata.of(region).dnsSuffix()))
                        .replaceFirst("/*$", "/"));
    }

    private static String text(String id, JsonNode value) {
        if (value.isTextual()) return value.textValue();
        throw new Problem(
                Problem.Code.SETTING_INVALID,
                "%s: holds no text (expected: the configuration in Base64)".formatted(id),
                "Store it as text.");
    }
}
