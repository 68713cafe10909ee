// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

/// Text that strangers wrote: every character kept visible, none left to steer a terminal or a
/// page.
public final class Texts {
    private Texts() {}

    /// One line: control characters become their pictures (`␛`), others that do not print `�`.
    public static String visible(String text) {
        return visible(text, false);
    }

    /// Several lines: line breaks and tabs stay.
    public static String visibleLines(String text) {
        return visible(text.replace("\r\n", "\n"), true);
    }

    private static String visible(String text, boolean lines) {
        var safe = new StringBuilder(text.length());
        text.codePoints()
                .forEach(c -> {
                    if (lines && (c == '\n' || c == '\t')) safe.append((char) c);
                    else if (c < 0x20) safe.append((char) (0x2400 + c));
                    else if (c == 0x7f) safe.append('\u2421');
                    else if (steers(c)) safe.append('\ufffd');
                    else safe.appendCodePoint(c);
                });
        return safe.toString();
    }

    private static boolean steers(int c) {
        return (c >= 0x80 && c < 0xa0) // second set of control characters
                || (c >= 0x202a && c <= 0x202e) // writing direction overrides
                || (c >= 0x2066 && c <= 0x2069)
                || (c >= 0xd800 && c <= 0xdfff); // half a character
    }
}
