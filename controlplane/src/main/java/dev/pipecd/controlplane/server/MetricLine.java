// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// One line of Prometheus' text form, read strictly and written anew.
final class MetricLine {
    private static final int LONGEST = 8 * 1024;
    private static final int LONGEST_HELP = 300;
    private static final int MOST_LABELS = 40;
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]{0,199}");
    private static final Pattern HEAD = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]{0,199})\\s*");
    private static final Pattern LABEL =
            Pattern.compile(
                    "\\s*([a-zA-Z_][a-zA-Z0-9_]{0,199})\\s*=\\s*\"((?:[^\"\\\\]|\\\\[\\\\\"n])*+)\"\\s*(,?)\\s*");
    // when it was measured is not taken over: it is told now
    private static final Pattern VALUE =
            Pattern.compile(
                    "\\s*+([+-]?(?:Inf|NaN|(?:[0-9]{1,40}+(?:\\.[0-9]{0,40}+)?|\\.[0-9]{1,40}+)(?:[eE][+-]?[0-9]{1,4})?))"
                            + "(?:\\s++-?[0-9]{1,19})?\\s*+");

    private MetricLine() {}

    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    static String help(String text) {
        var plain = text.replaceAll("[\\p{Cntrl}\\\\]", " ");
        return plain.length() <= LONGEST_HELP ? plain : plain.substring(0, LONGEST_HELP);
    }

    /// Empty when it is not one.
    static Optional<Sample> sample(String line) {
        if (line.length() > LONGEST) return Optional.empty();
        var head = HEAD.matcher(line);
        if (!head.lookingAt()) return Optional.empty();
        var labels = new LinkedHashMap<String, String>();
        var place = head.end();
        if (place < line.length() && line.charAt(place) == '{') {
            place = labels(line, place + 1, labels);
            if (place < 0) return Optional.empty();
        }
        var value = VALUE.matcher(line).region(place, line.length());
        return value.matches()
                ? Optional.of(new Sample(head.group(1), labels, value.group(1)))
                : Optional.empty();
    }

    /// The place behind the closing brace, or -1.
    private static int labels(String line, int from, Map<String, String> labels) {
        var label = LABEL.matcher(line);
        var place = from;
        var another = true;
        while (another && label.region(place, line.length()).lookingAt()) {
            if (labels.size() >= MOST_LABELS) return -1;
            if (labels.put(label.group(1), unescaped(label.group(2))) != null) return -1;
            place = label.end();
            another = !label.group(3).isEmpty();
        }
        while (place < line.length() && line.charAt(place) == ' ') place++;
        return place < line.length() && line.charAt(place) == '}' ? place + 1 : -1;
    }

    private static String unescaped(String text) {
        var plain = new StringBuilder();
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (c == '\\') {
                var next = text.charAt(++i);
                plain.append(next == 'n' ? '\n' : next);
            } else plain.append(c);
        }
        return plain.toString();
    }

    static String series(String name, Map<String, String> labels) {
        if (labels.isEmpty()) return name;
        return labels.entrySet().stream()
                .map(e -> e.getKey() + "=\"" + escaped(e.getValue()) + '"')
                .collect(Collectors.joining(",", name + "{", "}"));
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n")
                .replaceAll("\\p{Cntrl}", " ");
    }

    /// @param value as it was written
    record Sample(String name, Map<String, String> labels, String value) {
        Sample {
            labels = Map.copyOf(labels);
        }
    }
}
