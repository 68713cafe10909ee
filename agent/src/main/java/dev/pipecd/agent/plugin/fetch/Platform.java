// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

/// This machine in the words of registries and install scripts.
public final class Platform {
    private Platform() {}

    public static String os() {
        return "linux";
    }

    public static String architecture() {
        var name = System.getProperty("os.arch");
        return name.equals("aarch64") ? "arm64" : name;
    }
}
