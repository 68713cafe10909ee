// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.flag;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// Reads flags that take names and values: `--label KEY:VALUE`, `--labels KEY=VALUE`.
public final class Pairs {
    private static final Pattern NEXT =
            Pattern.compile("\\G(?:\"([^\"]*+(?:\"\"[^\"]*+)*+)\"|([^\",]*+))(,|\\z)");

    private Pairs() {}

    /// Labels to look for.
    public static Map<String, String> filter(String flag, List<String> given) {
        return read(flag, given, ':');
    }

    /// What something new shall have. As the public command line reads it: who gives one pair alone
    /// may have commas in its value; of several, one with a comma stands in quotes, as in CSV. A
    /// commit's title has commas.
    public static Map<String, String> values(String flag, List<String> given) {
        var pairs = given.stream().flatMap(each -> separated(flag, each).stream()).toList();
        return read(flag, pairs, '=');
    }

    private static List<String> separated(String flag, String given) {
        if (given.indexOf('=') == given.lastIndexOf('='))
            return List.of(
                    given.length() > 1 && given.startsWith("\"") && given.endsWith("\"")
                            ? given.substring(1, given.length() - 1)
                            : given);
        var pairs = new ArrayList<String>();
        var next = NEXT.matcher(given);
        do {
            if (!next.find())
                throw new CalledWrongly(
                        "%s: %s (expected: KEY=VALUE,... with each pair that has a comma or a quote in double quotes, those within doubled)"
                                .formatted(flag, given));
            pairs.add(
                    next.start(1) < 0
                            ? given.substring(next.start(2), next.end(2))
                            : given.substring(next.start(1), next.end(1)).replace("\"\"", "\""));
        } while (next.start(3) < next.end(3));
        return pairs;
    }

    private static Map<String, String> read(String flag, List<String> given, char separator) {
        var read = new LinkedHashMap<String, String>();
        for (var pair : Several.of(given)) {
            var at = pair.indexOf(separator);
            if (at < 1 || at == pair.length() - 1)
                throw new CalledWrongly(
                        "%s: %s (expected: KEY%cVALUE)".formatted(flag, pair, separator));
            read.put(pair.substring(0, at).strip(), pair.substring(at + 1).strip());
        }
        return read;
    }
}
