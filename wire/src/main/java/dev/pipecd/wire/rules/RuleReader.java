// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import build.buf.validate.FieldRules;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Turns the annotations of one value into checks. A rule it does not know is an error: one that is
/// silently not checked is worse than none.
record RuleReader(String owner, FieldDescriptor value) {
    /// Read by whoever walks the list or map.
    private static final Set<String> PARTS = Set.of("repeated.items", "map.keys", "map.values");

    List<ValueRule> read(FieldRules rules) {
        refuseUnread("field", rules);
        var read = new ArrayList<ValueRule>();
        rules.getAllFields()
                .forEach((kind, of) -> {
                    if (kind.getName().equals("required")) return;
                    if (!(of instanceof Message group)) throw unknown(kind.getName());
                    refuseUnread(kind.getName(), group);
                    group.getAllFields()
                            .forEach((rule, argument) -> {
                                var name = kind.getName() + "." + rule.getName();
                                if (!PARTS.contains(name)) read.add(rule(name, argument));
                            });
                });
        return List.copyOf(read);
    }

    /// Rules of a newer version of the annotations arrive as fields that this version of them does
    /// not have.
    private void refuseUnread(String name, Message rules) {
        if (!rules.getUnknownFields().asMap().isEmpty()) throw unknown(name + " extension");
    }

    IllegalStateException unknown(String rule) {
        return new IllegalStateException(
                "rule: %s on %s (expected: a rule that RuleReader checks; teach it this one)"
                        .formatted(rule, owner));
    }

    private ValueRule rule(String name, Object argument) {
        return switch (name) {
            case "string.min_len", "string.pattern", "string.prefix", "string.in" ->
                    text(name, argument);
            case "enum.defined_only", "enum.in" -> constant(name, argument, value.getEnumType());
            case "int32.gte", "int64.gt", "int64.gte", "float.gt" -> number(name, argument);
            case "repeated.min_items", "repeated.max_items", "map.min_pairs" ->
                    size(name, (Long) argument);
            default -> throw unknown(name);
        };
    }

    private ValueRule text(String name, Object argument) {
        return switch (name) {
            case "string.min_len" -> {
                long least = (Long) argument;
                yield new ValueRule(
                        name,
                        "at least " + counted(least, "character"),
                        text -> length((String) text) >= least);
            }
            case "string.pattern" -> {
                // Linear in the length of the text: java.util.regex overflows the stack on a long
                // hostile one.
                var pattern = Pattern.compile((String) argument);
                yield new ValueRule(
                        name,
                        "text like " + argument,
                        text -> pattern.matcher((String) text).find());
            }
            case "string.prefix" -> {
                var prefix = (String) argument;
                yield new ValueRule(
                        name,
                        "text that begins with " + Shown.value(prefix),
                        text -> ((String) text).startsWith(prefix));
            }
            case "string.in" -> {
                var allowed = (List<?>) argument;
                yield new ValueRule(name, "one of " + joined(allowed), allowed::contains);
            }
            default -> throw unknown(name);
        };
    }

    private ValueRule constant(String name, Object argument, EnumDescriptor type) {
        var allowed =
                argument instanceof List<?> numbers
                        ? type.getValues().stream()
                                .filter(each -> numbers.contains(each.getNumber()))
                                .toList()
                        : type.getValues();
        if (argument.equals(false)) throw unknown(name + " = false");
        return new ValueRule(
                name,
                "one of " + joined(allowed.stream().map(EnumValueDescriptor::getName).toList()),
                allowed::contains);
    }

    private ValueRule number(String name, Object bound) {
        return switch (name) {
            case "int32.gte" ->
                    new ValueRule(
                            name,
                            "at least " + bound,
                            number -> (Integer) number >= (Integer) bound);
            case "int64.gt" ->
                    new ValueRule(
                            name, "more than " + bound, number -> (Long) number > (Long) bound);
            case "int64.gte" ->
                    new ValueRule(
                            name, "at least " + bound, number -> (Long) number >= (Long) bound);
            case "float.gt" ->
                    new ValueRule(
                            name, "more than " + bound, number -> (Float) number > (Float) bound);
            default -> throw unknown(name);
        };
    }

    private static ValueRule size(String name, long bound) {
        return name.endsWith("max_items")
                ? new ValueRule(
                        name, "at most " + counted(bound, "item"), size -> (Integer) size <= bound)
                : new ValueRule(
                        name,
                        "at least " + counted(bound, "item"),
                        size -> (Integer) size >= bound);
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    static String counted(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    private static String joined(List<?> allowed) {
        return allowed.stream().map(Object::toString).collect(Collectors.joining(", "));
    }
}
