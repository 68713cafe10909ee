// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.template;

import dev.pipecd.agent.template.Template.Value;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// What a template can do with a value. Texts have one character a byte.
enum Function {
    B64ENC(1, 1),
    B64DEC(1, 1),
    QUOTE(1, Integer.MAX_VALUE),
    DEFAULT(2, 2),
    INDENT(2, 2),
    TRIM(1, 1);

    private static final int WIDEST = 1000;

    private final int fewest;
    private final int most;

    Function(int fewest, int most) {
        this.fewest = fewest;
        this.most = most;
    }

    static Optional<Function> named(String name) {
        return Arrays.stream(values()).filter(f -> f.written().equals(name)).findFirst();
    }

    static List<String> names() {
        return Arrays.stream(values()).map(Function::written).sorted().toList();
    }

    String written() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean takes(int arguments) {
        return arguments >= fewest && arguments <= most;
    }

    /// How many arguments, in words.
    String arity() {
        return most == Integer.MAX_VALUE
                ? "one argument or more"
                : fewest + (fewest == 1 ? " argument" : " arguments");
    }

    /// What cannot be done is an `IllegalArgumentException` that shows no value.
    Value apply(List<Value> arguments) {
        var last = arguments.getLast();
        return switch (this) {
            case B64ENC -> text(Base64.getEncoder().encodeToString(bytes(text(last))));
            case B64DEC -> text(decoded(text(last)));
            case QUOTE -> text(quoted(arguments));
            case DEFAULT -> isEmpty(last) ? arguments.getFirst() : last;
            case INDENT -> text(indented(arguments.getFirst(), text(last)));
            case TRIM -> text(Texts.bytes(trimmed(utf8(text(last)))));
        };
    }

    private static Value text(String text) {
        return new Value(text, false);
    }

    private String text(Value value) {
        if (value.isNumber())
            throw new IllegalArgumentException(
                    "%s %s (expected: a text)".formatted(written(), value.text()));
        return value.text();
    }

    /// As the public functions see it: a number is empty when it is zero.
    private static boolean isEmpty(Value value) {
        return value.isNumber() ? value.text().matches("-?0+") : value.text().isEmpty();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String utf8(String bytes) {
        return new String(bytes(bytes), StandardCharsets.UTF_8);
    }

    private static String decoded(String text) {
        try {
            // Line breaks are what `base64` writes after each 76 characters.
            return Texts.bytes(Base64.getDecoder().decode(text.replaceAll("[\\r\\n]", "")));
        } catch (IllegalArgumentException e) {
            // Without the cause: its text would quote characters of the secret.
            throw new IllegalArgumentException("b64dec of a value (expected: Base64)");
        }
    }

    private static String indented(Value width, String text) {
        if (!width.isNumber() || !width.text().matches("\\d{1,3}"))
            throw new IllegalArgumentException(
                    "indent %s (expected: a number below %d)"
                            .formatted(width.isNumber() ? width.text() : "by a text", WIDEST));
        var space = " ".repeat(Integer.parseInt(width.text()));
        var lines = 1 + text.chars().filter(c -> c == '\n').count();
        var length = text.length() + lines * space.length();
        if (length > Template.LARGEST)
            throw new IllegalArgumentException(
                    "indent %s: %d bytes (expected: at most %d)"
                            .formatted(width.text(), length, Template.LARGEST));
        return space + text.replace("\n", "\n" + space);
    }

    private static String trimmed(String text) {
        var from = 0;
        var to = text.length();
        while (from < to && isSpace(text.charAt(from))) from++;
        while (to > from && isSpace(text.charAt(to - 1))) to--;
        return text.substring(from, to);
    }

    private static boolean isSpace(char c) {
        return (c >= '\t' && c <= '\r') || c == '\u0085' || Character.isSpaceChar(c);
    }

    private static String quoted(List<Value> values) {
        var out = new StringBuilder();
        for (var value : values) {
            out.append(out.isEmpty() ? "\"" : " \"");
            Quoting.escape(bytes(value.text()), out);
            out.append('"');
        }
        return out.toString();
    }
}
