// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

import java.util.List;

/// What runs, as a tree of resources.
public record LiveState(List<Resource> resources) {
    public LiveState {
        resources = List.copyOf(resources);
    }

    public static LiveState of(Resource... resources) {
        return new LiveState(List.of(resources));
    }
}
