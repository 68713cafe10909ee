// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.host.options.OptionsReader;
import dev.pipecd.plugin.platform.DeploymentPlugin;
import dev.pipecd.plugin.platform.LiveStatePlugin;
import dev.pipecd.plugin.platform.PlanPreviewPlugin;
import dev.pipecd.plugin.stage.DeployTarget;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.plugin.stage.Surroundings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What is around a plugin when it is asked about an application.
record HostedSurroundings(HostConfig.Entry entry, AgentClient agent, String application)
        implements Surroundings {

    /// Everything in the plugin's configuration that does not fit it.
    static List<String> mistakes(HostConfig.Entry entry, StageOwner plugin) {
        var mistakes = new ArrayList<String>();
        for (var part : parts(entry, plugin)) part.mistake().ifPresent(mistakes::add);
        if (entry.deployTargets().isEmpty() && needsTargets(plugin))
            mistakes.add("deployTargets: none (expected: at least one)");
        return mistakes;
    }

    /// Everything in it that nobody reads.
    static List<String> passedOver(HostConfig.Entry entry, StageOwner plugin) {
        return parts(entry, plugin).stream().flatMap(Part::passedOver).toList();
    }

    private static List<Part> parts(HostConfig.Entry entry, StageOwner plugin) {
        var parts = new ArrayList<Part>();
        parts.add(new Part("config", entry.config(), plugin.configType()));
        for (var target : entry.deployTargets())
            parts.add(
                    new Part(
                            "deployTargets." + target.name() + ".config",
                            target.config(),
                            plugin.targetConfigType()));
        return parts;
    }

    private static boolean needsTargets(StageOwner plugin) {
        return plugin instanceof DeploymentPlugin
                || plugin instanceof LiveStatePlugin
                || plugin instanceof PlanPreviewPlugin;
    }

    private static <T> T read(String json, Class<T> type) {
        return OptionsReader.configuration(json.getBytes(StandardCharsets.UTF_8), type);
    }

    @Override
    public <C> C config(Class<C> type) {
        return read(entry.config(), type);
    }

    @Override
    public <T> T config(DeployTarget target, Class<T> type) {
        return read(target.config(), type);
    }

    @Override
    public Path tool(String name, String version, String script) throws InterruptedException {
        return agent.tool(name, version, script);
    }

    @Override
    public Optional<byte[]> kept(String key) throws InterruptedException {
        return agent.shared(application, entry.name(), key);
    }

    @Override
    public void keep(String key, byte[] content) throws InterruptedException {
        agent.putShared(application, entry.name(), key, content);
    }

    private record Part(String where, String json, Class<?> type) {
        Optional<String> mistake() {
            try {
                var _ = read(json, type);
                return Optional.empty();
            } catch (Problem e) {
                return Optional.of(where + ": " + e.message());
            }
        }

        Stream<String> passedOver() {
            return OptionsReader.unknown(json.getBytes(StandardCharsets.UTF_8), type).stream()
                    .map(unknown -> where + ": " + unknown);
        }
    }
}
