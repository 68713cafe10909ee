// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.cli.flag.ConnectionFlags;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// Keeps `docs/reference/pipectl.md` equal to the commands. `-Dpages.write=true` writes the page.
class ReferencePageTest {
    private static final Path PAGE = Path.of("../docs/reference/pipectl.md");
    private static final Set<String> CONNECTION =
            CommandSpec.forAnnotatedObject(new ConnectionFlags()).optionsMap().keySet();

    @Test
    void everyCommandAndFlagOfTheCodeIsOnThePageAndNoOther() throws Exception {
        var page = page(Surroundings.commands());

        if (Boolean.getBoolean("pages.write")) Files.writeString(PAGE, page);

        assertThat(PAGE).as("-Dpages.write=true writes %s", PAGE).hasContent(page);
    }

    private static String page(CommandLine pipectl) {
        var text =
                new StringBuilder(
                        """
                        # pipectl: commands and flags

                        Written from the code by `ReferencePageTest`; the [guide](../guides/pipectl.md) shows them at work.

                        ## Connection

                        Commands that talk to a control plane take these, before or after the last word of the command:
                        """);
        text.append(table(options(CommandSpec.forAnnotatedObject(new ConnectionFlags()))));
        text.append(
                "\nAccepted before or after every command, without effect, because scripts give them to every program of the public system: %s.\n"
                        .formatted(withoutEffect(pipectl.getCommandSpec())));
        text.append("\n## Exit codes\n\n| Code | |\n|---|---|\n");
        pipectl.getCommandSpec()
                .usageMessage()
                .exitCodeList()
                .forEach(
                        (code, means) -> text.append("| %s | %s |\n".formatted(code, cell(means))));
        leaves(pipectl).forEach(command -> text.append(section(command)));
        return text.toString();
    }

    /// `--log-level`, …
    private static String withoutEffect(CommandSpec pipectl) {
        return pipectl.options().stream()
                .filter(OptionSpec::hidden)
                .map(option -> "`" + option.longestName() + "`")
                .collect(Collectors.joining(", "));
    }

    private static Stream<CommandSpec> leaves(CommandLine command) {
        return command.getSubcommands().isEmpty()
                ? Stream.of(command.getCommandSpec())
                : command.getSubcommands().values().stream().flatMap(ReferencePageTest::leaves);
    }

    private static String section(CommandSpec command) {
        var usage = command.usageMessage();
        var synopsis =
                usage.customSynopsis().length > 0
                        ? String.join("\n", usage.customSynopsis())
                        : command.qualifiedName() + " " + parameters(command);
        var about = Stream.of(usage.description()).collect(Collectors.joining("\n\n"));
        var connected = command.optionsMap().containsKey("--address");
        return "\n## %s\n\n```\n%s\n```\n\n%s\n%s%s"
                .formatted(
                        command.qualifiedName(),
                        synopsis.strip(),
                        about,
                        table(options(command).filter(option -> !isShared(command, option))),
                        connected ? "\nAnd the flags of the [connection](#connection).\n" : "");
    }

    private static String parameters(CommandSpec command) {
        return command.positionalParameters().stream()
                .map(each -> each.paramLabel())
                .collect(Collectors.joining(" "));
    }

    /// `plugin push` has an `--insecure` of its own.
    private static boolean isShared(CommandSpec command, OptionSpec option) {
        return command.optionsMap().containsKey("--address")
                && CONNECTION.contains(option.longestName());
    }

    private static Stream<OptionSpec> options(CommandSpec command) {
        return command.options().stream().filter(each -> !each.hidden() && !each.usageHelp());
    }

    private static String table(Stream<OptionSpec> options) {
        var rows =
                options.map(option ->
                                "| `%s%s` | %s |\n"
                                        .formatted(
                                                String.join("`, `", option.names()),
                                                value(option),
                                                description(option)))
                        .collect(Collectors.joining());
        return rows.isEmpty() ? "" : "\n| Flag | |\n|---|---|\n" + rows;
    }

    private static String value(OptionSpec option) {
        if (option.arity().min() == 0 && option.arity().max() == 1) return "";
        return " " + option.paramLabel().replace("|", "\\|");
    }

    private static String description(OptionSpec option) {
        var candidates = option.completionCandidates();
        var text =
                String.join(" ", option.description())
                        .replace("${DEFAULT-VALUE}", String.valueOf(option.getValue().toString()));
        return cell(
                candidates == null
                        ? text
                        : text.replace("${COMPLETION-CANDIDATES}", String.join(", ", candidates)));
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("%%", "%");
    }
}
