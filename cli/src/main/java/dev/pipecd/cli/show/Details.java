// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/// One thing shown in full: a name and a value a line.
public final class Details {
    private final Map<String, String> lines = new LinkedHashMap<>();

    public Details line(String name, String value) {
        lines.put(name + ":", Printable.text(value));
        return this;
    }

    public void print(PrintWriter out) {
        var width = lines.keySet().stream().mapToInt(String::length).max().orElse(0);
        lines.forEach(
                (name, value) -> out.println(name + " ".repeat(width - name.length() + 2) + value));
    }
}
