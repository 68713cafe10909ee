// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import com.google.protobuf.Descriptors.EnumValueDescriptor;

/// How a value sent by somebody else is repeated in an error: short, on one line, and unable to
/// steer a terminal.
final class Shown {
    private static final int LONGEST = 64;

    private Shown() {}

    static String value(Object value) {
        return switch (value) {
            case String text -> quoted(text);
            case EnumValueDescriptor constant -> Integer.toString(constant.getNumber());
            default -> value.toString();
        };
    }

    private static String quoted(String text) {
        var shown = new StringBuilder("\"");
        text.codePoints().limit(LONGEST).forEach(point -> append(shown, point));
        var cut = text.length() > LONGEST && text.codePointCount(0, text.length()) > LONGEST;
        return shown.append(cut ? "…\"" : "\"").toString();
    }

    private static void append(StringBuilder shown, int point) {
        switch (point) {
            case '"', '\\' -> shown.append('\\').appendCodePoint(point);
            case '\n' -> shown.append("\\n");
            case '\r' -> shown.append("\\r");
            case '\t' -> shown.append("\\t");
            default -> {
                if (steers(point)) shown.append("\\u{%x}".formatted(point));
                else shown.appendCodePoint(point);
            }
        }
    }

    /// Control and format characters: the latter can turn the reading direction of what follows.
    private static boolean steers(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    true;
            default -> false;
        };
    }
}
