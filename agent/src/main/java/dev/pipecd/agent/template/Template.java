// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.template;

import dev.pipecd.domain.Problem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A file or message with places to fill in. It knows fields, pipes and the functions of
/// `Function`; whatever else Go's templates can do is refused with its line. Bytes go in and come
/// out: what is filled in need not be text.
public final class Template {
    /// Short files can ask for much: a long text many times, or quotes in quotes in quotes.
    static final int LARGEST = 8 << 20;

    private final String origin;
    private final List<Part> parts;

    private Template(String origin, List<Part> parts) {
        this.origin = origin;
        this.parts = List.copyOf(parts);
    }

    /// @param origin what people call the file
    public static Template parse(String origin, byte[] text) {
        // One character a byte, so that every byte comes out as it went in.
        return new Template(
                origin,
                new TemplateParser(origin, new String(text, StandardCharsets.ISO_8859_1)).parse());
    }

    public byte[] render(Values values) {
        var out = new StringBuilder();
        for (var part : parts)
            switch (part) {
                case Literal(var text) -> out.append(text);
                case Pipeline(var line, var commands) -> {
                    var filled = piped(line, commands, values).text();
                    requireRoom(line, (long) out.length() + filled.length());
                    out.append(filled);
                }
            }
        return out.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private Value piped(int line, List<Command> commands, Values values) {
        var last = List.<Value>of();
        for (var command : commands) {
            var arguments = new ArrayList<Value>();
            for (var operand : command.operands()) arguments.add(value(line, operand, values));
            arguments.addAll(last);
            last =
                    List.of(
                            command.functions().isEmpty()
                                    ? arguments.getFirst()
                                    : applied(line, command.functions().getFirst(), arguments));
        }
        return last.getFirst();
    }

    private Value applied(int line, Function function, List<Value> arguments) {
        try {
            var made = function.apply(arguments);
            requireRoom(line, made.text().length());
            return made;
        } catch (IllegalArgumentException e) {
            throw refusal(origin, line, String.valueOf(e.getMessage()));
        }
    }

    private void requireRoom(int line, long length) {
        if (length > LARGEST)
            throw refusal(
                    origin, line, "%d bytes (expected: at most %d)".formatted(length, LARGEST));
    }

    private Value value(int line, Operand operand, Values values) {
        return switch (operand) {
            case Constant(var value) -> value;
            case Field(var path) -> {
                var group = values.groups.get(String.join(".", path.subList(0, path.size() - 1)));
                var found = group == null ? null : group.get(path.getLast());
                if (found == null)
                    throw refusal(
                            origin,
                            line,
                            "%s (expected: one of %s)"
                                    .formatted(
                                            Texts.shown("." + String.join(".", path)),
                                            values.names()));
                yield new Value(found, false);
            }
        };
    }

    static Problem refusal(String origin, int line, String what) {
        return new Problem(
                Problem.Code.CONFIG_INVALID,
                "%s: line %d: %s".formatted(origin, line, what),
                "Of Go's templates only fields, pipes and %s are known."
                        .formatted(String.join(", ", Function.names())));
    }

    sealed interface Part {}

    record Literal(String text) implements Part {}

    record Pipeline(int line, List<Command> commands) implements Part {}

    /// A function with its arguments, or a single operand and no function.
    record Command(List<Function> functions, List<Operand> operands) {}

    sealed interface Operand {}

    record Constant(Value value) implements Operand {}

    record Field(List<String> path) implements Operand {}

    record Value(String text, boolean isNumber) {}

    /// What can be filled in, by the path of its field.
    public static final class Values {
        private final Map<String, Map<String, String>> groups = new TreeMap<>();

        /// `group` is the path before the last name, empty when there is none.
        public Values with(String group, Map<String, byte[]> named) {
            var added = new TreeMap<String, String>();
            named.forEach((name, value) -> added.put(Texts.bytes(name), Texts.bytes(value)));
            groups.put(Texts.bytes(group), added);
            return this;
        }

        private String names() {
            var names = new ArrayList<String>();
            groups.forEach((group, named) ->
                    named.keySet()
                            .forEach(name ->
                                    names.add(
                                            (group.isEmpty() ? "." : "." + group + ".")
                                                    + Texts.shown(name))));
            return names.isEmpty() ? "nothing" : String.join(", ", names);
        }
    }
}
