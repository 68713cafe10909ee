// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationInfo;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Configurations that agents found in Git and nobody has registered: each agent's whole list
/// replaces its last one. In memory only, since a minute later it is told again.
public final class Suggestions {
    private final Map<ProjectId, Map<PipedId, List<ApplicationInfo>>> found =
            new ConcurrentHashMap<>();

    public void replace(Agent agent, List<ApplicationInfo> applications) {
        var mine =
                applications.stream()
                        .map(a -> a.toBuilder().setPipedId(agent.piped().value()).build())
                        .toList();
        found.computeIfAbsent(agent.project(), _ -> new ConcurrentHashMap<>())
                .put(agent.piped(), mine);
    }

    public List<ApplicationInfo> list(Caller caller) {
        caller.require(Resource.APPLICATION, Action.LIST);
        return found.getOrDefault(caller.project(), Map.of()).values().stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparing(ApplicationInfo::getPath))
                .toList();
    }
}
