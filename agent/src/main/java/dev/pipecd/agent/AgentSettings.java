// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.config.Loaded;
import dev.pipecd.config.PipedConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// What an agent is started with.
record AgentSettings(
        Loaded<PipedConfig> config,
        ControlPlaneClient.Security security,
        Path dataDirectory,
        int adminPort,
        boolean metrics,
        ForPlugins plugins,
        String launcherVersion) {
    /// How people know the machine the agent runs on.
    static String machine() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException elsewhere) {
            return System.getenv().getOrDefault("HOSTNAME", "unknown");
        }
    }

    /// @param host the command that starts the host of the built-in plugins
    /// @param fetchAnew whether programs that were fetched before are fetched again
    /// @param grace how long their processes may take to leave when the agent stops
    record ForPlugins(
            List<String> host,
            int servicePort,
            Path toolsDirectory,
            boolean fetchAnew,
            Duration grace) {}
}
