// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import com.google.re2j.Pattern;
import dev.pipecd.domain.Problem;
import java.util.ArrayList;
import java.util.List;

/// Where a value stands in a YAML or JSON file: `$.spec.containers[0].image`, with `'…'` around
/// names that hold dots and `[*]` for every item.
record FieldPath(String written, List<Step> steps) {
    private static final int LONGEST = 100;
    private static final Pattern STEP =
            Pattern.compile(
                    "\\.'((?:[^'\\\\]|\\\\.)+)'|\\.([^.\\[\\]'*\\s][^.\\[\\]]*)|\\[(\\d{1,9})\\]|\\[(\\*)\\]");

    sealed interface Step {}

    record Key(String name) implements Step {}

    record Index(int index) implements Step {}

    record Every() implements Step {}

    static FieldPath parse(String written) {
        var steps = new ArrayList<Step>();
        var matcher = STEP.matcher(written);
        var at = 1;
        while (written.startsWith("$") && at < written.length() && steps.size() < LONGEST) {
            if (!matcher.find(at) || matcher.start() != at) throw unreadable(written);
            steps.add(
                    matcher.group(1) != null
                            ? new Key(matcher.group(1).replaceAll("\\\\(.)", "$1"))
                            : matcher.group(2) != null
                                    ? new Key(matcher.group(2))
                                    : matcher.group(3) != null
                                            ? new Index(Integer.parseInt(matcher.group(3)))
                                            : new Every());
            at = matcher.end();
        }
        if (steps.isEmpty() || at < written.length()) throw unreadable(written);
        return new FieldPath(written, List.copyOf(steps));
    }

    private static Problem unreadable(String written) {
        return new Problem(
                Problem.Code.CONFIG_INVALID,
                "field: \"%s\" (expected: a path such as $.spec.containers[0].image)"
                        .formatted(written),
                "Names with dots are written $.'a.b'; every item of a list is [*].");
    }

    Problem missing() {
        return new Problem(
                Problem.Code.CONFIG_INVALID,
                "%s: not there (expected: a field of the file)".formatted(written),
                "Correct the path, or write the field into the file.");
    }

    Problem notReplaceable(int line, String what) {
        return new Problem(
                Problem.Code.CONFIG_INVALID,
                "%s: %s in line %d (expected: a text, a number or a boolean)"
                        .formatted(written, what, line),
                "Let the path lead to the value itself.");
    }
}
