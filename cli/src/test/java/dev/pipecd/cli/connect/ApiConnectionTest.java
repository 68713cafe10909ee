// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ApiConnectionTest {
    @Test
    void whoAcceptsButNeverAnswersIsNotWaitedForLong() throws IOException {
        try (var silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            var endpoint =
                    new Endpoint(
                            "localhost:" + silent.getLocalPort(),
                            ApiKey.given("k1.secret"),
                            new Transport.Plaintext());

            assertThatThrownBy(() -> ApiConnection.open(endpoint, Duration.ofSeconds(1)))
                    .hasMessage(
                            "--address: localhost:%d (expected: a control plane that answers; nothing answered within 1 s)"
                                    .formatted(silent.getLocalPort()));
        }
    }

    @Test
    void aKeyIsNotPrintedByAccident() {
        var endpoint =
                new Endpoint("localhost:1", ApiKey.given("k1.secret"), new Transport.Plaintext());

        assertThat(endpoint.toString()).doesNotContain("secret").contains("--api-key");
    }
}
