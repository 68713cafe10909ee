// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.flag;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads flags that take names and values: `--label KEY:VALUE`, `--labels KEY=VALUE`.
public final class Pairs {
    private Pairs() {}

    /// Labels to look for.
    public static Map<String, String> filter(String flag, List<String> given) {
        return read(flag, given, ':');
    }

    /// What something new shall have.
    public static Map<String, String> values(String flag, List<String> given) {
        return read(flag, given, '=');
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
