// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.config.PipedConfig.DeployTarget;
import dev.pipecd.config.PipedConfig.Plugin;
import dev.pipecd.config.PlatformNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// The sections of a Piped document that are older than plugins: providers become deploy targets of
/// the plugin for their platform, the others what a plugin is told.
final class ProvidersReader {
    private static final List<String> TYPES =
            List.of("KUBERNETES", "TERRAFORM", "CLOUDRUN", "LAMBDA", "ECS");

    /// What every agent could do before there were plugins.
    private static final List<String> STAGES = List.of("wait", "waitapproval", "scriptrun");

    private final List<Plugin> plugins;
    private final Map<String, Once> names = new HashMap<>();
    private boolean old;

    private ProvidersReader(List<Plugin> plugins) {
        this.plugins = new ArrayList<>(plugins);
        this.old = plugins.isEmpty();
    }

    /// @param named the plugins written as such: one that serves a platform gets its providers
    static List<Plugin> read(Fields spec, List<Plugin> named) {
        var reader = new ProvidersReader(named);
        // Its name before it was called the next.
        reader.providers(spec.at("cloudProviders"));
        reader.providers(spec.at("platformProviders"));
        reader.told("kubernetes", spec.at("chartRepositories"), OldSectionsReader::chartRepository);
        reader.told("kubernetes", spec.at("chartRegistries"), OldSectionsReader::chartRegistry);
        reader.told("analysis", spec.at("analysisProviders"), OldSectionsReader::analysisProvider);
        if (reader.old) STAGES.forEach(reader::standIn);
        return reader.plugins;
    }

    @Keys(
            """
            platformProviders[].name | | | A deploy target of the plugin for its platform; once each per platform. The list may also be called `cloudProviders`; both may be written.
            platformProviders[].type | | | The platform: plugin `kubernetes`, `terraform`, `cloudrun`, `lambda` or `ecs`.
            platformProviders[].labels | | | Told to the plugin with its name.
            platformProviders[].config | | | What the deploy target is told; shown masked.
            """)
    private void providers(Field providers) {
        old |= providers.isWritten();
        providers.each(provider -> {
            var name = provider.at("name");
            var written = name.required();
            var labels = provider.at("labels").pairs();
            var type = provider.at("type").requiredChoice(TYPES).orElse("");
            var config = provider.at("config");
            config.section(fields -> {
                OldSectionsReader.target(type, fields);
                return fields;
            });
            var platform = PlatformNames.plain(type);
            names.computeIfAbsent(platform, this::namesOf).check(name, written);
            var target = new DeployTarget(written, labels, config.json(), type);
            if (!type.isEmpty())
                change(platform, plugin -> plugin.with(List.of(target), plugin.config()));
            return target;
        });
    }

    private Once namesOf(String platform) {
        var once = new Once("provider of a platform");
        plugins.stream()
                .filter(plugin -> plugin.serves(platform))
                .flatMap(plugin -> plugin.deployTargets().stream())
                .forEach(target -> once.note(target.name()));
        return once;
    }

    /// A list that is now part of what the plugin is told, under its old name.
    private void told(String platform, Field list, Consumer<Fields> check) {
        var written = list.json();
        list.each(one -> {
            check.accept(one);
            return one;
        });
        old |= list.isWritten();
        if (written.isEmpty()) return;
        change(
                platform,
                plugin -> {
                    var told = object(plugin.config());
                    if (told.has(list.key()))
                        list.mistake(
                                "beside the config of plugin %s (expected: only one of the two)"
                                        .formatted(plugin.name()));
                    told.set(list.key(), written);
                    return plugin.with(List.of(), told);
                });
    }

    private static ObjectNode object(JsonNode config) {
        return config instanceof ObjectNode object
                ? object.deepCopy()
                : JsonNodeFactory.instance.objectNode();
    }

    private void standIn(String stage) {
        if (plugins.stream().noneMatch(plugin -> plugin.serves(stage)))
            plugins.add(Plugin.standIn(stage));
    }

    /// The first plugin that serves the platform; the built-in one when none does.
    private void change(String platform, UnaryOperator<Plugin> change) {
        for (var index = 0; index < plugins.size(); index++) {
            if (!plugins.get(index).serves(platform)) continue;
            plugins.set(index, change.apply(plugins.get(index)));
            return;
        }
        plugins.add(change.apply(Plugin.builtin(platform)));
    }
}
