// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.flag;

import dev.pipecd.cli.show.OutputFormat;
import picocli.CommandLine.Option;

/// `-o`: how the result is written.
public final class OutputFlag {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "table|json|yaml",
            description = "For people (table, the default) or for programs (json, yaml).")
    OutputFormat format = OutputFormat.TABLE;

    public OutputFormat format() {
        return format;
    }

    /// Where what follows is lines for people.
    public OutputFormat withoutPrograms(String flag) {
        if (format.forPrograms())
            throw new CalledWrongly(
                    "%s: with -o %s (expected: one of the two; what is followed is shown as text)"
                            .formatted(flag, format.name().toLowerCase(java.util.Locale.ROOT)));
        return format;
    }
}
