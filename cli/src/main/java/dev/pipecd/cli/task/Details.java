// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.task;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/// One thing shown in full: a name and a value a line.
final class Details {
    private final Map<String, String> lines = new LinkedHashMap<>();

    Details line(String name, String value) {
        lines.put(name + ":", Printable.text(value));
        return this;
    }

    void print(PrintWriter out) {
        var width = lines.keySet().stream().mapToInt(String::length).max().orElse(0);
        lines.forEach(
                (name, value) -> out.println(name + " ".repeat(width - name.length() + 2) + value));
    }
}
