// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.cli.task.OutputFormat;
import picocli.CommandLine.Option;

/// `-o`: how the result is written.
final class OutputFlag {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "table|json",
            description = "For people (table, the default) or for programs (json).")
    OutputFormat format = OutputFormat.TABLE;
}
