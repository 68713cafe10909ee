// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.template;

import java.nio.charset.StandardCharsets;

/// Texts in double quotes as Go writes and reads them.
final class Quoting {
    private static final String LETTERS = "abfnrtv\\\"";
    private static final String MEANINGS = "\u0007\b\f\n\r\t\u000B\\\"";
    private static final String HEX = "0123456789abcdef";

    private Quoting() {}

    /// One character a byte. What is no UTF-8 and what cannot be seen is written by its number.
    /// More than a file may have is an `IllegalArgumentException`, before it takes the memory.
    static void escape(byte[] bytes, StringBuilder out) {
        for (var i = 0; i < bytes.length; ) {
            if (out.length() > Template.LARGEST)
                throw new IllegalArgumentException(
                        "quote: %d bytes and more (expected: at most %d)"
                                .formatted(out.length(), Template.LARGEST));
            var length = sequence(bytes, i);
            if (length == 0) {
                out.append("\\x").append(hex(bytes[i] & 0xff, 2));
                i++;
                continue;
            }
            var text = new String(bytes, i, length, StandardCharsets.UTF_8);
            out.append(escaped(text.codePointAt(0), Texts.bytes(text)));
            i += length;
        }
    }

    private static String escaped(int character, String itself) {
        var special = MEANINGS.indexOf(character);
        if (special >= 0) return "\\" + LETTERS.charAt(special);
        if (isPrintable(character)) return itself;
        if (character < ' ' || character == 0x7f) return "\\x" + hex(character, 2);
        return character < 0x10000 ? "\\u" + hex(character, 4) : "\\U" + hex(character, 8);
    }

    private static boolean isPrintable(int character) {
        if (character == ' ') return true;
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.SPACE_SEPARATOR,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            default -> true;
        };
    }

    /// How many bytes the character here has; none when it is no UTF-8.
    private static int sequence(byte[] bytes, int at) {
        var first = bytes[at] & 0xff;
        var length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        if (first > 0xf4 || at + length > bytes.length) return 0;
        var text = new String(bytes, at, length, StandardCharsets.UTF_8);
        return length > 0 && text.codePointCount(0, text.length()) == 1 && isWhole(text, length)
                ? length
                : 0;
    }

    private static boolean isWhole(String text, int length) {
        return text.getBytes(StandardCharsets.UTF_8).length == length;
    }

    private static String hex(int number, int digits) {
        return String.format("%0" + digits + "x", number);
    }

    /// What stands between the quotes; an escape that Go does not know is an
    /// `IllegalArgumentException`.
    static String unescaped(String written) {
        var out = new StringBuilder();
        for (var i = 0; i < written.length(); i++) {
            var c = written.charAt(i);
            if (c != '\\') {
                out.append(c);
                continue;
            }
            var kind = i + 1 < written.length() ? written.charAt(++i) : ' ';
            var letter = LETTERS.indexOf(kind);
            var digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
            if (letter >= 0) {
                out.append(MEANINGS.charAt(letter));
            } else if (digits > 0 && i + digits < written.length()) {
                out.append(character(written.substring(i + 1, i + 1 + digits), digits == 2));
                i += digits;
            } else {
                throw new IllegalArgumentException("\\" + kind + " (expected: an escape of Go)");
            }
        }
        return out.toString();
    }

    private static String character(String digits, boolean isByte) {
        if (digits.chars().anyMatch(d -> HEX.indexOf(Character.toLowerCase(d)) < 0))
            throw new IllegalArgumentException(digits + " (expected: hexadecimal digits)");
        var number = Long.parseLong(digits, 16);
        if (isByte) return String.valueOf((char) number);
        if (!Character.isValidCodePoint((int) number)
                || number > Character.MAX_CODE_POINT
                || (number >= 0xd800 && number < 0xe000))
            throw new IllegalArgumentException(digits + " (expected: a character)");
        return Texts.bytes(Character.toString((int) number));
    }
}
