// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.pipecd.config.Filestore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/// Who the server is to AWS, in the public order.
@ResourceLock(Resources.SYSTEM_PROPERTIES)
final class S3CredentialsTest {
    private static final String ANSWER =
            """
            <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
              <AssumeRoleWithWebIdentityResult><Credentials>
                <AccessKeyId>of-the-role</AccessKeyId><SecretAccessKey>s</SecretAccessKey>
                <SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>
              </Credentials></AssumeRoleWithWebIdentityResult>
            </AssumeRoleWithWebIdentityResponse>
            """;

    @TempDir private Path folder;

    @Test
    void aRoleIsTakenWithTheTokenOfAFile() throws Exception {
        var token = Files.writeString(folder.resolve("token"), "the-token");
        var asked = new AtomicReference<>("");
        var sts = answering(asked);
        System.setProperty("aws.endpointUrlSts", "http://127.0.0.1:" + sts.getAddress().getPort());
        try {
            var login = new Filestore.AwsLogin("", "", "arn:aws:iam::1:role/pipecd", "" + token);

            assertThat(key(login)).isEqualTo("of-the-role");
            assertThat(asked.get())
                    .contains("Action=AssumeRoleWithWebIdentity", "WebIdentityToken=the-token")
                    .contains("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fpipecd");
        } finally {
            System.clearProperty("aws.endpointUrlSts");
            sts.stop(0);
        }
    }

    @Test
    void aFileComesBeforeARoleAndAProfileIsLookedForInIt() throws Exception {
        var file =
                Files.writeString(
                        folder.resolve("credentials"),
                        """
                        [default]
                        aws_access_key_id = usual
                        aws_secret_access_key = s
                        [mine]
                        aws_access_key_id = mine
                        aws_secret_access_key = s
                        """);

        assertThat(key(new Filestore.AwsLogin("", "" + file, "arn", "token"))).isEqualTo("usual");
        assertThat(key(new Filestore.AwsLogin("mine", "" + file, "", ""))).isEqualTo("mine");
    }

    /// A role without its token is none, as with the public server.
    @Test
    void elseWhatTheMachineOffersIsTaken() {
        System.setProperty("aws.accessKeyId", "of-the-machine");
        System.setProperty("aws.secretAccessKey", "s");
        try {
            assertThat(key(new Filestore.AwsLogin("mine", "", "arn", "")))
                    .isEqualTo("of-the-machine");
        } finally {
            System.clearProperty("aws.accessKeyId");
            System.clearProperty("aws.secretAccessKey");
        }
    }

    private static String key(Filestore.AwsLogin login) {
        var s3 = new Filestore.S3("bucket", "us-east-1", login, Filestore.S3Options.none());
        return S3Clients.credentials(s3).resolveCredentials().accessKeyId();
    }

    private static HttpServer answering(AtomicReference<String> asked) throws IOException {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        asked.set(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
                        var answer = ANSWER.getBytes(UTF_8);
                        exchange.getResponseHeaders().set("content-type", "text/xml");
                        exchange.sendResponseHeaders(200, answer.length);
                        exchange.getResponseBody().write(answer);
                    }
                });
        server.start();
        return server;
    }
}
