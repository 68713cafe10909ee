// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.pipecd.domain.Problem;
import java.util.ArrayList;

/// Replaces what the first group of a pattern catches, in every place it is found.
final class RegexEdit {
    private RegexEdit() {}

    static String apply(String text, String regex, String value) {
        var matcher = compiled(regex).matcher(text);
        var splices = new ArrayList<Splice>();
        // What matches without the group says nothing of the value.
        while (matcher.find())
            if (matcher.start(1) >= 0)
                splices.add(new Splice(matcher.start(1), matcher.end(1), value));
        if (splices.isEmpty())
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "regex: %s catches nothing (expected: a place in the file)".formatted(regex),
                    "Correct the expression; it is read as RE2.");
        return Splice.apply(text, splices);
    }

    private static Pattern compiled(String regex) {
        try {
            var pattern = Pattern.compile(regex);
            if (pattern.groupCount() > 0) return pattern;
        } catch (PatternSyntaxException e) {
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "regex: %s: %s (expected: an expression of RE2)"
                            .formatted(regex, e.getDescription()),
                    "Correct the expression.",
                    e);
        }
        throw new Problem(
                Problem.Code.CONFIG_INVALID,
                "regex: %s (expected: a group around what is replaced)".formatted(regex),
                "Write it in parentheses, for example `tag: (.*)`.");
    }
}
