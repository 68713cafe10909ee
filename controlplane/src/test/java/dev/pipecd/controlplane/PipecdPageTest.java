// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.launch.CommonFlags;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// Keeps `docs/reference/pipecd.md` equal to the commands. `-Dpages.write=true` writes the page.
final class PipecdPageTest {
    private static final Path PAGE = Path.of("../docs/reference/pipecd.md");
    private static final CommandSpec COMMON = CommandSpec.forAnnotatedObject(new CommonFlags());
    private static final Set<String> SHARED = COMMON.optionsMap().keySet();

    @Test
    void everyCommandAndFlagOfTheCodeIsOnThePageAndNoOther() throws Exception {
        var page = page();

        if (Boolean.getBoolean("pages.write")) Files.writeString(PAGE, page);

        assertThat(PAGE).as("-Dpages.write=true writes %s", PAGE).hasContent(page);
    }

    private static String page() {
        var text =
                new StringBuilder(
                        """
                        # pipecd: commands and flags

                        Written from the code by `PipecdPageTest`; the [guide](../guides/control-plane.md) shows them at work. `controlplane` is the same program. Flags are
                        written `--flag=value` or `--flag value`, switches alone or with `=true` and `=false`; the last of several counts. Exit codes: 0 done, 1 it failed, 2 the command line is wrong.

                        ## All commands
                        """);
        text.append(table(COMMON.options().stream()));
        Pipecd.commandLine()
                .getSubcommands()
                .forEach((_, command) -> text.append(section(command.getCommandSpec())));
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
