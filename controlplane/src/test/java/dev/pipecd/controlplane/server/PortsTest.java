// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PortsTest {
    @Test
    void aPortThatNoMachineHasIsToldByItsFlag() {
        var settings =
                new Ports.Settings(Optional.of("127.0.0.1"), Optional.empty(), Duration.ZERO);
        try (var ports = new Ports(settings)) {
            assertThatThrownBy(() ->
                            ports.open(
                                    new Ports.Port("HTTP", "--http-port", 99_999, false), _ -> {}))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "--http-port: 99999 (expected: 0 to 65535, or less than 0 to keep it closed)");
        }
    }
}
