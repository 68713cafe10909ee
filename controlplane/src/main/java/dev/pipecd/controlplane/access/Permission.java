// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import java.util.Map;

/// One thing a role allows.
///
/// @param labels only things that carry all of these; empty for everything of the kind
public record Permission(Resource resource, Action action, Map<String, String> labels) {
    public Permission {
        labels = Map.copyOf(labels);
    }
}
