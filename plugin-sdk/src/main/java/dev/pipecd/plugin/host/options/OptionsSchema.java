// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.options;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.plugin.stage.Otherwise;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The JSON schema of an options record, for editors and generators: what [OptionsReader] refuses
/// or warns about does not fit.
public final class OptionsSchema {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<Type> WHOLE = Set.of(int.class, long.class, Integer.class, Long.class);
    private static final Set<Type> FRACTION =
            Set.of(double.class, Double.class, float.class, Float.class);
    private static final Set<Type> TRUTH = Set.of(boolean.class, Boolean.class);

    private OptionsSchema() {}

    public static ObjectNode of(Class<?> record) {
        return object(record).put("$schema", "https://json-schema.org/draft/2020-12/schema");
    }

    private static ObjectNode object(Class<?> record) {
        var schema = JSON.createObjectNode().put("type", "object");
        var properties = JSON.createObjectNode();
        var required = JSON.createArrayNode();
        for (var component : record.getRecordComponents()) {
            properties.set(component.getName(), property(component));
            if (component.getType() != Optional.class
                    && component.getAnnotation(Otherwise.class) == null)
                required.add(component.getName());
        }
        schema.set("properties", properties);
        if (!required.isEmpty()) schema.set("required", required);
        return schema.put("additionalProperties", false);
    }

    private static ObjectNode property(RecordComponent component) {
        var schema = value(component.getGenericType());
        var otherwise = component.getAnnotation(Otherwise.class);
        if (otherwise == null) return schema;
        try {
            schema.set("default", JSON.readTree(otherwise.value()));
            return schema;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "@Otherwise: " + otherwise.value() + " (expected: JSON)", e);
        }
    }

    private static ObjectNode value(Type type) {
        if (type == Duration.class) return duration();
        if (type == String.class) return typed("string");
        if (WHOLE.contains(type)) return typed("integer");
        if (FRACTION.contains(type)) return typed("number");
        if (TRUTH.contains(type)) return typed("boolean");
        if (type instanceof ParameterizedType generic) return generic(generic);
        if (type instanceof Class<?> plain && plain.isRecord()) return object(plain);
        if (type instanceof Class<?> plain && plain.isEnum()) return choice(plain);
        return JSON.createObjectNode();
    }

    private static ObjectNode typed(String name) {
        return JSON.createObjectNode().put("type", name);
    }

    private static ObjectNode duration() {
        var schema = JSON.createObjectNode();
        schema.putArray("type").add("string").add("integer");
        return schema.put(
                "description", "a duration such as 30s or 1h30m, or a number of nanoseconds");
    }

    private static ObjectNode generic(ParameterizedType type) {
        var inner = type.getActualTypeArguments();
        if (type.getRawType() == Optional.class) return value(inner[0]);
        if (type.getRawType() == List.class) return typed("array").set("items", value(inner[0]));
        if (type.getRawType() == Map.class)
            return typed("object").set("additionalProperties", value(inner[1]));
        return JSON.createObjectNode();
    }

    private static ObjectNode choice(Class<?> type) {
        var schema = typed("string");
        names(type).forEach(schema.putArray("enum")::add);
        return schema;
    }

    /// What people write for the values of an enum.
    static List<String> names(Class<?> type) {
        return Arrays.stream(type.getEnumConstants()).map(each -> ((Enum<?>) each).name()).toList();
    }
}
