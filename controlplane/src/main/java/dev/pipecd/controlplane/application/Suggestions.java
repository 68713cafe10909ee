// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.wire.model.ApplicationInfo;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Configurations that agents found in Git and nobody has registered: each agent's whole list
/// replaces its last one. A file for each agent, one configuration a line, because an agent that
/// finds nothing new says nothing: what was told once must outlive this process.
public final class Suggestions {
    private final Pipeds pipeds;
    private final FileStore files;

    public Suggestions(Pipeds pipeds, FileStore files) {
        this.pipeds = pipeds;
        this.files = files;
    }

    public void replace(Agent agent, List<ApplicationInfo> applications) {
        var path = path(agent.piped().value());
        var told =
                applications.stream()
                        .map(a -> a.toBuilder().setPipedId(agent.piped().value()).build())
                        .map(a -> GoJson.write(a) + "\n")
                        .collect(Collectors.joining())
                        .getBytes(StandardCharsets.UTF_8);
        var known = files.get(path).orElse(new byte[0]);
        // told every minute: only news is written
        if (!Arrays.equals(told, known)) files.put(path, told);
    }

    /// Those of agents that are enabled, by path.
    public List<ApplicationInfo> list(Caller caller) {
        caller.require(Resource.APPLICATION, Action.LIST);
        return pipeds.enabled(caller.project()).stream()
                .flatMap(piped -> stored(piped.getId()))
                .sorted(
                        Comparator.comparing(ApplicationInfo::getPath)
                                .thenComparing(ApplicationInfo::getPipedId))
                .toList();
    }

    private Stream<ApplicationInfo> stored(String piped) {
        return files.get(path(piped))
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8).lines())
                .orElse(Stream.empty())
                .map(line -> GoJson.read(ApplicationInfo.getDefaultInstance(), line));
    }

    private static FilePath path(String piped) {
        return FilePath.of("unregistered-applications", piped + ".jsonl");
    }
}
