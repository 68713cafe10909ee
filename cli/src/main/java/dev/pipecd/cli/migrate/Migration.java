// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.migrate;

import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/// Turns an application of an old kind into one for plugins. Works on the tree of the text, so that
/// comments, order and spelling of what is not touched stay.
final class Migration {
    private static final Map<String, String> PLUGINS =
            Map.of(
                    "KubernetesApp", "kubernetes",
                    "TerraformApp", "terraform",
                    "LambdaApp", "lambda",
                    "CloudRunApp", "cloudrun",
                    "ECSApp", "ecs");
    private static final Set<String> OF_THE_PLATFORM =
            Set.of(
                    "input",
                    "quickSync",
                    "service",
                    "workloads",
                    "trafficRouting",
                    "variantLabel",
                    "resourceRoutes");

    private final String plugin;
    private final MappingNode spec;

    private Migration(String plugin, MappingNode spec) {
        this.plugin = plugin;
        this.spec = spec;
    }

    /// The new text; empty when there is nothing to do.
    static Optional<String> of(String origin, String text) {
        var root = parsed(origin, text);
        var kind = Trees.scalar(root, "kind").orElseThrow(() -> unfit(origin, "kind: missing"));
        if (kind.getValue().equals("Application")) return Optional.empty();
        if (!PLUGINS.containsKey(kind.getValue())) throw unfit(origin, "kind: " + kind.getValue());
        var spec = Trees.mapping(root, "spec").orElseThrow(() -> unfit(origin, "spec: missing"));
        new Migration(PLUGINS.getOrDefault(kind.getValue(), ""), spec).migrate();
        Trees.put(root, "kind", Trees.text("Application"));
        return Optional.of(written(root));
    }

    private static MappingNode parsed(String origin, String text) {
        var options = new LoaderOptions();
        options.setProcessComments(true);
        options.setMaxAliasesForCollections(50);
        try {
            if (new Yaml(options).compose(new StringReader(text)) instanceof MappingNode root)
                return root;
            throw unfit(origin, "no object");
        } catch (YAMLException e) {
            throw unfit(origin, String.valueOf(e.getMessage()).replaceAll("\\s+", " ").strip());
        }
    }

    private static Problem unfit(String origin, String what) {
        return new Problem(
                Code.CONFIG_INVALID,
                "%s: %s (expected: kind KubernetesApp, TerraformApp, LambdaApp, CloudRunApp or ECSApp with a spec)"
                        .formatted(origin, what),
                "Correct the file; it was left as it is.");
    }

    private static String written(Node root) {
        var options = new DumperOptions();
        options.setProcessComments(true);
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setSplitLines(false);
        options.setIndicatorIndent(2);
        options.setIndentWithIndicator(true);
        var out = new StringWriter();
        new Yaml(options).serialize(root, out);
        return out.toString();
    }

    private void migrate() {
        keepRollback();
        var platform = new ArrayList<NodeTuple>();
        var rest = new ArrayList<NodeTuple>();
        for (var each : spec.getValue())
            (OF_THE_PLATFORM.contains(Trees.name(each)) ? platform : rest).add(each);
        var analysis = raiseStageSettings() && plugin.equals("kubernetes");
        var namespace = namespace();
        spec.setValue(rest);
        var plugins = Trees.mapping(spec, "plugins").orElseGet(Trees::mapping);
        var own = Trees.mapping(plugins, plugin).orElseGet(Trees::mapping);
        own.getValue().addAll(platform);
        Trees.put(plugins, plugin, own);
        if (analysis && Trees.mapping(plugins, "analysis").isEmpty()) {
            var arguments = Trees.mapping();
            Trees.put(arguments, "k8sNamespace", Trees.text(namespace));
            var settings = Trees.mapping();
            Trees.put(settings, "appCustomArgs", arguments);
            Trees.put(plugins, "analysis", settings);
        }
        Trees.put(spec, "plugins", plugins);
    }

    /// Old agents read it from `input` and take terraform's as false; new ones read `planner` only,
    /// and take it as true.
    private void keepRollback() {
        var planner = Trees.mapping(spec, "planner").orElseGet(Trees::mapping);
        if (Trees.scalar(planner, "autoRollback").isPresent()) return;
        var own =
                Trees.mapping(spec, "input")
                        .flatMap(input -> Trees.scalar(input, "autoRollback"))
                        .map(ScalarNode::getValue)
                        .orElse(plugin.equals("terraform") ? "false" : "true");
        if (own.equals("true")) return;
        Trees.put(planner, "autoRollback", Trees.plain(Tag.BOOL, own));
        Trees.put(spec, "planner", planner);
    }

    private String namespace() {
        return Trees.mapping(spec, "input")
                .flatMap(input -> Trees.scalar(input, "namespace"))
                .map(ScalarNode::getValue)
                .orElse("default");
    }

    /// Time-out and skipping belong to the stage now; what stood in `with` stays there for old
    /// agents. True when a stage analyses.
    private boolean raiseStageSettings() {
        var stages =
                Trees.mapping(spec, "pipeline")
                        .flatMap(pipeline -> Trees.at(pipeline, "stages"))
                        .filter(SequenceNode.class::isInstance)
                        .map(found -> ((SequenceNode) found).getValue())
                        .orElse(List.of());
        var analyses = false;
        for (var each : stages) {
            if (!(each instanceof MappingNode stage)) continue;
            analyses |=
                    Trees.scalar(stage, "name")
                            .filter(name -> name.getValue().equals("ANALYSIS"))
                            .isPresent();
            Trees.mapping(stage, "with")
                    .ifPresent(with -> {
                        for (var key : List.of("timeout", "skipOn"))
                            Trees.at(with, key)
                                    .ifPresent(value -> Trees.put(stage, key, Trees.copy(value)));
                    });
        }
        return analyses;
    }
}
