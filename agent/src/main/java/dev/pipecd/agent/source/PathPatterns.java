// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.pipecd.agent.source.tree.Texts;
import dev.pipecd.domain.Problem;
import java.util.List;

/// Docker-ignore style patterns over paths from the repository's root: `*`, `?`, `**`, `[a-z]`, and
/// `!` to take back. Matched in linear time, whatever people write.
public final class PathPatterns {
    private record One(boolean takesBack, Pattern pattern) {}

    private final List<One> patterns;

    public PathPatterns(String setting, List<String> written) {
        this.patterns =
                written.stream()
                        .filter(pattern -> !pattern.isBlank())
                        .map(pattern -> compile(setting, pattern.strip()))
                        .toList();
    }

    /// The last pattern that names the path, or a folder above it, decides.
    public boolean match(String path) {
        var matched = false;
        for (var one : patterns)
            if (matched == one.takesBack() && one.pattern().matches(path))
                matched = !one.takesBack();
        return matched;
    }

    /// Whether a pattern names files, and does not take any back.
    public static boolean names(String written) {
        return !written.isBlank() && !written.strip().startsWith("!");
    }

    /// The folder, or the one file, below which all lies that a pattern can name; empty for the
    /// whole repository.
    public static String below(String written) {
        var glob = clean(written.strip());
        var special = 0;
        while (special < glob.length() && "*?[\\".indexOf(glob.charAt(special)) < 0) special++;
        if (special == glob.length()) return glob;
        return glob.substring(0, Math.max(0, glob.lastIndexOf('/', special)));
    }

    private static One compile(String setting, String written) {
        var takesBack = written.startsWith("!");
        var glob = clean(takesBack ? written.substring(1).strip() : written);
        try {
            // `(?s)`: a file name may hold a line break.
            return new One(takesBack, Pattern.compile("(?s)^" + regex(glob) + "(?:/.*)?$"));
        } catch (PatternSyntaxException e) {
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "%s: \"%s\" (expected: a pattern with *, ?, ** or [a-z])"
                            .formatted(setting, Texts.visible(written)),
                    "Correct the pattern; a bracket that is meant as such is written \\[.",
                    e);
        }
    }

    private static String clean(String glob) {
        var parts =
                List.of(glob.split("/", -1)).stream()
                        .filter(part -> !part.isEmpty() && !part.equals("."))
                        .toList();
        return String.join("/", parts);
    }

    private static String regex(String glob) {
        var regex = new StringBuilder();
        for (var i = 0; i < glob.length(); i++) {
            var c = glob.charAt(i);
            if (glob.startsWith("**/", i)) {
                regex.append("(?:.*/)?");
                i += 2;
            } else if (glob.startsWith("**", i)) {
                regex.append(".*");
                i++;
            } else if (c == '*') {
                regex.append("[^/]*");
            } else if (c == '?') {
                regex.append("[^/]");
            } else if (c == '[') {
                var end = glob.indexOf(']', i + 2);
                if (end < 0) throw new PatternSyntaxException("missing closing ]", glob);
                regex.append(glob, i, end + 1);
                i = end;
            } else if (c == '\\' && i + 1 < glob.length()) {
                regex.append(Pattern.quote(glob.substring(++i, i + 1)));
            } else {
                regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return regex.toString();
    }
}
