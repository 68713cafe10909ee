// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.doctor.Finding;
import dev.pipecd.controlplane.doctor.PortsLook;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PortsLookTest {
    @Test
    void aPortThatIsTakenAndNobodyAskedForIsAWarning() throws Exception {
        try (var envoy = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            var number = envoy.getLocalPort();
            var gateway = new PortsLook.Port("--gateway-port", number, false);
            var taken = new PortsLook.Port("--http-port", number);

            assertThat(looked(gateway))
                    .isEqualTo(
                            Finding.warning(
                                    "--gateway-port: %d is taken; the other ports serve alone"
                                            .formatted(number),
                                    "Where a proxy stands there, give -1 to say so; else another port with the flag."));
            assertThat(looked(gateway, taken).found())
                    .isEqualTo(
                            "--http-port: %d (expected: free, and one this user may open)"
                                    .formatted(number));
        }
    }

    @Test
    void twoThatAServerNeedsOfOneNumberAreAFault() throws Exception {
        var number = free();
        var agents = new PortsLook.Port("--piped-api-port", number);
        var gateway = new PortsLook.Port("--gateway-port", number, false);

        assertThat(looked(agents, new PortsLook.Port("--api-port", number), gateway))
                .isEqualTo(
                        Finding.failed(
                                "--piped-api-port: %1$d, --api-port: %1$d (expected: each number once)"
                                        .formatted(number),
                                "Give one of them another port with its flag; below 0 it stays closed."));
        assertThat(looked(agents, gateway))
                .extracting(Finding::state, Finding::found)
                .containsExactly(
                        Finding.State.WARNING,
                        "--gateway-port: %d is taken; the other ports serve alone"
                                .formatted(number));
    }

    private static int free() throws Exception {
        try (var socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    private static Finding looked(PortsLook.Port... ports) throws InterruptedException {
        return new PortsLook("127.0.0.1", List.of(ports), 0, Duration.ofMinutes(1)).now();
    }
}
