// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import java.util.Collection;
import java.util.TreeMap;

/// A message as the public agent writes it into webhooks and answers: names as in the `.proto`,
/// enums and whole numbers as numbers, what is empty left out. Protobuf's own JSON is another one.
public final class PublicJson {
    private static final JsonNodeFactory nodes = JsonNodeFactory.instance;

    private PublicJson() {}

    public static ObjectNode of(Message message) {
        var object = nodes.objectNode();
        for (var field : message.getDescriptorForType().getFields()) {
            if (isEmpty(message, field)) continue;
            object.set(field.getName(), field(message.getField(field), field));
        }
        return object;
    }

    private static boolean isEmpty(Message message, FieldDescriptor field) {
        return field.isRepeated()
                ? message.getRepeatedFieldCount(field) == 0
                : !message.hasField(field);
    }

    private static JsonNode field(Object value, FieldDescriptor field) {
        if (field.isMapField()) return map((Collection<?>) value);
        if (!field.isRepeated()) return single(value);
        var array = nodes.arrayNode();
        ((Collection<?>) value).forEach(item -> array.add(single(item)));
        return array;
    }

    private static ObjectNode map(Collection<?> entries) {
        var sorted = new TreeMap<String, JsonNode>();
        for (var entry : entries)
            if (entry instanceof MapEntry<?, ?> pair)
                sorted.put(String.valueOf(pair.getKey()), single(pair.getValue()));
        return nodes.objectNode().setAll(sorted);
    }

    private static JsonNode single(Object value) {
        return switch (value) {
            case Message message -> of(message);
            case EnumValueDescriptor choice -> nodes.numberNode(choice.getNumber());
            case String text -> nodes.textNode(text);
            case Boolean flag -> nodes.booleanNode(flag);
            case Integer number -> nodes.numberNode(number);
            case Long number -> nodes.numberNode(number);
            case Double number -> nodes.numberNode(number);
            case Float number -> nodes.numberNode(number);
            case ByteString bytes -> nodes.binaryNode(bytes.toByteArray());
            default -> throw new IllegalArgumentException("no such value in a message: " + value);
        };
    }
}
