// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.options;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.type.LogicalType;
import dev.pipecd.config.GoDuration;
import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.stage.Otherwise;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Turns JSON that people wrote (the `with` of a stage, the `config` of a plugin) into a record and
/// tells every mistake at once. The case of keys does not matter, as in the public system; keys
/// that mean nothing are a mistake in a `with` while planning, and told elsewhere.
public final class OptionsReader {
    private static final ObjectMapper JSON =
            JsonMapper.builder()
                    .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                    .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                    .withCoercionConfig(
                            LogicalType.Textual,
                            text -> {
                                text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
                                text.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
                                text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
                            })
                    .build();

    private static final Set<Type> WHOLE = Set.of(int.class, long.class, Integer.class, Long.class);
    private static final Set<Type> FRACTION = Set.of(double.class, float.class);

    private final Function<JsonNode, String> shown;
    private final List<String> mistakes = new ArrayList<>();
    private final List<String> unknown = new ArrayList<>();

    /// @param shown what a mistake tells of a value
    private OptionsReader(Function<JsonNode, String> shown) {
        this.shown = shown;
    }

    /// Takes what it knows.
    public static <O> O read(byte[] with, Class<O> type) {
        return new OptionsReader(OptionsReader::quoted).read(with, type, false);
    }

    /// Refuses keys that mean nothing as well.
    public static <O> O readAll(byte[] with, Class<O> type) {
        return new OptionsReader(OptionsReader::quoted).read(with, type, true);
    }

    /// The `config` of a plugin or of a deploy target. It may hold secrets and its mistakes are
    /// told to everybody who sees the agent: of a value they say the kind alone.
    public static <C> C configuration(byte[] json, Class<C> type) {
        return new OptionsReader(OptionsReader::kind).read(json, type, false);
    }

    /// The keys of a configuration that mean nothing, in the words of [#readAll].
    public static List<String> unknown(byte[] json, Class<?> type) {
        var reader = new OptionsReader(OptionsReader::kind);
        var _ = reader.record("", tree(json), type);
        return List.copyOf(reader.unknown);
    }

    private <O> O read(byte[] with, Class<O> type, boolean strict) {
        var options = record("", tree(with), type);
        if (strict) mistakes.addAll(unknown);
        if (options.isEmpty() || !mistakes.isEmpty()) throw invalid(String.join("; ", mistakes));
        return type.cast(options.get());
    }

    private static JsonNode tree(byte[] with) {
        try {
            var tree = with.length == 0 ? JSON.createObjectNode() : JSON.readTree(with);
            if (tree.isNull()) return JSON.createObjectNode();
            if (tree.isObject()) return tree;
        } catch (IOException e) {
            throw invalid("options: not JSON (expected: an object)");
        }
        throw invalid("options: not an object (expected: an object)");
    }

    private static Problem invalid(String text) {
        return new Problem(
                Problem.Code.STAGE_OPTIONS_INVALID,
                text,
                "Correct the stage's `with` in the application's file.");
    }

    private Optional<Object> record(String path, JsonNode node, Class<?> type) {
        var components = type.getRecordComponents();
        var before = mistakes.size();
        var values = new ArrayList<Object>();
        for (var component : components) {
            var name = path + component.getName();
            component(name, find(node, component.getName()), component).ifPresent(values::add);
        }
        for (var entry : node.properties()) {
            var key = entry.getKey();
            if (Arrays.stream(components)
                    .noneMatch(component -> component.getName().equalsIgnoreCase(key)))
                unknown.add(path + key + ": no option (expected: " + names(components) + ")");
        }
        return mistakes.size() > before ? Optional.empty() : made(path, type, components, values);
    }

    private static String names(RecordComponent[] components) {
        if (components.length == 0) return "nothing";
        return "one of "
                + Arrays.stream(components)
                        .map(RecordComponent::getName)
                        .collect(Collectors.joining(", "));
    }

    private static JsonNode find(JsonNode node, String name) {
        if (node.has(name)) return node.get(name);
        for (var entry : node.properties())
            if (entry.getKey().equalsIgnoreCase(name)) return entry.getValue();
        return MissingNode.getInstance();
    }

    private Optional<Object> component(String name, JsonNode given, RecordComponent component) {
        var type = component.getGenericType();
        if (!given.isMissingNode() && !given.isNull()) return value(name, given, type);
        var fallback = component.getAnnotation(Otherwise.class);
        if (fallback != null) return value(name, parsed(fallback.value()), type);
        if (component.getType() == Optional.class) return Optional.of(Optional.empty());
        mistakes.add(name + ": missing (expected: " + expected(type) + ")");
        return Optional.empty();
    }

    private static JsonNode parsed(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("@Otherwise: " + json + " (expected: JSON)", e);
        }
    }

    private Optional<Object> value(String name, JsonNode node, Type type) {
        if (node.isNull()) return nothing(name, type);
        if (type == Duration.class) return duration(name, node);
        if (type instanceof Class<?> plain && plain.isRecord() && node.isObject())
            return record(name + ".", node, plain);
        if (type instanceof ParameterizedType generic) {
            var inner = generic.getActualTypeArguments();
            if (generic.getRawType() == Optional.class)
                return value(name, node, inner[0]).map(Optional::of);
            if (generic.getRawType() == List.class && node.isArray())
                return list(name, node, inner[0]);
            if (generic.getRawType() == Map.class && node.isObject())
                return map(name, node, inner[1]);
        } else if (type instanceof Class<?> plain && !plain.isRecord()) {
            try {
                return Optional.of(JSON.treeToValue(node, JSON.constructType(type)));
            } catch (JsonProcessingException e) {
                // told below
            }
        }
        return mistake(name, node, type);
    }

    /// A null within a list or a map: what a record has for nothing, or a mistake.
    private Optional<Object> nothing(String name, Type type) {
        return type instanceof ParameterizedType generic && generic.getRawType() == Optional.class
                ? Optional.of(Optional.empty())
                : mistake(name, JSON.nullNode(), type);
    }

    private Optional<Object> mistake(String name, JsonNode node, Type type) {
        mistakes.add(name + ": " + shown.apply(node) + " (expected: " + expected(type) + ")");
        return Optional.empty();
    }

    private Optional<Object> duration(String name, JsonNode node) {
        var length =
                node.isTextual()
                        ? GoDuration.parse(node.textValue())
                        : node.isIntegralNumber() && node.canConvertToLong()
                                ? Optional.of(Duration.ofNanos(node.longValue()))
                                : Optional.<Duration>empty();
        if (length.isEmpty()) return mistake(name, node, Duration.class);
        return length.map(known -> (Object) known);
    }

    private Optional<Object> list(String name, JsonNode node, Type inner) {
        var values = new ArrayList<Object>();
        for (int i = 0; i < node.size(); i++)
            value(name + "[" + i + "]", node.get(i), inner).ifPresent(values::add);
        return Optional.of(List.copyOf(values));
    }

    private Optional<Object> map(String name, JsonNode node, Type inner) {
        var values = new LinkedHashMap<String, Object>();
        for (var entry : node.properties()) {
            // As the public system has it: `env: {TOKEN: }` is a variable that is empty.
            var empty = entry.getValue().isNull() && inner == String.class;
            var given = empty ? JSON.getNodeFactory().textNode("") : entry.getValue();
            value(name + "." + entry.getKey(), given, inner)
                    .ifPresent(value -> values.put(entry.getKey(), value));
        }
        return Optional.of(values);
    }

    private Optional<Object> made(
            String path, Class<?> type, RecordComponent[] components, List<Object> values) {
        try {
            var types =
                    Arrays.stream(components)
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new);
            var constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return Optional.of(constructor.newInstance(values.toArray()));
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof IllegalArgumentException wrong))
                throw new IllegalStateException(e);
            mistakes.add(path + wrong.getMessage());
            return Optional.empty();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String quoted(JsonNode node) {
        var text = node.isTextual() ? "\"" + node.textValue() + "\"" : node.toString();
        return text.length() <= 80 ? text : text.substring(0, 80) + "…";
    }

    private static String kind(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT, POJO -> "an object";
            case ARRAY -> "a list";
            case STRING, BINARY -> "a text";
            case NUMBER -> "a number";
            case BOOLEAN -> "a boolean";
            case NULL, MISSING -> "null";
        };
    }

    private static String expected(Type type) {
        if (type == Duration.class) return "a duration such as 30s or 1h30m";
        if (type == String.class) return "text";
        if (WHOLE.contains(type)) return "a whole number";
        if (type == boolean.class || type == Boolean.class) return "true or false";
        if (type instanceof ParameterizedType generic) {
            var inner = generic.getActualTypeArguments();
            if (generic.getRawType() == List.class) return "a list, each " + expected(inner[0]);
            if (generic.getRawType() == Map.class) return "a map, each value " + expected(inner[1]);
            return expected(inner[0]);
        }
        if (!(type instanceof Class<?> plain)) return "a " + type.getTypeName();
        if (plain.isRecord()) return "an object";
        if (plain.isEnum()) return "one of " + String.join(", ", OptionsSchema.names(plain));
        return FRACTION.contains(type) || Number.class.isAssignableFrom(plain)
                ? "a number"
                : "a " + plain.getSimpleName();
    }
}
