// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.document;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.pipecd.wire.json.GoForm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Messages as the public system stores them (`GoForm`), written, read, and written over what is
/// stored.
public final class GoJson {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final GoForm<JsonNode> FORM = new GoForm<>(new JacksonNodes());

    /// What tells which item of a list it is; keys of agents have nothing but their hash.
    private static final List<String> NAMES = List.of("id", "name", "hash", "sso_group");

    private GoJson() {}

    public static ObjectNode parse(String text) {
        try {
            if (JSON.readTree(text) instanceof ObjectNode tree) return tree;
            throw notAnObject();
        } catch (JsonProcessingException e) {
            throw broken(e);
        }
    }

    public static ObjectNode write(Message message) {
        return (ObjectNode) FORM.of(message);
    }

    public static <T extends Message> T read(T prototype, JsonNode tree) {
        return read(prototype, tree.traverse());
    }

    public static <T extends Message> T read(T prototype, String text) {
        return read(prototype, parser(text));
    }

    private static <T extends Message> T read(T prototype, JsonParser json) {
        var bytes = wire(new WireForm(), prototype.getDescriptorForType(), json);
        try {
            @SuppressWarnings("unchecked") // a message's parser parses its own type
            var message = (T) prototype.getParserForType().parseFrom(bytes);
            return message;
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("wire form: broken", e); // it was made just now
        }
    }

    /// Makes of documents the bytes their messages travel in.
    public static Function<String, ByteString> wire(Descriptor type) {
        var form = new WireForm();
        return text -> wire(form, type, parser(text));
    }

    private static ByteString wire(WireForm form, Descriptor type, JsonParser json) {
        try (json) {
            if (json.nextToken() != JsonToken.START_OBJECT) throw notAnObject();
            return form.of(type, json);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private static JsonParser parser(String text) {
        try {
            return JSON.createParser(text);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private static IllegalArgumentException notAnObject() {
        return new IllegalArgumentException("document: not an object (expected: a JSON object)");
    }

    private static IllegalArgumentException broken(IOException e) {
        return new IllegalArgumentException("document: broken (expected: a JSON object)", e);
    }

    /// The message written over what was stored: what newer software stored beside our fields
    /// stays.
    public static ObjectNode merge(ObjectNode stored, Message message) {
        return merge(message.getDescriptorForType(), stored, write(message));
    }

    private static ObjectNode merge(Descriptor type, ObjectNode stored, ObjectNode fresh) {
        var merged = NODES.objectNode();
        stored.properties()
                .forEach(e -> {
                    if (type.findFieldByName(e.getKey()) == null)
                        merged.set(e.getKey(), e.getValue());
                });
        fresh.properties()
                .forEach(e -> {
                    var field = type.findFieldByName(e.getKey());
                    var before = stored.get(e.getKey());
                    merged.set(
                            e.getKey(),
                            before == null ? e.getValue() : merge(field, before, e.getValue()));
                });
        return merged;
    }

    private static JsonNode merge(FieldDescriptor field, JsonNode stored, JsonNode fresh) {
        if (field.isMapField()) return mergeEntries(field, stored, fresh);
        if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) return fresh;
        var type = field.getMessageType();
        if (stored instanceof ArrayNode before && fresh instanceof ArrayNode after)
            return mergeItems(type, before, after);
        if (stored instanceof ObjectNode before && fresh instanceof ObjectNode after)
            return merge(type, before, after);
        return fresh;
    }

    private static JsonNode mergeEntries(FieldDescriptor field, JsonNode stored, JsonNode fresh) {
        var valueField = field.getMessageType().findFieldByNumber(2);
        if (valueField.getJavaType() != FieldDescriptor.JavaType.MESSAGE) return fresh;
        var merged = NODES.objectNode();
        fresh.properties()
                .forEach(e -> {
                    var before = stored.get(e.getKey());
                    merged.set(
                            e.getKey(),
                            before == null
                                    ? e.getValue()
                                    : merge(valueField, before, e.getValue()));
                });
        return merged;
    }

    /// An item is the one it was wherever it stands: others may have been put before it, or taken
    /// away. Else what we do not know of it would go to somebody else's item.
    private static ArrayNode mergeItems(Descriptor type, ArrayNode stored, ArrayNode fresh) {
        var merged = NODES.arrayNode();
        var left = new ArrayList<JsonNode>();
        stored.forEach(left::add);
        for (var i = 0; i < fresh.size(); i++) {
            var item = fresh.get(i);
            var place = stored.size() == fresh.size() ? stored.get(i) : item;
            var before = left.stream().filter(each -> same(type, each, item)).findFirst();
            if (before.isEmpty() && !named(item))
                before = left.stream().filter(place::equals).findFirst();
            before.ifPresent(left::remove);
            merged.add(
                    before.orElse(item) instanceof ObjectNode was && item instanceof ObjectNode now
                            ? merge(type, was, now)
                            : item);
        }
        return merged;
    }

    private static boolean same(Descriptor type, JsonNode stored, JsonNode fresh) {
        var known = type.getFields().stream().map(FieldDescriptor::getName);
        return (named(fresh) ? NAMES.stream() : known)
                .allMatch(field -> stored.path(field).equals(fresh.path(field)));
    }

    private static boolean named(JsonNode item) {
        return NAMES.stream().anyMatch(item::hasNonNull);
    }
}
