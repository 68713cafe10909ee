// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin;

import dev.pipecd.plugin.host.PluginHost;
import dev.pipecd.plugin.stage.StageOwner;
import java.util.List;

/// The first line of a plugin's `main`: serves what it offers until the agent ends the process.
public final class Plugin {
    private Plugin() {}

    public static void serve(String[] args, StageOwner... plugins) {
        PluginHost.serve(List.of(args), List.of(plugins));
    }
}
