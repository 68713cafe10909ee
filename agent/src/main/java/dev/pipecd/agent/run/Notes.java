// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.Entry.Noted;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Deployment;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// What plugins and the agent noted down about one deployment: per stage, and per plugin.
final class Notes {
    private final Map<String, Map<String, String>> byScope = new HashMap<>();

    static String stage(StageId stage) {
        return "stage:" + stage.value();
    }

    static String plugin(String name) {
        return "plugin:" + name;
    }

    /// What the public document carries already.
    synchronized void take(Deployment sheet) {
        sheet.getStagesList()
                .forEach(s ->
                        byScope.computeIfAbsent("stage:" + s.getId(), _ -> new LinkedHashMap<>())
                                .putAll(s.getMetadataMap()));
        sheet.getMetadataV2()
                .getPluginsMap()
                .forEach((name, values) ->
                        byScope.computeIfAbsent(plugin(name), _ -> new LinkedHashMap<>())
                                .putAll(values.getKeyValuesMap()));
    }

    /// Everything known in the scope with this: the public protocol saves whole maps.
    synchronized Map<String, String> with(Noted noted) {
        var values = new LinkedHashMap<>(all(noted.scope()));
        values.putAll(noted.values());
        return values;
    }

    /// Merges, and answers everything known in the scope.
    synchronized Map<String, String> put(Noted noted) {
        var values = byScope.computeIfAbsent(noted.scope(), _ -> new LinkedHashMap<>());
        values.putAll(noted.values());
        return Map.copyOf(values);
    }

    synchronized Optional<String> get(String scope, String key) {
        return Optional.ofNullable(all(scope).get(key));
    }

    synchronized Map<String, String> all(String scope) {
        return Map.copyOf(byScope.getOrDefault(scope, Map.of()));
    }
}
