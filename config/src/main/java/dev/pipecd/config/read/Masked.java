// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.config.Secret;
import java.util.ArrayList;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/// How a document may be shown to people who must not see its secrets.
final class Masked {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private Masked() {}

    /// The same keys, and asterisks for every value that says something.
    static JsonNode hidden(JsonNode json) {
        return switch (json.getNodeType()) {
            case OBJECT -> {
                var object = JSON.objectNode();
                json.properties()
                        .forEach(entry -> object.set(entry.getKey(), hidden(entry.getValue())));
                yield object;
            }
            case ARRAY -> {
                var array = JSON.arrayNode();
                json.forEach(item -> array.add(hidden(item)));
                yield array;
            }
            default -> json.isNull() || json.asText().isEmpty() ? json : JSON.textNode(Secret.MASK);
        };
    }

    static String yaml(JsonNode shown) {
        var options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setSplitLines(false);
        return new Yaml(options).dump(plain(shown));
    }

    private static @Nullable Object plain(JsonNode json) {
        return switch (json.getNodeType()) {
            case OBJECT -> {
                var sorted = new TreeMap<String, @Nullable Object>();
                json.properties()
                        .forEach(entry -> sorted.put(entry.getKey(), plain(entry.getValue())));
                yield sorted;
            }
            case ARRAY -> {
                var list = new ArrayList<@Nullable Object>();
                json.forEach(item -> list.add(plain(item)));
                yield list;
            }
            case BOOLEAN -> json.booleanValue();
            case NUMBER -> json.numberValue();
            case STRING -> json.textValue();
            default -> null;
        };
    }
}
