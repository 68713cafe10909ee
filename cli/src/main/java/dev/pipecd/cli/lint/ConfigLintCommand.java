// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.lint;

import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `pipectl config lint`.
@Command(
        name = "lint",
        customSynopsis = "pipectl config lint FILE... [FLAGS]",
        description = {
            "Tells every mistake in configuration files: of applications, agents and control planes, as their kind says.",
            "Needs no control plane. Exits with 1 when a file cannot be used."
        },
        sortOptions = false,
        parameterListHeading = "%n",
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  pipectl config lint apps/*/app.pipecd.yaml piped.yaml",
            "  pipectl config lint --strict app.pipecd.yaml -o json"
        })
public final class ConfigLintCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "The files.")
    List<String> files = List.of();

    @Option(
            names = "--strict",
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            description = "Takes warnings for mistakes.")
    boolean strict;

    public ConfigLintCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        var findings = files.stream().flatMap(file -> Lint.of(Path.of(file)).stream()).toList();
        if (output.format().forPrograms())
            terminal.out().println(output.format().ofJson(Finding.json(findings)));
        else {
            findings.forEach(each -> terminal.out().println(Printable.text(each.toString())));
            if (findings.isEmpty())
                terminal.progress(
                        files.size() == 1
                                ? "Nothing to complain about."
                                : "Nothing to complain about in %d files.".formatted(files.size()));
        }
        return findings.stream().anyMatch(each -> each.mistake() || strict) ? 1 : 0;
    }
}
