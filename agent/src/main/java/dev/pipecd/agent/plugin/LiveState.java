// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ResourceState;
import java.util.List;

/// What a plugin tells of what really runs of an application, if it looks at all.
public sealed interface LiveState {
    /// @param drift how that compares with the commit; UNKNOWN when the plugin does not say
    record Seen(List<ResourceState> resources, ApplicationSyncState drift) implements LiveState {
        public Seen {
            resources = List.copyOf(resources);
        }
    }

    record NotOffered() implements LiveState {}
}
