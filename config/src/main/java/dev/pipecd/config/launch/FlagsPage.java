// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.launch;

import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// The reference page of a program's commands and flags. It is written while programs are tested;
/// those that run never load it.
public final class FlagsPage {
    private static final CommandSpec COMMON = CommandSpec.forAnnotatedObject(new CommonFlags());
    private static final Set<String> SHARED = COMMON.optionsMap().keySet();

    private FlagsPage() {}

    /// What `above` says, the flags that all commands have, and each command.
    public static String of(String above, CommandLine program) {
        var text = new StringBuilder(above).append("\n## All commands\n");
        text.append(table(COMMON.options().stream()));
        program.getSubcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .distinct()
                .forEach(command -> text.append(section(command)));
        return text.toString();
    }

    private static String section(CommandSpec command) {
        var named =
                command.positionalParameters().stream()
                        .map(each -> " " + each.paramLabel())
                        .collect(Collectors.joining());
        return "\n## %s%s\n\n%s\n%s"
                .formatted(
                        command.qualifiedName(),
                        named,
                        String.join("\n\n", command.usageMessage().description()),
                        table(
                                command.options().stream()
                                        .filter(o -> !o.usageHelp())
                                        .filter(o -> !SHARED.contains(o.longestName()))));
    }

    private static String table(Stream<OptionSpec> options) {
        var rows =
                options.map(option ->
                                "| `%s` | %s | %s |\n"
                                        .formatted(
                                                String.join("`, `", option.names()),
                                                otherwise(option),
                                                String.join(" ", option.description())))
                        .collect(Collectors.joining());
        return rows.isEmpty() ? "" : "\n| Flag | Default | |\n|---|---|---|\n" + rows;
    }

    private static String otherwise(OptionSpec option) {
        if (option.required()) return "required";
        var value = Objects.requireNonNullElse(option.defaultValue(), "");
        return value.isEmpty() ? "" : "`" + value + "`";
    }
}
