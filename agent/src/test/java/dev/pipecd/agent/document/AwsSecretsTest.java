// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

final class AwsSecretsTest {
    private static final String SECRET = "arn:aws:secretsmanager:eu-west-1:1234:secret:piped-a1B2";
    private static final String PARAMETER = "arn:aws:ssm:eu-west-3:1234:parameter/piped";

    private final Asking asking = new Asking(Map.of());
    private SmallServer server;
    private AwsSecrets aws;

    @BeforeEach
    void start() throws Exception {
        server = new SmallServer();
        aws =
                new AwsSecrets(
                        asking,
                        StaticCredentialsProvider.create(
                                AwsBasicCredentials.create("AKID", "secret-key")),
                        Map.of("AWS_ENDPOINT_URL", server.address()));
    }

    @AfterEach
    void stop() {
        asking.close();
        server.close();
    }

    @Test
    void aSecretIsAskedForInItsRegionWithASignature() throws Exception {
        server.answer("/", "{\"SecretString\": \"YTog\"}");

        assertThat(aws.secret(SECRET)).isEqualTo("YTog");

        var asked = server.asked().getFirst();
        assertThat(asked.body()).isEqualTo("{\"SecretId\":\"" + SECRET + "\"}");
        assertThat(asked.header("X-amz-target")).isEqualTo("secretsmanager.GetSecretValue");
        assertThat(asked.header("Content-type")).isEqualTo("application/x-amz-json-1.1");
        assertThat(asked.header("Authorization"))
                .matches(
                        "AWS4-HMAC-SHA256 Credential=AKID/\\d{8}/eu-west-1/secretsmanager/aws4_request, SignedHeaders=\\S+, Signature=[0-9a-f]{64}");
    }

    @Test
    void aParameterIsAskedForDecrypted() throws Exception {
        server.answer("/", "{\"Parameter\": {\"Value\": \"YTog\"}}");

        assertThat(aws.parameter(PARAMETER)).isEqualTo("YTog");

        var asked = server.asked().getFirst();
        assertThat(asked.body())
                .isEqualTo("{\"Name\":\"" + PARAMETER + "\",\"WithDecryption\":true}");
        assertThat(asked.header("X-amz-target")).isEqualTo("AmazonSSM.GetParameter");
        assertThat(asked.header("Authorization")).contains("/eu-west-3/ssm/aws4_request");
    }

    @Test
    void aRefusalIsToldInTheServersWords() {
        server.answer("/", "{\"__type\": \"AccessDeniedException\", \"Message\": \"not yours\"}")
                .refuse(400);

        assertThatThrownBy(() -> aws.secret(SECRET))
                .hasMessage(
                        "%s: answers 400, \"not yours\" (expected: the agent's configuration)"
                                .formatted(server.authority()));
    }

    @Test
    void aSecretThatIsNoTextIsTold() {
        server.answer("/", "{\"SecretBinary\": \"YTog\"}");

        assertThatThrownBy(() -> aws.secret(SECRET))
                .hasMessage(SECRET + ": holds no text (expected: the configuration in Base64)");
    }

    @Test
    void anAnswerThatIsNoJsonIsNotQuoted() {
        server.answer("/", "hunter2");

        assertThatThrownBy(() -> aws.secret(SECRET))
                .hasMessage(
                        "%s: JsonParseException (expected: the agent's configuration)"
                                .formatted(server.authority()));
    }
}
