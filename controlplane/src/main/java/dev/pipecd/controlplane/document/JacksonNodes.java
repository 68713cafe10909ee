// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.wire.json.GoForm;

/// Lets messages be written with the JSON library of the stores.
record JacksonNodes() implements GoForm.Nodes<JsonNode> {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    @Override
    public JsonNode object() {
        return NODES.objectNode();
    }

    @Override
    public void put(JsonNode object, String key, JsonNode value) {
        ((ObjectNode) object).set(key, value);
    }

    @Override
    public JsonNode array() {
        return NODES.arrayNode();
    }

    @Override
    public void add(JsonNode array, JsonNode value) {
        ((ArrayNode) array).add(value);
    }

    @Override
    public JsonNode number(Number value) {
        return switch (value) {
            case Integer number -> NODES.numberNode(number.intValue());
            case Float number -> NODES.numberNode(number.floatValue());
            case Double number -> NODES.numberNode(number.doubleValue());
            default -> NODES.numberNode(value.longValue());
        };
    }

    @Override
    public JsonNode truth(boolean value) {
        return NODES.booleanNode(value);
    }

    @Override
    public JsonNode text(String value) {
        return NODES.textNode(value);
    }
}
