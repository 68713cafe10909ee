// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServerBuilder;
import dev.pipecd.domain.Problem;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PortsTest {
    private static final Ports.Settings SETTINGS =
            new Ports.Settings(Optional.of("127.0.0.1"), Optional.empty(), Duration.ofSeconds(1));

    /// The Envoy of the public system stands where the gateway would.
    @Test
    void aPortNobodyAskedForStaysClosedWhereItIsTaken() throws Exception {
        try (var envoy = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                var ports = new Ports(SETTINGS)) {
            var taken = envoy.getLocalPort();
            ports.open(new Ports.Port("HTTP", "--http-port", 0, false), PortsTest::routes);

            ports.open(
                    new Ports.Port("gateway", "--gateway-port", taken, false, false),
                    PortsTest::routes);

            assertThat(ports.number("gateway")).isEmpty();
            assertThat(ports.number("HTTP")).isPresent();
            assertThatThrownBy(() ->
                            ports.open(
                                    new Ports.Port("gateway", "--gateway-port", taken, false),
                                    PortsTest::routes))
                    .isInstanceOf(Problem.class);
        }
    }

    private static void routes(ServerBuilder server) {
        server.service("/", (_, _) -> HttpResponse.of(200));
    }

    @Test
    void aPortThatNoMachineHasIsToldByItsFlag() {
        try (var ports = new Ports(SETTINGS)) {
            assertThatThrownBy(() ->
                            ports.open(
                                    new Ports.Port("HTTP", "--http-port", 99_999, false), _ -> {}))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "--http-port: 99999 (expected: 0 to 65535, or less than 0 to keep it closed)");
        }
    }
}
