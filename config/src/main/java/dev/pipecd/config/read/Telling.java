// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// How names and values are put into sentences: short, on one line, and harmless to a terminal.
final class Telling {
    private static final int LONGEST = 60;
    private static final Set<Integer> INVISIBLE =
            Set.of(
                    (int) Character.CONTROL,
                    (int) Character.FORMAT,
                    (int) Character.SURROGATE,
                    (int) Character.LINE_SEPARATOR,
                    (int) Character.PARAGRAPH_SEPARATOR);

    private Telling() {}

    static String path(String parent, String key) {
        var shown = oneLine(key);
        return parent.isEmpty() ? shown : parent + "." + shown;
    }

    static String value(Tree tree) {
        return switch (tree) {
            case Tree.Mapping _ -> "an object";
            case Tree.Sequence _ -> "a list";
            case Tree.Scalar(_, var value, _) when value.isNull() -> "null";
            case Tree.Scalar(_, var value, var written) ->
                    value.isTextual() ? quoted(value.textValue()) : oneLine(written);
        };
    }

    /// For what might be a secret: what kind of thing it is, never what it says.
    static String kind(Tree tree) {
        return switch (tree) {
            case Tree.Mapping _ -> "an object";
            case Tree.Sequence _ -> "a list";
            case Tree.Scalar(_, var value, _) ->
                    value.isNumber() ? "a number" : value.isBoolean() ? "a boolean" : "a text";
        };
    }

    static String quoted(String text) {
        return '"' + oneLine(text) + '"';
    }

    static String oneLine(String text) {
        return oneLine(text, LONGEST);
    }

    static String oneLine(String text, int longest) {
        var shown = new StringBuilder();
        var each = text.codePoints().limit(longest).iterator();
        while (each.hasNext()) {
            var point = each.nextInt();
            // A terminal obeys control characters, and some invisible ones turn the line around.
            if (INVISIBLE.contains(Character.getType(point)))
                shown.append("\\u{%X}".formatted(point));
            else shown.appendCodePoint(point);
        }
        return text.codePointCount(0, text.length()) > longest ? shown + "…" : shown.toString();
    }

    static String oneOf(Collection<String> names) {
        return names.size() == 1 ? names.iterator().next() : "one of " + String.join(", ", names);
    }

    /// The known name somebody surely meant, if one is near.
    static Optional<String> nearest(String written, Collection<String> known) {
        var best = Optional.<String>empty();
        var least = 1 + Math.max(1, Math.min(written.length(), LONGEST) / 3);
        for (var name : known) {
            if (Math.abs(name.length() - written.length()) >= least) continue;
            var distance =
                    distance(written.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                best = Optional.of(name);
            }
        }
        return best;
    }

    /// Letters to change, add, drop or swap with the next.
    private static int distance(String a, String b) {
        var rows = new ArrayList<int[]>();
        for (var i = 0; i <= a.length(); i++) {
            var row = new int[b.length() + 1];
            for (var j = 0; j <= b.length(); j++) {
                row[j] = i == 0 ? j : j == 0 ? i : least(rows, row, a, b, i, j);
            }
            rows.add(row);
        }
        return rows.get(a.length())[b.length()];
    }

    private static int least(List<int[]> rows, int[] row, String a, String b, int i, int j) {
        var above = rows.get(i - 1);
        var same = a.charAt(i - 1) == b.charAt(j - 1);
        var least = Math.min(Math.min(above[j], row[j - 1]) + 1, above[j - 1] + (same ? 0 : 1));
        var swapped =
                i > 1
                        && j > 1
                        && a.charAt(i - 1) == b.charAt(j - 2)
                        && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(least, rows.get(i - 2)[j - 2] + 1) : least;
    }
}
