// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.config.read.Tree.Entry;
import dev.pipecd.config.read.Tree.Place;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/// Follows aliases and applies merge keys, within bounds, and refuses what has no end or no single
/// meaning.
final class Unfolding {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int MOST_PARTS = BoundedParser.MOST_PARTS;

    private final Findings findings;
    private final Set<Node> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private int parts;

    Unfolding(Findings findings) {
        this.findings = findings;
    }

    Tree unfold(Node root) {
        try {
            return tree(root, "");
        } catch (BoundedParser.Exceeded e) {
            findings.mistake(YamlReader.place(e.mark()), "", String.valueOf(e.getMessage()));
            throw findings.refusal();
        }
    }

    private Tree tree(Node node, String path) {
        // An alias costs its author a few bytes and us a whole copy: ten levels of ten are ten
        // thousand million.
        if (++parts > MOST_PARTS)
            throw new BoundedParser.Exceeded(
                    node.getStartMark(),
                    "aliases: more than %d parts when followed (expected: fewer)"
                            .formatted(MOST_PARTS));
        if (!open.add(node)) {
            findings.mistake(place(node), path, "an alias to what holds it (expected: no circle)");
            return Tree.nothing(place(node));
        }
        // Aliases can stack shallow things as high as they like, and every level costs stack here
        // and later.
        if (open.size() > BoundedParser.DEEPEST) throw BoundedParser.tooDeep(node.getStartMark());
        try {
            return switch (node) {
                case MappingNode mapping ->
                        new Tree.Mapping(place(node), List.copyOf(entries(mapping, path).values()));
                case SequenceNode sequence -> items(sequence, path);
                case ScalarNode scalar ->
                        new Tree.Scalar(place(node), value(scalar, path), scalar.getValue());
                default ->
                        throw new IllegalStateException(
                                "node: " + node.getNodeId() + " (expected: none other)");
            };
        } finally {
            open.remove(node);
        }
    }

    private Tree items(SequenceNode sequence, String path) {
        var items = new ArrayList<Tree>(sequence.getValue().size());
        for (var item : sequence.getValue()) items.add(tree(item, path + "[" + items.size() + "]"));
        return new Tree.Sequence(place(sequence), List.copyOf(items));
    }

    private Map<String, Entry> entries(MappingNode mapping, String path) {
        var entries = new LinkedHashMap<String, Entry>();
        for (var tuple : mapping.getValue()) {
            if (!isMerge(tuple)) add(entries, tuple, path);
        }
        for (var tuple : mapping.getValue()) {
            if (isMerge(tuple)) merge(entries, tuple.getValueNode(), path);
        }
        return entries;
    }

    private void add(Map<String, Entry> entries, NodeTuple tuple, String path) {
        if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
            findings.mistake(
                    place(tuple.getKeyNode()), path, "an object or list as key (expected: text)");
            return;
        }
        var name = key.getValue();
        var inside = Telling.path(path, name);
        var first = entries.get(name);
        if (first != null) {
            findings.mistake(
                    place(key),
                    inside,
                    "a second time (expected: once; it is in line %d)"
                            .formatted(first.place().line()));
            return;
        }
        entries.put(name, new Entry(place(key), name, tree(tuple.getValueNode(), inside)));
    }

    private static boolean isMerge(NodeTuple tuple) {
        return tuple.getKeyNode() instanceof ScalarNode key
                && key.getTag().equals(YamlReader.PLAIN)
                && key.getValue().equals("<<");
    }

    /// What is written here wins over what is merged in, and of what is merged in the first.
    private void merge(Map<String, Entry> entries, Node merged, String path) {
        switch (tree(merged, Telling.path(path, "<<"))) {
            case Tree.Mapping(_, var others) ->
                    others.forEach(entry -> entries.putIfAbsent(entry.key(), entry));
            case Tree.Sequence(_, var items)
                    when items.stream().allMatch(Tree.Mapping.class::isInstance) ->
                    items.forEach(item ->
                            ((Tree.Mapping) item)
                                    .entries()
                                    .forEach(entry -> entries.putIfAbsent(entry.key(), entry)));
            case Tree other ->
                    findings.mistake(
                            place(merged),
                            Telling.path(path, "<<"),
                            "%s (expected: an object or a list of objects)"
                                    .formatted(Telling.value(other)));
        }
    }

    private JsonNode value(ScalarNode scalar, String path) {
        var text = scalar.getValue();
        var tag = scalar.getTag();
        if (tag.equals(Tag.STR)) return JSON.textNode(text);
        if (tag.equals(Tag.BINARY)) return binary(scalar, path);
        if (!tag.equals(YamlReader.PLAIN)
                && !Set.of(Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.NULL).contains(tag)) {
            if (!tag.equals(Tag.TIMESTAMP))
                findings.warning(
                        place(scalar),
                        path,
                        "tag %s (ignored: the value is text)"
                                .formatted(Telling.oneLine(tag.getValue())));
            return JSON.textNode(text);
        }
        return Scalars.plain(text)
                .orElseGet(() -> {
                    findings.mistake(
                            place(scalar), path, "%s (expected: a finite number)".formatted(text));
                    return JSON.nullNode();
                });
    }

    private JsonNode binary(ScalarNode scalar, String path) {
        try {
            return JSON.textNode(
                    new String(
                            Base64.getMimeDecoder().decode(scalar.getValue()),
                            StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            findings.mistake(place(scalar), path, "!!binary (expected: Base64)");
            return JSON.nullNode();
        }
    }

    private static Place place(Node node) {
        return YamlReader.place(node.getStartMark());
    }
}
