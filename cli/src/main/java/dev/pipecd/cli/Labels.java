// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads `--label KEY:VALUE`, given once or more.
final class Labels {
    private Labels() {}

    static Map<String, String> of(List<String> labels) {
        var read = new LinkedHashMap<String, String>();
        for (var label : labels) {
            var colon = label.indexOf(':');
            if (colon < 1 || colon == label.length() - 1)
                throw new CalledWrongly("--label: %s (expected: KEY:VALUE)".formatted(label));
            read.put(label.substring(0, colon).strip(), label.substring(colon + 1).strip());
        }
        return read;
    }
}
