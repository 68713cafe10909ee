// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.agent.plugin.supervise.PluginHealth;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.ApplicationConfig.Kind;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Which plugin owns which stage, decided per application by the plugins its deploy targets and
/// `plugins:` name.
public final class Owners {
    private final Plugins plugins;

    public Owners(Plugins plugins) {
        this.plugins = plugins;
    }

    /// The plugins of the application in the order of first appearance, each with the indexes of
    /// its stages.
    public Map<String, List<Integer>> of(Deployment deployment, ApplicationConfig config) {
        var owned = new LinkedHashMap<String, List<Integer>>();
        for (var index = 0; index < config.stages().size(); index++) {
            var owner = owner(config.stages().get(index).name(), deployment, config);
            owned.computeIfAbsent(owner, _ -> new java.util.ArrayList<>()).add(index);
        }
        if (owned.isEmpty())
            selected(deployment, config).forEach(name -> owned.put(name, List.of()));
        if (owned.isEmpty())
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "spec: neither pipeline.stages nor plugins (expected: at least one of them, or metadata.labels.kind)",
                    "Write a pipeline, or name the plugin that deploys this application under `plugins:`.");
        return owned;
    }

    /// Whom the file names; where it names nobody, who serves the platform it tells.
    private Set<String> selected(Deployment deployment, ApplicationConfig config) {
        var written = written(config);
        written.forEach(this::requireKnown);
        var platform = config.about().platform();
        return !written.isEmpty() || platform.isEmpty() ? written : serving(platform, deployment);
    }

    private Set<String> serving(String platform, Deployment deployment) {
        var serving = plugins.serving(platform);
        var aimedAt =
                plugins.names().stream()
                        .filter(deployment.getDeployTargetsByPluginMap()::containsKey)
                        .toList();
        var narrowed = aimedAt.stream().filter(serving::contains).toList();
        if (narrowed.size() == 1) return Set.of(narrowed.getFirst());
        // Another version has a name of its own, and the targets are its.
        if (narrowed.isEmpty() && !aimedAt.isEmpty()) return new LinkedHashSet<>(aimedAt);
        if (serving.contains(platform)) return Set.of(platform);
        if (serving.size() == 1) return Set.of(serving.getFirst());
        if (serving.isEmpty())
            throw new Problem(
                    Problem.Code.PLUGIN_UNKNOWN,
                    "platform: \"%s\" (expected: one that a plugin of %s serves)"
                            .formatted(platform, String.join(", ", plugins.names())),
                    "Correct the kind in the application's configuration, or add the plugin to the agent's `plugins:`.");
        throw new Problem(
                Problem.Code.PLUGIN_UNKNOWN,
                "platform: \"%s\" is served by the plugins %s (expected: deploy targets of one of them)"
                        .formatted(platform, String.join(", ", serving)),
                "Choose deploy targets of one of them for this application.");
    }

    /// Who runs a stage of a plan: whose it was when it was planned, also when others offer it by
    /// now.
    public String owner(PipelineStage planned, Deployment deployment, ApplicationConfig config) {
        var kept = kept(planned);
        if (kept.isEmpty()) return owner(planned.getName(), deployment, config);
        if (!plugins.isKnown(kept.get()))
            throw notReady("is", planned.getName(), plugins.line(kept.get()).health());
        return kept.get();
    }

    /// Whose a stage was when it was planned. Empty when that was not written down, or when that
    /// plugin is none of this agent's any more or says that it cannot run it.
    public Optional<String> kept(PipelineStage planned) {
        return PlannedOwner.of(planned)
                .filter(plugins.names()::contains)
                .filter(plugin -> !plugins.isMissing(plugin))
                .filter(plugin ->
                        !plugins.isKnown(plugin)
                                || plugins.stagesOf(plugin).contains(planned.getName()));
    }

    private String owner(String stage, Deployment deployment, ApplicationConfig config) {
        var owners = plugins.ownersOf(stage);
        for (var named : words(deployment, config)) {
            var narrowed = owners.stream().filter(named::contains).toList();
            if (narrowed.size() == 1) return narrowed.getFirst();
            if (narrowed.isEmpty()) waitForNamed(stage, named, !owners.isEmpty());
            else owners = narrowed;
        }
        // What was added without a word must not stand in the way of what was written.
        if (owners.size() > 1)
            owners = owners.stream().filter(name -> !plugins.standsIn(name)).toList();
        if (owners.size() > 1) {
            throw new Problem(
                    Problem.Code.PLUGIN_UNKNOWN,
                    "stage: \"%s\" is offered by the plugins %s (expected: one of them named by this application)"
                            .formatted(stage, String.join(", ", owners)),
                    "Name one of them under `plugins:` of the application's configuration, or in its deploy targets.");
        }
        if (owners.isEmpty())
            throw new Problem(
                    Problem.Code.STAGE_UNKNOWN,
                    "stage: \"%s\" (expected: one of %s)"
                            .formatted(stage, String.join(", ", offered())),
                    "Correct the name in the application's configuration, or add a plugin that offers it to the agent's `plugins:`."
                            + missing());
        return owners.getFirst();
    }

    /// A plugin this application names and that has not told yet what it offers may be the owner:
    /// another version of it must not step in meanwhile. One that this version does not have will
    /// never tell, and is not waited for when somebody else offers the stage.
    private void waitForNamed(String stage, Set<String> named, boolean offered) {
        for (var plugin : plugins.health())
            if (named.contains(plugin.name())
                    && !plugins.isKnown(plugin.name())
                    && !(offered && plugins.isMissing(plugin.name())))
                throw notReady("may be", stage, plugin);
    }

    private static Problem notReady(String whether, String stage, PluginHealth plugin) {
        return new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "stage: \"%s\" %s of plugin %s, which is not ready: %s"
                        .formatted(stage, whether, plugin.name(), plugin.detail()),
                plugin.advice().isEmpty() ? "See /healthz of the agent." : plugin.advice());
    }

    /// By which an application chooses, the strongest first: its deploy targets, whom its author
    /// names, and the platform.
    private List<Set<String>> words(Deployment deployment, ApplicationConfig config) {
        return List.of(
                deployment.getDeployTargetsByPluginMap().keySet(),
                written(config),
                Set.copyOf(plugins.serving(config.about().platform())));
    }

    /// Whom the author names under `plugins:`. What an old kind has there for its platform, and a
    /// platform that has no plugin of its name, say no more than the platform does.
    private Set<String> written(ApplicationConfig config) {
        var platform = config.about().platform();
        var written = new LinkedHashSet<>(config.plugins().keySet());
        if (config.about().kind() != Kind.APPLICATION || !plugins.names().contains(platform))
            written.remove(platform);
        return written;
    }

    private String missing() {
        var missing = plugins.names().stream().filter(plugins::isMissing).toList();
        return missing.isEmpty()
                ? ""
                : " This version has no built-in for %s.".formatted(String.join(", ", missing));
    }

    private List<String> offered() {
        return plugins.names().stream()
                .flatMap(name -> plugins.stagesOf(name).stream())
                .distinct()
                .sorted()
                .toList();
    }

    private void requireKnown(String name) {
        if (!plugins.names().contains(name))
            throw new Problem(
                    Problem.Code.PLUGIN_UNKNOWN,
                    "plugins: \"%s\" (expected: one of %s)"
                            .formatted(name, String.join(", ", plugins.names())),
                    "Correct the name in the application's configuration, or add the plugin to the agent's `plugins:`.");
    }
}
