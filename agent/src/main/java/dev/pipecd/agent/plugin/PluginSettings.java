// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.config.PipedConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// What the plugins are, and how their host is run.
///
/// @param hostCommand starts the plugin host; its own arguments are added
/// @param servicePort where plugins call the agent; 0 is any free port
public record PluginSettings(
        Path dataDirectory,
        List<PipedConfig.Plugin> plugins,
        List<String> hostCommand,
        int servicePort,
        Timing timing) {
    public PluginSettings {
        plugins = List.copyOf(plugins);
        hostCommand = List.copyOf(hostCommand);
    }

    /// How patient supervision is.
    ///
    /// @param readyWithin a host that is not ready by then is started again
    /// @param silence a host that gave no sign of life for so long hangs
    /// @param firstDelay the pause before the first restart; it doubles up to `longestDelay`
    /// @param healthyAfter a run this long forgives the ends before it
    /// @param grace the time a host gets to leave by itself
    public record Timing(
            Duration readyWithin,
            Duration silence,
            Duration firstDelay,
            Duration longestDelay,
            Duration healthyAfter,
            Duration grace) {
        public static final Timing USUAL =
                new Timing(
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(10),
                        Duration.ofMillis(200),
                        Duration.ofSeconds(30),
                        Duration.ofMinutes(1),
                        Duration.ofSeconds(8));
    }
}
