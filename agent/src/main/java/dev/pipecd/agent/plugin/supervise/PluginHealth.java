// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

/// How a plugin does, in words for people.
public record PluginHealth(String name, boolean ok, String detail, String advice) {}
