// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.plugin.supervise.Timing;
import dev.pipecd.config.PipedConfig;
import java.nio.file.Path;
import java.util.List;

/// What the plugins are, and how they are run.
///
/// @param hostCommand starts the plugin host; its own arguments are added
/// @param servicePort where plugins call the agent; 0 is any free port
/// @param maxRunningStages how many stages run at once, of all plugins together
/// @param notifier is told of plugins that are given up, and of their return
public record PluginSettings(
        Path dataDirectory,
        List<PipedConfig.Plugin> plugins,
        List<String> hostCommand,
        int servicePort,
        Timing timing,
        int maxRunningStages,
        Notifier notifier) {
    public PluginSettings {
        plugins = List.copyOf(plugins);
        hostCommand = List.copyOf(hostCommand);
    }
}
