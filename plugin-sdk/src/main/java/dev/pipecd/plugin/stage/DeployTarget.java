// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

import java.util.Map;

/// A place the agent's configuration names for this plugin; `config` is JSON.
public record DeployTarget(String name, Map<String, String> labels, String config) {
    public DeployTarget {
        labels = Map.copyOf(labels);
    }
}
