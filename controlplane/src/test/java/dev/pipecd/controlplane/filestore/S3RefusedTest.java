// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import dev.pipecd.config.Filestore;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What people read when the file store says no.
final class S3RefusedTest {
    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "501 | <Error><Message>KMS is not configured</Message></Error> | status 501 | it says: KMS is not configured",
                "501 | <Error><Code>NotImplemented</Code><Message>No KMS</Message></Error> | NotImplemented | it says: No KMS",
                "418 | tea | status 418 | Look at the file store",
                "400 | <Error><Code>InvalidBucketName</Code></Error> | InvalidBucketName | Correct filestore.config.bucket."
            })
    void whatTheServerSaysIsPassedOn(int status, String body, String code, String advice)
            throws IOException {
        var server = answering(status, body);
        try {
            var refused = refused("http://127.0.0.1:" + server.getAddress().getPort(), "mine");

            assertThat(refused)
                    .hasMessage(
                            "file store: s3://bucket/pipecd-is-not-here is refused with " + code);
            assertThat(refused.advice()).contains(advice).doesNotContain("null", "tried again");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aProfileThatIsNotThereIsNoServerThatDoesNotAnswer() throws IOException {
        var refused = refused("http://127.0.0.1:1", "another");

        assertThat(refused)
                .hasMessage(
                        "file store: no credentials for http://127.0.0.1:1 (expected: a key or a role)");
        assertThat(refused.advice()).startsWith("Check profile, credentialsFile").hasLineCount(1);
    }

    private Problem refused(String endpoint, String profile) throws IOException {
        var file =
                Files.writeString(
                        folder.resolve("credentials"),
                        "[mine]\naws_access_key_id = a\naws_secret_access_key = secret-secret\n");
        var store =
                new Filestore.S3(
                        "bucket",
                        "us-east-1",
                        new Filestore.AwsLogin(profile, file.toString(), "", ""),
                        new Filestore.S3Options(endpoint, true, "", "", ""));
        return catchThrowableOfType(Problem.class, () -> FileStores.open(store, folder));
    }

    private static HttpServer answering(int status, String body) throws IOException {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        var content = body.getBytes(UTF_8);
                        exchange.getResponseHeaders().set("Content-Type", "application/xml");
                        exchange.sendResponseHeaders(status, content.length);
                        exchange.getResponseBody().write(content);
                    }
                });
        server.start();
        return server;
    }
}
