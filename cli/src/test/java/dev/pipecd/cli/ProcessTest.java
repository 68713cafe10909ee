// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.api.ListApplicationsResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessTest {
    /// No thread of the connection may keep the process alive, and no library may speak on standard
    /// error.
    @Test
    void aFinishedCommandEndsItsProcessAndSaysNoMore() throws IOException, InterruptedException {
        var api =
                RecordingApiService.publicOne()
                        .answer(
                                ListApplicationsRequest.class,
                                ListApplicationsResponse.getDefaultInstance());
        try (var server = LoopbackServer.plaintext(api)) {
            var process =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "--enable-native-access=ALL-UNNAMED",
                                    "--sun-misc-unsafe-memory-access=allow",
                                    "-cp",
                                    System.getProperty(
                                            "surefire.test.class.path",
                                            System.getProperty("java.class.path")),
                                    "dev.pipecd.cli.Pipectl",
                                    "application",
                                    "list",
                                    "--insecure",
                                    "--api-key=k1.secret",
                                    "--address=" + server.address())
                            .redirectErrorStream(true)
                            .start();
            try {
                assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
                assertThat(process.exitValue()).isZero();
                assertThat(
                                new String(
                                        process.getInputStream().readAllBytes(),
                                        StandardCharsets.UTF_8))
                        .isEqualTo("No application matches.\n");
            } finally {
                process.destroyForcibly();
            }
        }
    }
}
