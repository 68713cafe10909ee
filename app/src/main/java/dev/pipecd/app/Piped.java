// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app;

import dev.pipecd.plugin.conformance.CheckPlugin;
import java.util.Arrays;
import java.util.List;

/// `piped`: the agent, told how this distribution starts its plugin host, and `check-plugin`.
public final class Piped {
    private Piped() {}

    public static void main(String[] args) {
        if (args.length > 0 && args[0].equals("check-plugin"))
            System.exit(CheckPlugin.run(Arrays.copyOfRange(args, 1, args.length)));
        var host = Distribution.home().resolve("libexec/plugin-host").toString();
        System.exit(dev.pipecd.agent.Piped.run(List.of(host), args));
    }
}
