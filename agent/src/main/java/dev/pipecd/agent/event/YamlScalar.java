// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

/// A value as it stands in a YAML file, and how another one is written in its place: in the same
/// quotes, and a text stays a text.
///
/// @param written all of it, with an anchor or tag in front
record YamlScalar(ScalarEvent event, String written) {
    private static final Resolver RESOLVER = new Resolver();

    static boolean isNull(ScalarEvent event) {
        return isPlain(event) && tag(event.getValue()).equals(Tag.NULL);
    }

    static boolean says(ScalarEvent event, String value) {
        return said(event).equals(isBlock(event) ? value.replaceFirst("\\n+\\z", "") : value);
    }

    private static String said(ScalarEvent event) {
        return isBlock(event) ? event.getValue().replaceFirst("\\n+\\z", "") : event.getValue();
    }

    /// @param from where it stands in the file
    Splice with(int from, String value) {
        if (says(event, value)) return new Splice(from, from, "");
        var start = properties();
        var old = written.substring(start);
        return new Splice(from + start, from + written.length(), replaced(old, value));
    }

    private String replaced(String old, String value) {
        return switch (event.getScalarStyle()) {
            case SINGLE_QUOTED ->
                    value.chars().anyMatch(Character::isISOControl)
                            ? doubleQuoted(value)
                            : "'" + value.replace("'", "''") + "'";
            case PLAIN -> plain(value);
            case LITERAL, FOLDED -> block(old, value);
            case DOUBLE_QUOTED, JSON_SCALAR_STYLE -> doubleQuoted(value);
        };
    }

    /// What would be read as something else than these characters gets quotes: a text as a number,
    /// a number as another one.
    private String plain(String value) {
        if (isNumber(event.getValue()) && Numeral.comesBack(value)) return value;
        var keepsKind = tag(value).equals(Tag.STR) || tag(value).equals(tag(event.getValue()));
        return keepsKind && !isNumber(value) && isPlainSafe(value) ? value : doubleQuoted(value);
    }

    private static boolean isNumber(String plain) {
        var tag = tag(plain);
        return tag.equals(Tag.INT) || tag.equals(Tag.FLOAT) || Numeral.isNumberElsewhere(plain);
    }

    private static boolean isPlainSafe(String value) {
        return !value.isEmpty()
                && "-?:,[]{}#&*!|>'\"%@`".indexOf(value.charAt(0)) < 0
                && value.chars().noneMatch(c -> ",[]{}".indexOf(c) >= 0)
                && value.codePoints().noneMatch(c -> Character.isISOControl(c) || c == 0xFEFF)
                && value.equals(value.strip())
                && !value.contains(": ")
                && !value.contains(" #")
                && !value.endsWith(":")
                && !value.startsWith("...");
    }

    /// The header and the indentation stay.
    private String block(String old, String value) {
        var header = old.indexOf('\n') + 1;
        var body = old.substring(header);
        var lines = body.lines().filter(line -> !line.isBlank()).toList();
        var text = value.replaceFirst("\\n+\\z", "");
        if (header == 0
                || lines.isEmpty()
                || text.isBlank()
                || Character.isWhitespace(text.charAt(0))
                || (event.getScalarStyle() == ScalarStyle.FOLDED && text.contains("\n"))
                || text.chars().anyMatch(c -> Character.isISOControl(c) && c != '\n'))
            return doubleQuoted(value) + (old.endsWith("\n") ? "\n" : "");
        var first = lines.getFirst();
        var indent = first.substring(0, first.length() - first.stripLeading().length());
        var end = body.lastIndexOf(lines.getLast()) + lines.getLast().length();
        var ending = old.contains("\r\n") ? "\r\n" : "\n";
        return old.substring(0, header)
                + indent
                + text.replace("\n", ending + indent)
                + body.substring(end);
    }

    private static String doubleQuoted(String value) {
        var out = new StringBuilder("\"");
        value.codePoints().forEach(c -> out.append(escaped(c)));
        return out.append('"').toString();
    }

    private static String escaped(int c) {
        return switch (c) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default ->
                    Character.isISOControl(c) || c == 0xFEFF || c == 0x2028 || c == 0x2029
                            ? "\\u%04x".formatted(c)
                            : Character.toString(c);
        };
    }

    /// How long anchor and tag in front of the value are.
    private int properties() {
        var at = 0;
        while (at < written.length() && (written.charAt(at) == '&' || written.charAt(at) == '!')) {
            while (at < written.length() && !Character.isWhitespace(written.charAt(at))) at++;
            while (at < written.length() && Character.isWhitespace(written.charAt(at))) at++;
        }
        return at;
    }

    private static boolean isPlain(ScalarEvent event) {
        return event.getScalarStyle() == ScalarStyle.PLAIN;
    }

    private static boolean isBlock(ScalarEvent event) {
        return event.getScalarStyle() == ScalarStyle.LITERAL
                || event.getScalarStyle() == ScalarStyle.FOLDED;
    }

    private static Tag tag(String plain) {
        return RESOLVER.resolve(NodeId.scalar, plain, true);
    }
}
