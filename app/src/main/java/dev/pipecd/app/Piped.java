// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app;

import dev.pipecd.plugin.conformance.CheckPlugin;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// `piped`: the agent, told how this distribution starts its plugin host, and `check-plugin`.
public final class Piped {
    static final Map<String, Supplier<Object>> FURTHER = Map.of("check-plugin", CheckPlugin::new);

    private Piped() {}

    public static void main(String[] args) {
        System.exit(
                run(
                        Distribution.home(),
                        new PrintWriter(System.out, true),
                        new PrintWriter(System.err, true),
                        args));
    }

    static int run(Path home, PrintWriter out, PrintWriter err, String... args) {
        return dev.pipecd.agent.Piped.run(
                List.of(home.resolve("libexec/plugin-host").toString()), FURTHER, out, err, args);
    }
}
