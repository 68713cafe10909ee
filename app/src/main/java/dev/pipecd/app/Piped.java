// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app;

import java.util.List;

/// `piped`: the agent, told how this distribution starts its plugin host.
public final class Piped {
    private Piped() {}

    public static void main(String[] args) {
        var host = Distribution.home().resolve("libexec/plugin-host").toString();
        System.exit(dev.pipecd.agent.Piped.run(List.of(host), args));
    }
}
