// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the plugin is given to do: its configuration (JSON), its deploy targets with theirs, tools
/// that are not on the PATH, the application's files, one stage that succeeds at once and one that
/// takes long.
public record Trial(
        String plugin,
        String config,
        Map<String, String> targets,
        Map<String, Path> tools,
        Path application,
        List<Sample> quick,
        List<Sample> lasting) {
    /// So that the stages everybody has can be looked at without telling how.
    private static final Map<String, Known> KNOWN =
            Map.of(
                    "WAIT", new Known("{\"duration\": \"1s\"}", "{\"duration\": \"30m\"}"),
                    "SCRIPT_RUN",
                            new Known(
                                    "{\"run\": \"echo done >>'%s'\"}",
                                    "{\"run\": \"echo begun >>'%s'; echo begun; sleep 30\"}"));

    public Trial {
        targets = new LinkedHashMap<>(targets);
        tools = Map.copyOf(tools);
        quick = List.copyOf(quick);
        lasting = List.copyOf(lasting);
    }

    /// A stage and its options.
    public record Sample(String stage, String with) {}

    /// Options; `%s` is the file in which a stage leaves a line each time it is really done.
    private record Known(String quick, String lasting) {}

    Optional<Sample> quick(List<String> offered, Deeds deeds) {
        return quick.stream()
                .findFirst()
                .or(() ->
                        known(offered).map(name -> new Sample(name, deeds.into(of(name).quick()))));
    }

    Optional<Sample> lasting(List<String> offered, Deeds deeds) {
        return lasting.stream()
                .findFirst()
                .or(() ->
                        known(offered)
                                .map(name -> new Sample(name, deeds.into(of(name).lasting()))));
    }

    private static Optional<String> known(List<String> offered) {
        return offered.stream().filter(KNOWN::containsKey).findFirst();
    }

    private static Known of(String name) {
        return KNOWN.getOrDefault(name, new Known("{}", "{}"));
    }
}
