// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.migrate;

import java.util.ArrayList;
import java.util.Optional;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/// Reads and changes the tree of a YAML text.
final class Trees {
    private Trees() {}

    static String name(NodeTuple entry) {
        return entry.getKeyNode() instanceof ScalarNode key ? key.getValue() : "";
    }

    static Optional<Node> at(MappingNode mapping, String key) {
        return mapping.getValue().stream()
                .filter(entry -> name(entry).equals(key))
                .findFirst()
                .map(NodeTuple::getValueNode);
    }

    static Optional<MappingNode> mapping(MappingNode mapping, String key) {
        return at(mapping, key).filter(MappingNode.class::isInstance).map(MappingNode.class::cast);
    }

    static Optional<ScalarNode> scalar(MappingNode mapping, String key) {
        return at(mapping, key).filter(ScalarNode.class::isInstance).map(ScalarNode.class::cast);
    }

    /// In the place of what stood there, or at the end.
    static void put(MappingNode mapping, String key, Node value) {
        var entries = mapping.getValue();
        for (var i = 0; i < entries.size(); i++) {
            if (!name(entries.get(i)).equals(key)) continue;
            entries.set(i, new NodeTuple(entries.get(i).getKeyNode(), value));
            return;
        }
        entries.add(new NodeTuple(plain(Tag.STR, key), value));
    }

    static MappingNode mapping() {
        return new MappingNode(Tag.MAP, new ArrayList<>(), FlowStyle.BLOCK);
    }

    static ScalarNode text(String value) {
        return plain(Tag.STR, value);
    }

    static ScalarNode plain(Tag tag, String value) {
        return new ScalarNode(tag, value, null, null, ScalarStyle.PLAIN);
    }

    /// A node that stands in two places would be written as an anchor and an alias.
    static Node copy(Node node) {
        return switch (node) {
            case ScalarNode scalar ->
                    new ScalarNode(
                            scalar.getTag(),
                            scalar.getValue(),
                            null,
                            null,
                            scalar.getScalarStyle());
            case SequenceNode list ->
                    new SequenceNode(
                            list.getTag(),
                            new ArrayList<>(list.getValue().stream().map(Trees::copy).toList()),
                            list.getFlowStyle());
            case MappingNode mapping ->
                    new MappingNode(
                            mapping.getTag(),
                            new ArrayList<>(
                                    mapping.getValue().stream()
                                            .map(each ->
                                                    new NodeTuple(
                                                            copy(each.getKeyNode()),
                                                            copy(each.getValueNode())))
                                            .toList()),
                            mapping.getFlowStyle());
            default -> node;
        };
    }
}
