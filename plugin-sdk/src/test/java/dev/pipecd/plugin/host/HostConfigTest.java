// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Where a plugin started by the public contract keeps what outlives it.
class HostConfigTest {
    private static Path state(Map<String, String> environment) {
        var args =
                List.of(
                        "start",
                        "--piped-plugin-service",
                        "localhost:9087",
                        "--config",
                        "{\"name\": \"own\", \"port\": 7001}");
        return HostConfig.of(args, environment).stateDirectory();
    }

    @Test
    void ourAgentNamesThePlace() {
        assertThat(
                        state(
                                Map.of(
                                        "HOME",
                                        "/home/ann",
                                        "PIPECD_PLUGIN_STATE_DIRECTORY",
                                        "/data/plugins/plugin-state")))
                .isEqualTo(Path.of("/data/plugins/plugin-state"));
    }

    @Test
    void withThePublicAgentItIsInTheHomeOfItsUser() {
        assertThat(state(Map.of("HOME", "/home/ann")))
                .isEqualTo(Path.of("/home/ann/.piped/plugin-state"));
    }
}
