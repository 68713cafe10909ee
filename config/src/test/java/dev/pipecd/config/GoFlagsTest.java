// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.launch.GoFlags;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GoFlagsTest {
    @ParameterizedTest
    @CsvSource({
        "server --metrics=false, server --metrics=false",
        "--log-level=debug server --tls, server --log-level=debug --tls",
        "--log-level debug server, server --log-level debug",
        "--metrics server, server --metrics",
        "--config-file server ops, ops --config-file server",
        "--metrics server --config-file ops, server --metrics --config-file ops",
        "--help, --help",
        "--log-level=debug servre, --log-level=debug servre"
    })
    void theCommandMayStandBehindFlagsButAValueIsNoCommand(String given, String read) {
        assertThat(GoFlags.commandFirst(List.of("server", "ops"), given.split(" ")))
                .containsExactly(read.split(" "));
    }
}
